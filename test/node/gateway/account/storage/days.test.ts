/** Business days as they are kept: what each adds up to, and its mark once it is closed. */
import { describe, it } from "vitest";
import { type Day, Days } from "../../../../../src/gateway/account/storage/days.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { type TallyLine, buildDayTally } from "../../../../../src/gateway/account/tally.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

const DAY = "2031-05-10";

function line(approved: number, paymentChannel: string | null = "VISA"): TallyLine {
  return {
    currency: "MYR",
    transType: "sale",
    paymentChannel,
    approved,
    transAmt: 1_250,
    cashAmt: 100,
    notApproved: 2,
  };
}

/** A tally of as many terminals, of which each has approved another number of sales. */
function tally(terminals: number, more = 0) {
  return buildDayTally(
    Array.from({ length: terminals }, (_, index) => [`T-${index}`, [line(index + more), line(1, null)]]),
  );
}

function dayWith(changes: Partial<Day> = {}): Day {
  return { day: DAY, firstEvent: 1, lastEvent: 1, mark: null, ...changes };
}

/** The rows for a day with as many terminals: the place of each, and how many terminals it has. */
function rowsOf(terminals: number): number[][] {
  const sql = memoryStorage(ACCOUNT_MIGRATIONS);
  new Days(sql).save(dayWith(), tally(terminals));
  const rows = sql.exec<{ part: number; totals: string }>("SELECT part, totals FROM day_totals").toArray();
  return rows.map(({ part, totals }) => [part, (JSON.parse(totals) as unknown[]).length]);
}

describe("a day", () => {
  it("has the tally that was saved last, of however many terminals", ({ expect }) => {
    const days = new Days(memoryStorage(ACCOUNT_MIGRATIONS));
    expect(days.tally(DAY)).toEqual(buildDayTally([]));
    for (const terminals of [1, 50, 51, 101]) {
      days.save(dayWith(), tally(terminals));
      expect(days.tally(DAY)).toEqual(tally(terminals));
    }
    days.save(dayWith(), tally(101, 7));
    expect(days.tally(DAY)).toEqual(tally(101, 7));
    expect(days.tally("2031-05-11")).toEqual(buildDayTally([]));
  });

  it("takes a row for every fifty terminals, as rows are limited", ({ expect }) => {
    expect(rowsOf(50)).toEqual([[0, 50]]);
    expect(rowsOf(101)).toEqual([
      [0, 50],
      [1, 50],
      [2, 1],
    ]);
  });
});
