/** What somebody must look at now: the lines of the overview, and where the page sends people. */
import { describe, it } from "vitest";
import { incidentLink } from "../../../../src/pages/operator/statistics/ranges.ts";
import { findIncidents, moneyOpen } from "../../../../src/gateway/http/operator/overview/incidents.ts";
import type { ServiceState } from "../../../../src/gateway/d1/overview.ts";

const NOW = Date.UTC(2026, 10, 20, 10, 30);
const MINUTE = 60_000;

const well: ServiceState = {
  terminals: { enrolled: 2, bound: 2, connected: 2, opened: 2, lost: 0 },
  offline: [],
  offlineTerminals: 0,
  pending: [],
  accounts: [],
  alerts: [],
  cut: [],
  outbox: { objects: 0, entries: 0, oldest: null, object: null },
};

const LATE = { objects: 1, entries: 3, object: "terminal:T-1" };

describe("open incidents", () => {
  it("are none if everything works, or copies are only seconds late", ({ expect }) => {
    expect(findIncidents(well, NOW)).toEqual([]);
    expect(findIncidents({ ...well, outbox: { ...LATE, oldest: NOW - 5 * MINUTE + 1 } }, NOW)).toEqual([]);
    expect(findIncidents({ ...well, outbox: { ...LATE, oldest: NOW - 5 * MINUTE } }, NOW)).toEqual([
      {
        kind: "outbox",
        id: "outbox",
        title: "Lists are out of date",
        detail: "Waiting for an update from terminal:T-1.",
        since: "2026-11-20T10:25:00.000+00:00",
        posId: null,
        merchantId: null,
      },
    ]);
  });

  it("come with the worst first, each with its time and a link", ({ expect }) => {
    const shop = { since: NOW - MINUTE, latest: NOW - MINUTE, allOffline: 0 } as const;
    const state: ServiceState = {
      ...well,
      pending: [
        { isConflicting: 0, currency: "MYR", count: 2, transAmt: 11_250, oldest: NOW - 7_200_000 },
        { isConflicting: 1, currency: "MYR", count: 1, transAmt: 1_250, oldest: NOW - MINUTE },
      ],
      offline: [
        { merchantId: "M-1", shopName: "Corner shop", terminals: 1, ...shop },
        { merchantId: null, shopName: null, terminals: 3, ...shop },
      ],
      alerts: [{ posId: "POS-1", webhookId: "wh_1", host: "books.test", disabledBy: null, since: NOW - MINUTE }],
      outbox: { ...LATE, objects: 2, oldest: NOW - 10 * MINUTE },
    };
    const found = findIncidents(state, NOW);
    expect(found.map((incident) => [incident.title, incident.detail, incidentLink(incident)])).toEqual([
      ["1 payment contradicted by its terminal", "MYR 12.50 at risk.", "#/pending?conflict=true"],
      ["2 payments not completed", "MYR 112.50 at risk.", "#/pending"],
      ["1 terminal offline", "Corner shop.", "#/terminals?state=offline&offlineFor=0&shop=M-1"],
      ["3 terminals offline", "Without a shop.", "#/terminals?state=offline&offlineFor=0&bound=false"],
      ["Webhook fails", "wh_1 of POS-1, books.test.", "#/accounts/POS-1"],
      ["Lists are out of date", "Waiting for an update from terminal:T-1 and 1 other object.", "#/audit"],
    ]);
    expect(found.map(({ kind, id, since }) => [kind, id, since.slice(11, 16)])).toEqual([
      ["conflict", "conflict", "10:29"],
      ["pending", "pending", "08:30"],
      ["offline", "offline M-1", "10:29"],
      ["offline", "offline", "10:29"],
      ["webhook", "webhook POS-1 wh_1", "10:29"],
      ["outbox", "outbox", "10:20"],
    ]);
    const about = found.map(({ posId, merchantId }) => [posId, merchantId].join());
    expect(about).toEqual([",", ",", ",M-1", ",", "POS-1,", ","]);
  });

  it("show that a list is cut", ({ expect }) => {
    const found = findIncidents({ ...well, cut: ["accounts", "webhooks"] }, NOW);
    expect(found.map((incident) => [incident.kind, incident.id, incidentLink(incident)])).toEqual([
      ["cut", "cut accounts", "#/overview"],
      ["cut", "cut webhooks", "#/overview"],
    ]);
  });

  it("show how many there are, and what they are about", ({ expect }) => {
    const state: ServiceState = {
      ...well,
      pending: [
        { isConflicting: 0, currency: "MYR", count: 1_000, transAmt: 100, oldest: NOW - 2 * MINUTE },
        { isConflicting: 0, currency: "SGD", count: 234, transAmt: 5, oldest: NOW - 3 * MINUTE },
        { isConflicting: 1, currency: "MYR", count: 2, transAmt: 1, oldest: NOW },
      ],
      offline: [{ merchantId: "M-2", shopName: null, terminals: 2, since: NOW, latest: NOW, allOffline: 0 }],
      alerts: [{ posId: "POS-2", webhookId: "wh_2", host: "pager.test", disabledBy: "failing", since: NOW }],
    };
    const found = findIncidents(state, NOW);
    expect(found.map(({ id, title, detail }) => [id, title, detail])).toEqual([
      ["conflict", "2 payments contradicted by their terminals", "MYR 0.01 at risk."],
      ["pending", "1,234 payments not completed", "MYR 1.00, SGD 0.05 at risk."],
      ["offline M-2", "2 terminals offline", "M-2."],
      ["webhook POS-2 wh_2", "Webhook disabled", "wh_2 of POS-2, pager.test."],
    ]);
    expect(moneyOpen(state.pending)).toEqual({
      conflict: {
        count: 2,
        oldest: "2026-11-20T10:30:00.000+00:00",
        amounts: [{ currency: "MYR", count: 2, transAmt: "0.01" }],
      },
      pending: {
        count: 1_234,
        oldest: "2026-11-20T10:27:00.000+00:00",
        amounts: [
          { currency: "MYR", count: 1_000, transAmt: "1.00" },
          { currency: "SGD", count: 234, transAmt: "0.05" },
        ],
      },
    });
    expect(moneyOpen([]).conflict).toEqual({ count: 0, oldest: null, amounts: [] });
  });
});
