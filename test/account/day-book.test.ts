/** What an account's days add up to: from stored tallies, from the events since, and when a day is closed. */
import { describe, it, vi } from "vitest";
import { DAY_RETRY, TALLY_EVENTS } from "../../src/account/limits.ts";
import { DayBook } from "../../src/account/day-book.ts";
import { Days, UnresolvedRows } from "../../src/account/storage/days.ts";
import { AccountRecordStore } from "../../src/account/storage/record.ts";
import { MIGRATIONS } from "../../src/account/storage/schema.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { AccountParts } from "./parts.ts";
import { OPEN } from "./samples.ts";

const DAY = 86_400_000;
const TODAY = "2031-05-10";
const TOMORROW = "2031-05-11";
/** In the account's zone. */
const CLOSES = Date.parse("2031-05-11T00:15:00+08:00");

function totals(parts: AccountParts, day: string | null = null, deviceId: string | null = null) {
  return parts.dayBook.totals(parts.record, day, deviceId, parts.now);
}

/** `count sum` of a day. */
function sumOf(parts: AccountParts, day: string): string {
  return totals(parts, day)
    .data.map(({ approved }) => `${approved.count} ${approved.transAmt}`)
    .join(", ");
}

function sell(parts: AccountParts, count: number): void {
  for (let index = 0; index < count; index++) parts.recordAll(parts.entry(`R-${index}-${parts.events.newest}`));
}

describe("totals of the open day", () => {
  it("say when it closes, and what is completed and unresolved", ({ expect }) => {
    const parts = new AccountParts();
    const other = { ...OPEN, deviceId: "T-2", transaction: { ...OPEN.transaction, transAmt: "1.00" } };
    parts.recordAll(parts.entry("a"), parts.entry("b", OPEN), parts.entry("c", other));
    expect(totals(parts)).toEqual({
      day: TODAY,
      timezone: "Asia/Kuala_Lumpur",
      closed: false,
      closesAt: "2031-05-11T00:15:00.000+08:00",
      deviceId: null,
      unresolved: { count: 2, transAmt: "13.50" },
      data: [
        {
          currency: "MYR",
          transType: "sale",
          paymentChannel: "VISA",
          approved: { count: 1, transAmt: "12.50", cashAmt: "0.00" },
          notApproved: { count: 0 },
        },
      ],
    });
    expect(totals(parts, null, "T-2")).toMatchObject({ unresolved: { count: 1, transAmt: "1.00" }, data: [] });
  });

  it("have a sum of what is unresolved only if it is in one currency", ({ expect }) => {
    const parts = new AccountParts();
    expect(totals(parts).unresolved).toEqual({ count: 0, transAmt: "0.00" });
    const of = (currency: string, transAmt: string | null) =>
      parts.entry(currency, { ...OPEN, transaction: { ...OPEN.transaction, currency, transAmt } });
    parts.recordAll(of("MYR", null));
    expect(totals(parts).unresolved).toEqual({ count: 1, transAmt: "0.00" });
    parts.recordAll(of("SGD", "1.00"));
    expect(totals(parts).unresolved).toEqual({ count: 2, transAmt: null });
  });

  it("are the same whether or not the tally is stored", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("open", OPEN);
    parts.recordAll(parts.entry("a"), open, parts.entry("other", { ...OPEN, deviceId: "T-2" }));
    const before = totals(parts);
    parts.dayBook.tally();
    expect(parts.record.talliedEvent).toBe(3);
    expect(totals(parts)).toEqual(before);
    const completed = { ...parts.entry("open"), requestId: open.requestId, revision: 2 };
    parts.recordAll(completed);
    expect(totals(parts)).toMatchObject({ unresolved: { count: 1 }, data: [{ approved: { count: 2 } }] });
    const after = totals(parts);
    parts.dayBook.tally();
    expect(totals(parts)).toEqual(after);
    expect(parts.dayBook.unresolved(parts.record).map(({ deviceId }) => deviceId)).toEqual(["T-2"]);
  });

  it("do not count as unresolved what was completed since", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("open", OPEN);
    parts.recordAll(open, { ...parts.entry("open"), requestId: open.requestId, revision: 2 });
    expect(totals(parts).unresolved).toEqual({ count: 0, transAmt: "0.00" });
    parts.dayBook.tally();
    expect(parts.dayBook.unresolved(parts.record)).toEqual([]);
  });

  it("count a transaction that is open again in another way once", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("open", OPEN);
    parts.recordAll(open);
    parts.dayBook.tally();
    parts.recordAll({ ...open, revision: 2 });
    expect(parts.dayBook.unresolved(parts.record)).toMatchObject([{ requestId: open.requestId, event: 2 }]);
    parts.dayBook.tally();
    expect(parts.dayBook.unresolved(parts.record)).toMatchObject([{ requestId: open.requestId, event: 2 }]);
  });

  it("read every event since the stored tally, in portions", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, TALLY_EVENTS);
    expect(sumOf(parts, TODAY)).toBe("500 6250.00");
    sell(parts, 1);
    const read = vi.spyOn(parts.events, "after");
    expect(sumOf(parts, TODAY)).toBe("501 6262.50");
    expect(read.mock.calls).toEqual([
      [0, TALLY_EVENTS],
      [TALLY_EVENTS, TALLY_EVENTS],
    ]);
  });
});

