/** What an operator reads of a sum of transactions. */
import { describe, it } from "vitest";
import { chartOf, figuresOf, notApprovedOf } from "../../src/http/operator/statistics/figures.ts";
import { CODES_SHOWN, OTHER_CODES } from "../../src/statistics/limits.ts";
import { count, emptyTally, type Kind, type MeasuredTimes, type Tally } from "../../src/statistics/tally.ts";

const SALE: Kind = { statusCode: "00", completedBy: "terminal", transType: "sale", responseCode: "00" };
const DECLINED: Kind = { ...SALE, statusCode: "11", responseCode: "51" };

function add(
  tally: Tally,
  times: number,
  kind: Kind,
  measured: MeasuredTimes = {},
  amount: number | null = null,
): void {
  for (let n = 0; n < times; n++) {
    count(tally, kind, measured, amount === null ? null : { currency: "MYR", amount });
  }
}

function one(milliseconds: number) {
  return { p50: milliseconds, p95: milliseconds, p99: milliseconds };
}

describe("figures", () => {
  it("count by status, type and code, and add up the turnover and the times", ({ expect }) => {
    const tally = emptyTally();
    add(tally, 5, SALE, { gateway: 7, queue: 0, delivery: 3, customer: 9, recording: 2 }, 1_250);
    add(tally, 1, { ...SALE, transType: "cashOut" }, {}, 5);
    add(tally, 2, { ...SALE, transType: "void" }, {}, -100);
    add(tally, 2, DECLINED, { gateway: 9 });
    add(tally, 4, { ...DECLINED, completedBy: "gateway", responseCode: "TERMINAL_OFFLINE" });
    // One that newer code wrote.
    tally.counts.set("33 terminal sale 00", 100);
    const chart = {
      transactions: { "00": 8, "11": 6 },
      turnover: [{ currency: "MYR", transAmt: "60.55" }],
      // What the gateway ended says nothing about cards.
      approvalRate: 0.8,
      gateway: { p50: 7, p95: 9, p99: 9 },
      queue: one(1),
      delivery: one(3),
      customer: one(9),
      recording: one(2),
    };
    const figures = figuresOf(tally);
    expect(figures).toEqual({
      ...chart,
      transTypes: { sale: 11, cashOut: 1, void: 2 },
      responseCodes: [
        { statusCode: "00", responseCode: "00", count: 8 },
        { statusCode: "11", responseCode: "TERMINAL_OFFLINE", count: 4 },
        { statusCode: "11", responseCode: "51", count: 2 },
      ],
    });
    expect(chartOf(tally)).toEqual(chart);
    expect(notApprovedOf(figures).map(({ responseCode }) => responseCode)).toEqual(["TERMINAL_OFFLINE", "51"]);
  });

  it("of nothing are zeros, and have neither a rate nor times", ({ expect }) => {
    expect(figuresOf(emptyTally())).toEqual({
      transactions: { "00": 0, "11": 0 },
      turnover: [],
      approvalRate: null,
      gateway: null,
      queue: null,
      delivery: null,
      customer: null,
      recording: null,
      transTypes: { sale: 0, cashOut: 0, void: 0 },
      responseCodes: [],
    });
    const declined = emptyTally();
    add(declined, 1, DECLINED);
    expect(figuresOf(declined).approvalRate).toBe(0);
  });

  it("name the most frequent codes, of the same number in their order, and the rest together by status", ({
    expect,
  }) => {
    const tally = emptyTally();
    const codes = Array.from({ length: CODES_SHOWN + 3 }, (_, number) => `C${100 + number}`);
    for (const responseCode of codes.toReversed()) add(tally, 1, { ...DECLINED, responseCode });
    add(tally, 2, { ...SALE, responseCode: "Z" });
    add(tally, 1, { ...SALE, responseCode: "ZZ" });
    const shown = figuresOf(tally).responseCodes;
    expect(shown.slice(0, CODES_SHOWN).map(({ responseCode }) => responseCode)).toEqual([
      "Z",
      ...codes.slice(0, CODES_SHOWN - 1),
    ]);
    expect(shown.slice(CODES_SHOWN)).toEqual([
      { statusCode: "11", responseCode: OTHER_CODES, count: 4 },
      { statusCode: "00", responseCode: OTHER_CODES, count: 1 },
    ]);
  });
});
