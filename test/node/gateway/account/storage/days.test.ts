/** Business days as they are kept: what each adds up to, and its mark once it is closed. */
import { describe, it } from "vitest";
import { type Day, Days } from "../../../../../src/gateway/account/storage/days.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { type TallyLine, tallyOf } from "../../../../../src/gateway/account/tally.ts";
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
  return tallyOf(Array.from({ length: terminals }, (_, index) => [`T-${index}`, [line(index + more), line(1, null)]]));
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
  it("is open with its events until it is saved as closed", ({ expect }) => {
    const days = new Days(memoryStorage(ACCOUNT_MIGRATIONS));
    expect(days.find(DAY)).toBeNull();
    days.save(dayWith({ firstEvent: 3, lastEvent: 4 }), tally(1));
    expect(days.find(DAY)).toEqual({ day: DAY, firstEvent: 3, lastEvent: 4, mark: null });
    const closed = dayWith({ mark: { timezone: "Asia/Kuala_Lumpur", closesAt: 1_000 } });
    days.save(closed, tally(1));
    expect(days.find(DAY)).toEqual(closed);
    expect(days.find("2031-05-11")).toBeNull();
  });

  it("has the tally that was saved last, of however many terminals", ({ expect }) => {
    const days = new Days(memoryStorage(ACCOUNT_MIGRATIONS));
    expect(days.tally(DAY)).toEqual(tallyOf([]));
    for (const terminals of [1, 50, 51, 101]) {
      days.save(dayWith(), tally(terminals));
      expect(days.tally(DAY)).toEqual(tally(terminals));
    }
    days.save(dayWith(), tally(101, 7));
    expect(days.tally(DAY)).toEqual(tally(101, 7));
    expect(days.tally("2031-05-11")).toEqual(tallyOf([]));
  });

  it("takes a row for every fifty terminals, as rows are limited", ({ expect }) => {
    expect(rowsOf(50)).toEqual([[0, 50]]);
    expect(rowsOf(101)).toEqual([
      [0, 50],
      [1, 50],
      [2, 1],
    ]);
  });

  it("is one of those after another", ({ expect }) => {
    const days = new Days(memoryStorage(ACCOUNT_MIGRATIONS));
    for (const of of ["2031-05-12", "2031-05-10", "2031-05-11"]) days.save(dayWith({ day: of }), tally(1));
    expect(days.after("2031-05-10")).toEqual([dayWith({ day: "2031-05-11" }), dayWith({ day: "2031-05-12" })]);
    expect(days.after("")).toHaveLength(3);
  });
});

describe("a zone that the account had before", () => {
  it("is that of its closed days, the first of two that coincide", ({ expect }) => {
    const days = new Days(memoryStorage(ACCOUNT_MIGRATIONS));
    days.keepZone("2031-05-10", "Asia/Kuala_Lumpur");
    days.keepZone("2031-05-10", "Pacific/Auckland");
    days.keepZone("2031-05-12", "UTC");
    expect(["2031-05-09", "2031-05-10", "2031-05-11", "2031-05-13"].map((day) => days.zoneOf(day))).toEqual([
      "Asia/Kuala_Lumpur",
      "Asia/Kuala_Lumpur",
      "UTC",
      null,
    ]);
  });
});