describe("a tally", () => {
  it("is stored after as many events as its limit says", ({ expect }) => {
    const parts = new AccountParts();
    expect(parts.dayBook.isLong(TALLY_EVENTS - 1)).toBe(false);
    expect(parts.dayBook.isLong(TALLY_EVENTS)).toBe(true);
    parts.records.update({ talliedEvent: 1 });
    expect(parts.dayBook.isLong(TALLY_EVENTS)).toBe(false);
    expect(bookWithoutAccount().isLong(TALLY_EVENTS)).toBe(false);
  });

  it("is not written again if there is no new event", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.dayBook.tally();
    const before = parts.record;
    parts.dayBook.tally();
    expect(parts.record).toBe(before);
  });

  it("knows the events of each day", ({ expect }) => {
    const parts = new AccountParts();
    const range = (day: string) => parts.dayBook.rangeOf(parts.record, day);
    expect(range(TODAY)).toEqual({ first: 1, last: 0 });
    sell(parts, 2);
    parts.dayBook.tally();
    sell(parts, 2);
    expect(range(TODAY)).toEqual({ first: 1, last: 4 });
    parts.recordAll(parts.entry("next", { completedAt: parts.now + DAY }));
    expect(range(TOMORROW)).toEqual({ first: 3, last: 5 });
    parts.dayBook.tally();
    sell(parts, 1);
    parts.dayBook.close(parts.now + DAY);
    expect(range(TODAY)).toEqual({ first: 1, last: 6 });
    expect(range(TOMORROW)).toEqual({ first: 5, last: 7 });
    expect(range("2031-05-09")).toBeNull();
  });
});

function bookWithoutAccount(): DayBook {
  const sql = memoryStorage(MIGRATIONS);
  const { events } = new AccountParts();
  const parts = {
    records: new AccountRecordStore(sql),
    events,
    days: new Days(sql),
    unresolved: new UnresolvedRows(sql),
  };
  return new DayBook(parts);
}

