import { describe, it } from "vitest";
import {
  computeChart,
  listNotApproved,
  computeFigures,
  CODES_SHOWN,
} from "../../../../src/gateway/http/operator/statistics/figures.ts";
import {
  TURNOVER_KEY,
  findBucket,
  count,
  type OutcomeKind,
  parseOutcomeKey,
  sumTallies,
  type Tally,
  turnoversIn,
  CODES_COUNTED,
} from "../../../../src/gateway/statistics/tally.ts";

const APPROVED: OutcomeKind = { statusCode: "00", completedBy: "terminal", transType: "sale", responseCode: "00" };
const DECLINED: OutcomeKind = { ...APPROVED, statusCode: "11", responseCode: "51" };
const OFFLINE: OutcomeKind = { ...DECLINED, completedBy: "gateway", responseCode: "TERMINAL_OFFLINE" };

function tallyOf(...kinds: OutcomeKind[]): Tally {
  const tally: Tally = new Map();
  for (const kind of kinds) count(tally, kind, {});
  return tally;
}

describe("figures", () => {
  it("count transactions by status, type and response code", ({ expect }) => {
    const figures = computeFigures(tallyOf(APPROVED, APPROVED, { ...APPROVED, transType: "void" }, DECLINED, OFFLINE));
    expect(figures).toMatchObject({
      transactions: { "00": 3, "11": 2 },
      transTypes: { sale: 4, cashOut: 0, void: 1 },
      responseCodes: [
        { responseCode: "00", statusCode: "00", count: 3 },
        { responseCode: "51", statusCode: "11", count: 1 },
        { responseCode: "TERMINAL_OFFLINE", statusCode: "11", count: 1 },
      ],
    });
    expect(listNotApproved(figures).map(({ responseCode }) => responseCode)).toEqual(["51", "TERMINAL_OFFLINE"]);
  });

  it("have an approval rate based on terminals' results only", ({ expect }) => {
    const resolved: OutcomeKind = { ...DECLINED, completedBy: "operator", responseCode: "RESOLVED" };
    expect(computeFigures(tallyOf(APPROVED, APPROVED, APPROVED, DECLINED, OFFLINE, resolved)).approvalRate).toBe(0.75);
    expect(computeFigures(tallyOf(OFFLINE)).approvalRate).toBeNull();
  });

  it("count how many times were at most as long as each bound", ({ expect }) => {
    const tally: Tally = new Map();
    for (const milliseconds of [0, 10, 11, 250, 251, 60_000, 60_001]) count(tally, APPROVED, { gateway: milliseconds });
    const { gateway, delivery } = computeChart(tally);
    expect(gateway).toMatchObject({ count: 7, within: { "10": 2, "25": 3, "250": 4, "500": 5, "60000": 6 } });
    expect(delivery).toBeNull();
  });

  it("count a negative time as the shortest", ({ expect }) => {
    expect([findBucket(-3), findBucket(0)]).toEqual([10, 10]);
  });

  it("add up over two accounts to those of all their transactions", ({ expect }) => {
    const sum = sumTallies([tallyOf(APPROVED, DECLINED), tallyOf(DECLINED)]);
    expect(computeFigures(sum)).toEqual(computeFigures(tallyOf(APPROVED, DECLINED, DECLINED)));
  });

  it("stay small however many response codes a terminal makes up", ({ expect }) => {
    const made = Array.from({ length: CODES_COUNTED * 3 }, (_, index) => ({ ...DECLINED, responseCode: `E${index}` }));
    const tally = tallyOf(...made);
    expect(tally.size).toBe(CODES_COUNTED + 1);
    // One that has a place keeps it.
    expect(tallyOf(...made, ...made.slice(0, 1)).get("11 terminal sale E0")).toBe(2);
    const { transactions, responseCodes } = computeFigures(tally);
    expect(transactions["11"]).toBe(made.length);
    expect(responseCodes.length).toBeLessThanOrEqual(CODES_SHOWN + 1);
    expect(responseCodes.reduce((sum, code) => sum + code.count, 0)).toBe(made.length);
  });

  it("name the most frequent response codes, and add up the others", ({ expect }) => {
    const codes = Array.from({ length: CODES_SHOWN + 2 }, (_, index) => `E${String(index).padStart(3, "0")}`);
    const kinds = codes.map((responseCode) => ({ ...DECLINED, responseCode })).toReversed();
    const [seldom, ...others] = kinds;
    if (seldom === undefined) throw new Error("there are no codes");
    const { responseCodes } = computeFigures(tallyOf(seldom, ...others, ...others, APPROVED, APPROVED, APPROVED));
    const [first, ...more] = responseCodes.map(({ responseCode, count: many }) => `${responseCode} ${many}`);
    expect(first).toBe("00 3");
    expect(more.slice(0, -1)).toEqual(codes.slice(0, CODES_SHOWN - 1).map((code) => `${code} 2`));
    // Two that are as frequent as those before, and the seldom one.
    expect(more.at(-1)).toBe("(other) 5");
  });

  it("ignore a key that newer code has written", ({ expect }) => {
    expect(parseOutcomeKey("33 terminal sale 00")).toBeNull();
    expect(parseOutcomeKey("11 terminal sale a code with spaces")?.responseCode).toBe("a code with spaces");
    expect(parseOutcomeKey("11 terminal sale two\nlines")?.responseCode).toBe("two\nlines");
  });
});

describe("turnover", () => {
  it("is listed by currency, in their order, without the counts of transactions", ({ expect }) => {
    const amounts = [`${TURNOVER_KEY}MYR`, `${TURNOVER_KEY}USD`, `${TURNOVER_KEY}EUR`].map(
      (key, index) => [key, index - 1] as const,
    );
    expect(turnoversIn(new Map([...tallyOf(APPROVED), ...amounts]))).toEqual([
      ["EUR", 1],
      ["MYR", -1],
      ["USD", 0],
    ]);
  });
});
