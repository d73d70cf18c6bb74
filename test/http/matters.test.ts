/** What somebody must look at now: the lines of the overview, and where the page sends people. */
import { describe, it } from "vitest";
import { matterLink } from "../../src/console/operator/statistics/ranges.ts";
import { mattersOf, moneyOpen } from "../../src/keeper/overview.ts";
import { OTHER_CODES } from "../../src/statistics/limits.ts";
import { count, emptyTally, type Kind, type Tally } from "../../src/statistics/tally.ts";
import { wavesNow, wavesOf } from "../../src/statistics/waves.ts";
import type { ServiceState } from "../../src/storage/overview.ts";

const NOW = Date.UTC(2026, 10, 20, 10, 30);
const MINUTE = 60_000;
const QUIET = { found: [], since: NOW };

const well: ServiceState = {
  terminals: { enrolled: 2, bound: 2, connected: 2 },
  offline: [],
  unresolved: [],
  accounts: [],
  alerts: [],
  cut: [],
  untold: null,
  untoldBy: null,
};

describe("open matters", () => {
  it("are none if everything works, or if a copy is only seconds late", ({ expect }) => {
    expect(mattersOf(well, QUIET, NOW)).toEqual([]);
    expect(mattersOf({ ...well, untold: NOW - 5 * MINUTE + 1 }, QUIET, NOW)).toEqual([]);
    expect(mattersOf({ ...well, untold: NOW - 5 * MINUTE }, QUIET, NOW)).toEqual([
      {
        kind: "untold",
        id: "untold",
        title: "Lists are out of date",
        detail: "They lack a change of an object.",
        since: "2026-11-20T10:25:00.000+00:00",
        posId: null,
        merchantId: null,
        responseCode: null,
      },
    ]);
  });

  it("come with the worst first, each with its time and a link", ({ expect }) => {
    const shop = { since: NOW - MINUTE, latest: NOW - MINUTE };
    const state: ServiceState = {
      ...well,
      unresolved: [
        { isContrary: 0, currency: "MYR", count: 2, transAmt: 11_250, oldest: NOW - 7_200_000 },
        { isContrary: 1, currency: "MYR", count: 1, transAmt: 1_250, oldest: NOW - MINUTE },
      ],
      offline: [
        { merchantId: "M-1", shopName: "Corner shop", terminals: 1, ...shop },
        { merchantId: null, shopName: null, terminals: 3, ...shop },
      ],
      alerts: [{ posId: "POS-1", webhookId: "wh_1", host: "books.test", disabledBy: null, since: NOW - MINUTE }],
      untold: NOW - 10 * MINUTE,
      untoldBy: "terminal:T-1, account:POS-1",
    };
    const wave = { responseCode: "51", words: "51 insufficient funds", count: 60, share: 0.75, usual: 0.03 };
    const found = mattersOf(state, { found: [wave], since: NOW - 90 * MINUTE }, NOW);
    expect(found.map((matter) => [matter.title, matter.detail, matterLink(matter)])).toEqual([
      ["1 payment contradicted by its terminal", "12.50 MYR at risk.", "#/unresolved?contrary=true"],
      ["2 payments not completed", "112.50 MYR at risk.", "#/unresolved"],
      [
        "60 payments: 51 insufficient funds",
        "75 % of the payments, usually 3 %.",
        "#/statistics?by=account&from=2026-11-20T09%3A00%3A00.000%2B00%3A00&code=51",
      ],
      ["1 terminal offline", "Corner shop.", "#/terminals?state=offline&offlineFor=0&shop=M-1"],
      ["3 terminals offline", "Without a shop.", "#/terminals?state=offline&offlineFor=0&bound=false"],
      ["Webhook fails", "wh_1 of POS-1, books.test.", "#/accounts/POS-1"],
      ["Lists are out of date", "They lack a change of terminal:T-1, account:POS-1.", "#/audit"],
    ]);
    expect(found.map(({ kind, id, since }) => [kind, id, since.slice(11, 16)])).toEqual([
      ["contrary", "contrary", "10:29"],
      ["unresolved", "unresolved", "08:30"],
      ["declines", "declines 51", "09:00"],
      ["offline", "offline M-1", "10:29"],
      ["offline", "offline", "10:29"],
      ["webhook", "webhook POS-1 wh_1", "10:29"],
      ["untold", "untold", "10:20"],
    ]);
    const about = found.map(({ posId, merchantId, responseCode }) => [posId, merchantId, responseCode].join());
    expect(about).toEqual([",,", ",,", ",,51", ",M-1,", ",,", "POS-1,,", ",,"]);
  });

  it("say that a list is cut", ({ expect }) => {
    const found = mattersOf({ ...well, cut: ["accounts", "webhooks"] }, QUIET, NOW);
    expect(found.map((matter) => [matter.kind, matter.id, matterLink(matter)])).toEqual([
      ["cut", "cut accounts", "#/overview"],
      ["cut", "cut webhooks", "#/overview"],
    ]);
  });

  it("say how many there are, what they are about, and what was usual", ({ expect }) => {
    const state: ServiceState = {
      ...well,
      unresolved: [
        { isContrary: 0, currency: "MYR", count: 1_000, transAmt: 100, oldest: NOW - 2 * MINUTE },
        { isContrary: 0, currency: "SGD", count: 234, transAmt: 5, oldest: NOW - 3 * MINUTE },
        { isContrary: 1, currency: "MYR", count: 2, transAmt: 1, oldest: NOW },
      ],
      offline: [{ merchantId: "M-2", shopName: null, terminals: 2, since: NOW, latest: NOW }],
      alerts: [{ posId: "POS-2", webhookId: "wh_2", host: "pager.test", disabledBy: "failing", since: NOW }],
    };
    const wave = { responseCode: null, words: "declined", count: 1, share: 0.995, usual: null };
    const found = mattersOf(state, { found: [wave], since: NOW }, NOW);
    expect(found.map(({ id, title, detail }) => [id, title, detail])).toEqual([
      ["contrary", "2 payments contradicted by their terminals", "0.01 MYR at risk."],
      ["unresolved", "1,234 payments not completed", "1.00 MYR, 0.05 SGD at risk."],
      ["declines", "1 payment: declined", "100 % of the payments."],
      ["offline M-2", "2 terminals offline", "M-2."],
      ["webhook POS-2 wh_2", "Webhook disabled", "wh_2 of POS-2, pager.test."],
    ]);
    expect(moneyOpen(state.unresolved)).toEqual({
      contrary: {
        count: 2,
        oldest: "2026-11-20T10:30:00.000+00:00",
        amounts: [{ currency: "MYR", count: 2, transAmt: "0.01" }],
      },
      unresolved: {
        count: 1_234,
        oldest: "2026-11-20T10:27:00.000+00:00",
        amounts: [
          { currency: "MYR", count: 1_000, transAmt: "1.00" },
          { currency: "SGD", count: 234, transAmt: "0.05" },
        ],
      },
    });
    expect(moneyOpen([]).contrary).toEqual({ count: 0, oldest: null, amounts: [] });
  });
});

