/** What completed transactions add up to: which line counts which, and when channels share one. */
import { describe, it } from "vitest";
import { assignBusinessDay } from "../../../../src/gateway/account/feed.ts";
import {
  countInDay,
  buildDayTally,
  sumTotals,
  type DayTally,
  type TallyLine,
} from "../../../../src/gateway/account/tally.ts";
import { CHANNELS_A_DAY, OTHER_CHANNELS } from "../../../../src/protocol/limits.ts";
import { type EntryChanges, saleEntry } from "../../../support/gateway/account/samples.ts";

const ACCOUNT = { timezone: "Asia/Kuala_Lumpur", closedDay: "" };

function counted(tally: DayTally, ...completed: EntryChanges[]): DayTally {
  for (const changes of completed) countInDay(tally, assignBusinessDay(saleEntry(5, changes), null, ACCOUNT));
  return tally;
}

/** `type channel: approved sum cash, declined` */
function linesOf(tally: DayTally, deviceId: string | null = null): string[] {
  return sumTotals(tally, deviceId).map(({ currency, transType, paymentChannel, approved, notApproved }) => {
    const sums = `${approved.count} ${approved.transAmt} ${approved.cashAmt}`;
    return `${currency} ${transType} ${paymentChannel}: ${sums}, ${notApproved.count}`;
  });
}

const LINE: TallyLine = {
  currency: "MYR",
  transType: "sale",
  paymentChannel: "VISA",
  approved: 1,
  transAmt: 1_250,
  cashAmt: 100,
  notApproved: 2,
};

const through = (paymentChannel: string | null): EntryChanges => ({ transaction: { paymentChannel } });

describe("a day's tally", () => {
  it("counts approved and declined transactions, and sums up the approved ones", ({ expect }) => {
    const tally = counted(
      buildDayTally([]),
      { transaction: { cashAmt: "1.00" } },
      { transaction: { transAmt: "7.50", cashAmt: "2.00" } },
      { transaction: { transAmt: null } },
      { transaction: { statusCode: "11", cashAmt: "3.00" } },
    );
    expect(linesOf(tally)).toEqual(["MYR sale VISA: 3 20.00 3.00, 1"]);
  });

  it("has a line for each currency, type and channel, in this order", ({ expect }) => {
    const tally = counted(
      buildDayTally([]),
      { transaction: { transType: "void" } },
      through("VISA"),
      through(null),
      through(""),
      through("AMEX"),
      { transaction: { currency: "EUR", paymentChannel: "ZZZ" } },
    );
    expect(linesOf(tally).map((line) => line.split(":")[0])).toEqual([
      "EUR sale ZZZ",
      "MYR sale null",
      "MYR sale ",
      "MYR sale AMEX",
      "MYR sale VISA",
      "MYR void VISA",
    ]);
  });

  it("adds up the terminals, and has each one's own lines", ({ expect }) => {
    const tally = counted(buildDayTally([]), {}, {}, { deviceId: "T-2", transaction: { transAmt: "1.00" } });
    expect(linesOf(tally)).toEqual(["MYR sale VISA: 3 26.00 0.00, 0"]);
    expect(linesOf(tally, "T-1")).toEqual(["MYR sale VISA: 2 25.00 0.00, 0"]);
    expect(linesOf(tally, "T-2")).toEqual(["MYR sale VISA: 1 1.00 0.00, 0"]);
    expect(linesOf(tally, "T-3")).toEqual([]);
  });

  it("continues from its stored lines", ({ expect }) => {
    const tally = buildDayTally([
      ["T-1", [{ ...LINE }]],
      ["T-2", [{ ...LINE }]],
    ]);
    expect(linesOf(counted(tally, {}))).toEqual(["MYR sale VISA: 3 37.50 2.00, 4"]);
    expect(linesOf(tally, "T-1")).toEqual(["MYR sale VISA: 2 25.00 1.00, 2"]);
  });

  it("does not change when its totals are asked for", ({ expect }) => {
    const tally = buildDayTally([
      ["T-1", [{ ...LINE }]],
      ["T-2", [{ ...LINE }]],
    ]);
    const before = linesOf(tally);
    expect(linesOf(tally)).toEqual(before);
  });
});

const channels = (first: number, last: number): EntryChanges[] =>
  Array.from({ length: last - first + 1 }, (_, index) => through(`channel-${first + index}`));

describe("channels beyond the limit of a day", () => {
  it("are counted together, over all terminals", ({ expect }) => {
    const tally = counted(buildDayTally([]), ...channels(1, CHANNELS_A_DAY));
    counted(tally, through("one more"), { deviceId: "T-2", ...through("and another") });
    expect(sumTotals(tally, null)).toHaveLength(CHANNELS_A_DAY + 1);
    expect(linesOf(tally)).toContain(`MYR sale ${OTHER_CHANNELS}: 2 25.00 0.00, 0`);
  });

  it("leave the earlier channels, and transactions without one, lines of their own", ({ expect }) => {
    const tally = counted(buildDayTally([]), ...channels(1, CHANNELS_A_DAY), through("one more"));
    counted(tally, through("channel-1"), through(null));
    expect(linesOf(tally)).toContain("MYR sale channel-1: 2 25.00 0.00, 0");
    expect(linesOf(tally)).toContain("MYR sale null: 1 12.50 0.00, 0");
  });

  it("are recognized from stored lines, where none has no channel", ({ expect }) => {
    const stored = Array.from({ length: CHANNELS_A_DAY - 1 }, (_, n) => ({ ...LINE, paymentChannel: `channel-${n}` }));
    const tally = buildDayTally([["T-1", [{ ...LINE, paymentChannel: null }, ...stored]]]);
    counted(tally, through("the last"), through("one more"));
    expect(linesOf(tally)).toContain("MYR sale the last: 1 12.50 0.00, 0");
    expect(linesOf(tally)).toContain(`MYR sale ${OTHER_CHANNELS}: 1 12.50 0.00, 0`);
  });
});
