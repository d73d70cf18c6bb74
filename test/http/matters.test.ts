/** What somebody must look at now: the lines of the overview, and where the page sends people. */
import { describe, it } from "vitest";
import { matterLink } from "../../src/console/operator/statistics/ranges.ts";
import { mattersOf } from "../../src/keeper/overview.ts";
import { wavesOf } from "../../src/statistics/waves.ts";
import { count, emptyTally, type Kind, type Tally } from "../../src/statistics/tally.ts";
import type { ServiceState } from "../../src/storage/overview.ts";

const NOW = Date.UTC(2026, 10, 20, 10, 30);
const MINUTE = 60_000;
const QUIET = { found: [], since: NOW };

const well: ServiceState = {
  terminals: { enrolled: 2, bound: 2, connected: 2 },
  offline: [],
  unresolved: [],
  alerts: [],
  untold: null,
  untoldBy: null,
};

describe("open matters", () => {
  it("are none if everything works, or if a copy is only seconds late", ({ expect }) => {
    expect(mattersOf(well, QUIET, NOW)).toEqual([]);
    expect(mattersOf({ ...well, untold: NOW - 3_000 }, QUIET, NOW)).toEqual([]);
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
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    expect(found[1]?.since).toBe("2026-11-20T08:30:00.000+00:00");
  });
});

function tallied(...counted: [number, Partial<Kind>][]): Tally {
  const tally = emptyTally();
  const approved: Kind = { statusCode: "00", completedBy: "terminal", transType: "sale", responseCode: "00" };
  for (const [times, kind] of counted) for (let n = 0; n < times; n++) count(tally, { ...approved, ...kind }, {});
  return tally;
}

const DECLINED = { statusCode: "11", responseCode: "51" } as const;

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
    expect(wavesOf(tallied([32, {}], ...many), usual)).toMatchObject([{ responseCode: null, count: 32, share: 0.5 }]);
  });

  it("without an earlier time to compare with is half of all payments", ({ expect }) => {
    expect(wavesOf(tallied([12, {}], [10, DECLINED]), emptyTally())).toEqual([]);
    expect(wavesOf(tallied([10, {}], [10, DECLINED]), emptyTally())).toMatchObject([{ count: 10, usual: null }]);
  });
});