describe("a day", () => {
  it("is due at its closing time, and after a failure a moment later", ({ expect }) => {
    const parts = new AccountParts();
    const { dayBook } = parts;
    expect(dayBook.isDue(parts.now)).toBe(true);
    dayBook.close(parts.now);
    expect(parts.record.closedDay).toBe("2031-05-09");
    expect(dayBook.isDue(CLOSES - 1)).toBe(false);
    expect(dayBook.isDue(CLOSES)).toBe(true);
    dayBook.failed(CLOSES);
    expect(dayBook.isDue(CLOSES + DAY_RETRY - 1)).toBe(false);
    expect(dayBook.isDue(CLOSES + DAY_RETRY)).toBe(true);
    expect(bookWithoutAccount().isDue(CLOSES)).toBe(false);
  });

  it("is closed once, and the next one is due a day later", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.dayBook.close(parts.now);
    expect(parts.dayBook.isDue(CLOSES)).toBe(true);
    parts.dayBook.close(CLOSES);
    const before = parts.record;
    expect(before.openDay).toBe("");
    parts.dayBook.close(CLOSES);
    expect(parts.record).toBe(before);
    expect(parts.dayBook.isDue(CLOSES + DAY - 1)).toBe(false);
    expect(parts.dayBook.isDue(CLOSES + DAY)).toBe(true);
  });

  it("needs an alarm only if something was completed on it", ({ expect }) => {
    const parts = new AccountParts();
    expect(parts.dayBook.nextDeadline()).toBeNull();
    expect(bookWithoutAccount().nextDeadline()).toBeNull();
    sell(parts, 1);
    expect(parts.dayBook.nextDeadline()).toBe(CLOSES);
    parts.records.update({ timezone: "UTC" });
    expect(parts.dayBook.nextDeadline()).toBe(CLOSES + DAY / 3);
    parts.dayBook.failed(CLOSES + DAY);
    expect(parts.dayBook.nextDeadline()).toBe(CLOSES + DAY + DAY_RETRY);
  });

  it("is closed with its totals, oldest first, and the day after it stays open", ({ expect }) => {
    const parts = new AccountParts();
    parts.dayBook.close(parts.now);
    sell(parts, 2);
    parts.recordAll(parts.entry("next", { completedAt: parts.now + DAY }));
    parts.recordAll(parts.entry("later", { completedAt: parts.now + 2 * DAY }));
    parts.dayBook.close(CLOSES + DAY);
    const closings = [5, 6].map((number) => parts.events.find(number));
    expect(closings).toMatchObject([
      { type: "day.closed", data: { day: TODAY, closed: true, deviceId: null, unresolved: null } },
      { type: "day.closed", data: { day: TOMORROW, timezone: "Asia/Kuala_Lumpur" } },
    ]);
    expect(parts.events.newest).toBe(6);
    expect(closings[0]?.data).toEqual(totals(parts, TODAY));
    expect(parts.record).toMatchObject({ closedDay: TOMORROW, openDay: "2031-05-12", talliedEvent: 6 });
    expect(sumOf(parts, "2031-05-12")).toBe("1 12.50");
    parts.dayBook.close(CLOSES);
    expect(parts.record.closedDay).toBe(TOMORROW);
    expect(parts.events.newest).toBe(6);
  });

  it("keeps the zone in which it was closed, with or without a payment, however often the zone changes", ({
    expect,
  }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.dayBook.close(CLOSES);
    // The zone between closes no day.
    for (const timezone of ["Pacific/Auckland", "America/Los_Angeles", "America/Los_Angeles"])
      parts.change({ timezone });
    parts.dayBook.close(CLOSES + 2 * DAY);
    parts.change({ timezone: "UTC" });
    parts.dayBook.close(CLOSES + 4 * DAY);
    const shown = (day: string) => {
      const { closed, timezone, closesAt, data } = totals(parts, day);
      return [closed, timezone, closesAt, data.length];
    };
    expect(["2031-05-09", TODAY, TOMORROW, "2031-05-13"].map(shown)).toEqual([
      [true, "Asia/Kuala_Lumpur", "2031-05-10T00:15:00.000+08:00", 0],
      [true, "Asia/Kuala_Lumpur", "2031-05-11T00:15:00.000+08:00", 1],
      [true, "America/Los_Angeles", "2031-05-12T00:15:00.000-07:00", 0],
      [true, "UTC", "2031-05-14T00:15:00.000+00:00", 0],
    ]);
  });

  it("with a payment keeps when it closed, even if the rules of its zone change afterwards", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.dayBook.close(CLOSES);
    // As if midnight had been half an hour later by the rules of that time.
    parts.sql.exec("UPDATE days SET closes_at = closes_at + 1800000");
    expect(totals(parts, TODAY).closesAt).toBe("2031-05-11T00:45:00.000+08:00");
  });

  it("of an account that is not there is not closed", ({ expect }) => {
    const book = bookWithoutAccount();
    book.tally();
    book.close(CLOSES);
    expect(book.isDue(CLOSES)).toBe(false);
  });
});