function tallied(...counted: [number, Partial<Kind>][]): Tally {
  const tally = emptyTally();
  const approved: Kind = { statusCode: "00", completedBy: "terminal", transType: "sale", responseCode: "00" };
  for (const [times, kind] of counted) for (let n = 0; n < times; n++) count(tally, { ...approved, ...kind }, {});
  return tally;
}

const DECLINED = { statusCode: "11", responseCode: "51" } as const;

/** Of a thousand payments so many are declined now, and were before. */
function isWave(now: number, before: number): boolean {
  const [lately, usually] = [now, before].map((declined) => tallied([1_000 - declined, {}], [declined, DECLINED]));
  return wavesOf(lately ?? emptyTally(), usually ?? emptyTally()).length > 0;
}

describe("a wave", () => {
  const usual = tallied([95, {}], [5, DECLINED]);

  it("of one response code is found where its share doubles, with the usual one beside it", ({ expect }) => {
    expect(wavesOf(tallied([30, {}], [10, DECLINED]), usual)).toEqual([
      { responseCode: "51", words: "51 insufficient funds", count: 10, share: 0.25, usual: 0.05 },
    ]);
    const offline = { statusCode: "11", completedBy: "gateway", responseCode: "TERMINAL_OFFLINE" } as const;
    expect(wavesOf(tallied([30, {}], [10, offline]), usual)).toMatchObject([{ responseCode: "TERMINAL_OFFLINE" }]);
  });

  it("is none with few declines, or where as many are usual", ({ expect }) => {
    expect(wavesOf(tallied([1, {}], [9, DECLINED]), usual)).toEqual([]);
    expect(wavesOf(tallied([60, {}], [40, DECLINED]), tallied([70, {}], [30, DECLINED]))).toEqual([]);
    expect(wavesOf(emptyTally(), emptyTally())).toEqual([]);
  });

  it("of declines of many codes is one wave", ({ expect }) => {
    const many = ["05", "14", "54", "61"].map((responseCode) => [8, { ...DECLINED, responseCode }] as [number, object]);
    expect(wavesOf(tallied([32, {}], ...many), usual)).toMatchObject([
      { responseCode: null, words: "declined", count: 32, share: 0.5 },
    ]);
  });

  it("without an earlier time to compare with is half of all payments", ({ expect }) => {
    expect(wavesOf(tallied([12, {}], [10, DECLINED]), emptyTally())).toEqual([]);
    expect(wavesOf(tallied([10, {}], [10, DECLINED]), emptyTally())).toMatchObject([{ count: 10, usual: null }]);
  });

  it("is as much again as usual, and a tenth of all payments more", ({ expect }) => {
    expect([isWave(149, 50), isWave(151, 50)]).toEqual([false, true]);
    expect([isWave(399, 200), isWave(400, 200)]).toEqual([false, true]);
    expect([isWave(99, 0), isWave(100, 0)]).toEqual([false, true]);
  });

  it("is compared with an earlier time of at least twenty payments", ({ expect }) => {
    const now = tallied([80, {}], [20, DECLINED]);
    expect(wavesOf(now, tallied([19, {}]))).toEqual([]);
    expect(wavesOf(now, tallied([20, {}]))).toMatchObject([{ share: 0.2, usual: 0 }]);
    expect(wavesOf(tallied([10, DECLINED]), tallied([19, {}]))).toMatchObject([{ share: 1, usual: null }]);
  });

  it("of several codes is one for each, the greatest first, without rare codes and without a sum", ({ expect }) => {
    const now = tallied(
      [20, {}],
      [10, DECLINED],
      [15, { ...DECLINED, responseCode: "05" }],
      [40, { ...DECLINED, responseCode: OTHER_CODES }],
      [12, { ...DECLINED, completedBy: "gateway", responseCode: "TERMINAL_BUSY" }],
    );
    const found = wavesOf(now, tallied([100, {}]));
    expect(found.map(({ responseCode, words, count: times }) => [responseCode, words, times])).toEqual([
      ["05", "05 do not honour", 15],
      ["TERMINAL_BUSY", "TERMINAL_BUSY", 12],
      ["51", "51 insufficient funds", 10],
    ]);
    const together = tallied(
      [2, { ...DECLINED, completedBy: "operator", responseCode: "51" }],
      [9, DECLINED],
      [5, { transType: "void", statusCode: "11", responseCode: "51" }],
    );
    expect(wavesOf(together, emptyTally())).toMatchObject([{ responseCode: "51", count: 16, share: 1 }]);
    // What the gateway or an operator ended says nothing about cards.
    const ended = ["A", "B", "C"].map((responseCode) => {
      return [9, { ...DECLINED, completedBy: "gateway", responseCode }] as [number, Partial<Kind>];
    });
    expect(wavesOf(tallied(...ended, [9, DECLINED]), tallied([100, {}]))).toEqual([]);
  });

  it("is looked for in the current hour and the one before, and compared with the 23 hours before", ({ expect }) => {
    const present = 500_000;
    const at = (back: number, ...counted: [number, Partial<Kind>][]) => [present - back, tallied(...counted)] as const;
    const since = (present - 1) * 3_600_000;
    const usualHours = [at(24, [10, {}]), at(2, [10, {}])];
    const lately = new Map([...usualHours, at(1, [5, DECLINED]), at(0, [5, DECLINED])]);
    expect(wavesNow(lately, present)).toMatchObject({ found: [{ count: 10, share: 1, usual: 0 }], since });
    for (const elsewhere of [25, -1]) {
      const outside = new Map([...usualHours, at(1, [9, DECLINED]), at(elsewhere, [90, DECLINED])]);
      expect(wavesNow(outside, present)).toEqual({ found: [], since });
    }
    const before = new Map([at(24, [10, {}], [10, DECLINED]), at(2, [10, {}], [10, DECLINED]), at(0, [10, DECLINED])]);
    expect(wavesNow(before, present).found).toMatchObject([{ usual: 0.5, share: 1 }]);
  });
});
