/** The metrics that monitoring systems read: every series, and Prometheus's text format. */
import { describe, it } from "vitest";
import { expositionText } from "../../../../src/gateway/http/operator/metrics/exposition.ts";
import { metricSamples, type ServiceFigures } from "../../../../src/gateway/http/operator/metrics/samples.ts";
import { METRICS } from "../../../../src/gateway/http/operator/metrics/table.ts";
import { boundedTally, count, type OutcomeKind, type Tally } from "../../../../src/gateway/statistics/tally.ts";
import { HAS_PROMTOOL, promtool } from "../../../support/promtool.ts";

const NOW = Date.UTC(2026, 10, 20, 10);
const SALE: OutcomeKind = { statusCode: "00", completedBy: "terminal", transType: "sale", responseCode: "00" };

const QUIET: ServiceFigures = {
  state: {
    terminals: { enrolled: 3, bound: 2, connected: 1, opened: 7, lost: 6 },
    offline: [],
    offlineTerminals: 0,
    pending: [],
    accounts: [],
    alerts: [],
    cut: [],
    outbox: { objects: 0, entries: 0, oldest: null, object: null },
  },
  transfers: new Map(),
  counters: new Map(),
};

function textOf(figures: ServiceFigures | null): string {
  return expositionText(metricSamples(figures, "v1", NOW));
}

/** Without what is for people. */
function seriesOf(figures: ServiceFigures | null): string[] {
  return textOf(figures)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => line.replace("pos_gateway_", ""));
}

function sold(): Tally {
  const tally: Tally = new Map();
  count(tally, SALE, { gateway: 7, customer: 70_000 }, { currency: "MYR", amount: 1_250 });
  count(tally, { ...SALE, transType: "void" }, { gateway: 200 });
  count(tally, { ...SALE, statusCode: "11", responseCode: "51" }, {});
  count(tally, { ...SALE, statusCode: "11", responseCode: "X7" }, {});
  count(tally, { ...SALE, statusCode: "11", responseCode: "X8" }, {});
  count(tally, { ...SALE, statusCode: "11", completedBy: "gateway", responseCode: "TERMINAL_OFFLINE" }, {});
  return boundedTally(tally);
}

const BUSY: ServiceFigures = {
  state: {
    ...QUIET.state,
    offlineTerminals: 3,
    offline: [
      { merchantId: "M-1", shopName: null, terminals: 2, since: NOW, latest: NOW, allOffline: 1 },
      { merchantId: "M-2", shopName: null, terminals: 1, since: NOW, latest: NOW, allOffline: 0 },
    ],
    pending: [
      { isConflicting: 0, currency: "MYR", count: 1, transAmt: 1_250, oldest: NOW - 60_000 },
      { isConflicting: 0, currency: "SGD", count: 2, transAmt: 300, oldest: NOW - 120_000 },
      { isConflicting: 1, currency: "SGD", count: 2, transAmt: 300, oldest: NOW - 500 },
    ],
    accounts: [
      { posId: "A", conflict: 2, pending: 0, oldestConflict: NOW - 500, oldestPending: null },
      { posId: "B", conflict: 0, pending: 3, oldestConflict: null, oldestPending: NOW - 120_000 },
    ],
    alerts: [
      { posId: "A", webhookId: "wh_1", host: "a.example", disabledBy: null, since: NOW },
      { posId: "A", webhookId: "wh_2", host: "a.example", disabledBy: "operator", since: NOW },
    ],
    cut: ["accounts"],
    // Clocks differ: an age is never negative.
    outbox: { objects: 1, entries: 2, oldest: NOW + 1_000, object: "account:A" },
  },
  transfers: sold(),
  counters: new Map([
    ["conflict", 4],
    ["login operator", 5],
    ["limited transfer", 6],
  ]),
};

describe("the metrics", () => {
  it("begin at zero in a quiet service", ({ expect }) => {
    const values = seriesOf(QUIET).map((line) => line.split(" ")[1]);
    expect(new Set(values)).toEqual(new Set(["0", "1", "2", "3", "6", "7"]));
    expect(seriesOf(QUIET)).toContain("pending_oldest_seconds 0");
    expect(seriesOf(QUIET)).toContain('logins_refused_total{caller="account"} 0');
  });

  it("have every number of a busy service, with its labels", ({ expect }) => {
    const quiet = new Set(seriesOf(QUIET));
    const changed = seriesOf(BUSY).filter((line) => !quiet.has(line) && !line.startsWith("transfer_seconds"));
    expect(changed).toEqual([
      'transfers_total{status="00",code="00",completed_by="terminal"} 2',
      'transfers_total{status="11",code="(other)",completed_by="terminal"} 2',
      'transfers_total{status="11",code="51",completed_by="terminal"} 1',
      'transfers_total{status="11",code="TERMINAL_OFFLINE",completed_by="gateway"} 1',
      "conflicting_results_total 4",
      "conflicting_payments 2",
      'account_conflicting_payments{account="A"} 2',
      "pending_payments 3",
      'pending_amount{currency="MYR"} 12.5',
      'pending_amount{currency="SGD"} 3',
      "pending_oldest_seconds 120",
      'account_pending_oldest_seconds{account="B"} 120',
      "terminals_offline 3",
      'shop_offline{merchant="M-1"} 1',
      'logins_refused_total{caller="operator"} 5',
      'requests_limited_total{call="transfer"} 6',
      "outbox_entries 2",
      'webhooks_failing{state="disabled"} 1',
      'webhooks_failing{state="behind"} 1',
      'lists_cut{list="accounts"} 1',
    ]);
  });

  it("count times in cumulative buckets, with their sum and count", ({ expect }) => {
    const gateway = seriesOf(BUSY).filter((line) => line.includes('part="gateway"'));
    const bounds = ["0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf"];
    expect(gateway).toEqual([
      ...bounds.map((le, at) => `transfer_seconds_bucket{part="gateway",le="${le}"} ${at < 4 ? 1 : 2}`),
      'transfer_seconds_sum{part="gateway"} 0.207',
      'transfer_seconds_count{part="gateway"} 2',
    ]);
    const beyond = seriesOf(BUSY).filter((line) => line.startsWith('transfer_seconds_bucket{part="customer"'));
    expect(beyond.map((line) => line.split(" ")[1])).toEqual([...bounds.slice(1).map(() => "0"), "1"]);
  });

  it("show only version and D1 while D1 is away", ({ expect }) => {
    expect(seriesOf(null)).toEqual(['build_info{version="v1"} 1', "d1_up 0"]);
  });

  it("escape what a label may contain", ({ expect }) => {
    const text = expositionText({ shop_offline: [{ value: 1, labels: { merchant: 'a "b" \\ c\nd' } }] });
    expect(text).toContain('pos_gateway_shop_offline{merchant="a \\"b\\" \\\\ c\\nd"} 1\n');
  });

  it("have names of their types", ({ expect }) => {
    for (const [name, { type, help }] of Object.entries(METRICS)) {
      expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
      expect(help).toMatch(/\.$/u);
    }
  });

  it.skipIf(!HAS_PROMTOOL)("pass the linter of Prometheus", ({ expect }) => {
    for (const figures of [QUIET, BUSY, null])
      expect(promtool(["check", "metrics"], { input: textOf(figures) })).toBe("");
  });
});
