/** What an account's days add up to: from stored sums, from the events since, and when a day is closed. */
import { describe, it, vi } from "vitest";
import { AccountRecordStore } from "../../../../src/gateway/account/storage/record.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../src/gateway/account/storage/schema.ts";
import { Sums, TALLY_EVENTS } from "../../../../src/gateway/account/sums.ts";
import { pendingTransactions, findEventRange, totals } from "../../../../src/gateway/account/totals.ts";
import { memoryStorage } from "../../../support/memory-storage.ts";
import { AccountParts } from "./parts.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";

const DAY = 86_400_000;
const TODAY = "2031-05-10";
const TOMORROW = "2031-05-11";
/** In the account's zone. */
const CLOSES = Date.parse("2031-05-11T00:15:00+08:00");

function shown(parts: AccountParts, day: string | null = null, deviceId: string | null = null) {
  return totals(parts, parts.record, { day, deviceId }, parts.now);
}

function pending(parts: AccountParts) {
  return pendingTransactions(parts);
}

/** `count sum` of a day. */
function sumOf(parts: AccountParts, day: string): string {
  return shown(parts, day)
    .data.map(({ approved }) => `${approved.count} ${approved.transAmt}`)
    .join(", ");
}

function sell(parts: AccountParts, count: number): void {
  for (let index = 0; index < count; index++) parts.recordAll(parts.entry(`R-${index}-${parts.events.newest}`));
}

describe("totals of the open day", () => {
  it("show when it closes, and what is completed and pending", ({ expect }) => {
    const parts = new AccountParts();
    const other = { ...OPEN, deviceId: "T-2", transaction: { ...OPEN.transaction, transAmt: "1.00" } };
    parts.recordAll(parts.entry("a"), parts.entry("b", OPEN), parts.entry("c", other));
    expect(shown(parts)).toEqual({
      day: TODAY,
      timezone: "Asia/Kuala_Lumpur",
      closed: false,
      closesAt: "2031-05-11T00:15:00.000+08:00",
      deviceId: null,
      pending: { count: 2, transAmt: "13.50" },
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
    expect(shown(parts, null, "T-2")).toMatchObject({ pending: { count: 1, transAmt: "1.00" }, data: [] });
  });

  it("have a sum of pending payments only in a single currency", ({ expect }) => {
    const parts = new AccountParts();
    expect(shown(parts).pending).toEqual({ count: 0, transAmt: "0.00" });
    const of = (currency: string, transAmt: string | null) =>
      parts.entry(currency, { ...OPEN, transaction: { ...OPEN.transaction, currency, transAmt } });
    parts.recordAll(of("MYR", null));
    expect(shown(parts).pending).toEqual({ count: 1, transAmt: "0.00" });
    parts.recordAll(of("SGD", "1.00"));
    expect(shown(parts).pending).toEqual({ count: 2, transAmt: null });
  });

  it("are the same whether or not they are stored", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("open", OPEN);
    parts.recordAll(parts.entry("a"), open, parts.entry("other", { ...OPEN, deviceId: "T-2" }));
    const before = shown(parts);
    parts.keepSums();
    expect(parts.record.countedEvent).toBe(3);
    expect(shown(parts)).toEqual(before);
    const completed = { ...parts.entry("open"), requestId: open.requestId, revision: 2 };
    parts.recordAll(completed);
    expect(shown(parts)).toMatchObject({ pending: { count: 1 }, data: [{ approved: { count: 2 } }] });
    const after = shown(parts);
    parts.keepSums();
    expect(shown(parts)).toEqual(after);
    expect(pending(parts).map(({ deviceId }) => deviceId)).toEqual(["T-2"]);
  });

  it("do not count as pending what was completed since", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("open", OPEN);
    parts.recordAll(open, { ...parts.entry("open"), requestId: open.requestId, revision: 2 });
    expect(shown(parts).pending).toEqual({ count: 0, transAmt: "0.00" });
    parts.keepSums();
    expect(pending(parts)).toEqual([]);
  });

  it("count a transaction that is open again in another way once", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("open", OPEN);
    parts.recordAll(open);
    parts.keepSums();
    parts.recordAll({ ...open, revision: 2 });
    expect(pending(parts)).toMatchObject([{ requestId: String(open.requestId) }]);
    parts.keepSums();
    expect(pending(parts)).toMatchObject([{ requestId: String(open.requestId) }]);
  });

  it("read only the events since they were stored", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 2);
    parts.keepSums();
    sell(parts, 3);
    const read = vi.spyOn(parts.events, "after");
    expect(sumOf(parts, TODAY)).toBe("5 62.50");
    expect(read.mock.results.map(({ value }) => (value as unknown[]).length)).toEqual([3]);
  });
});

describe("the sums", () => {
  it("are stored after a limited number of events", ({ expect }) => {
    const parts = new AccountParts();
    parts.keepSums();
    const isDue = () => parts.sums.isDue(parts.record, parts.now);
    sell(parts, TALLY_EVENTS - 1);
    expect(isDue()).toBe(false);
    sell(parts, 1);
    expect(isDue()).toBe(true);
    parts.keepSums();
    expect(isDue()).toBe(false);
    sell(parts, TALLY_EVENTS - 1);
    expect(isDue()).toBe(false);
  });

  it("are written only for days that close or have new events", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.recordAll(parts.entry("next", { completedAt: parts.now + DAY }));
    const save = vi.spyOn(parts.days, "save");
    const saved = () =>
      save.mock.calls.splice(0).map(([{ day, mark }]) => `${day} ${mark === null ? "open" : "closed"}`);
    parts.keepSums();
    expect(saved()).toEqual([`${TODAY} open`, `${TOMORROW} open`]);
    sell(parts, 1);
    parts.keepSums();
    expect(saved()).toEqual([`${TODAY} open`]);
    parts.keepSums(CLOSES);
    expect(saved()).toEqual([`${TODAY} closed`]);
  });

  it("have the events of each day", ({ expect }) => {
    const parts = new AccountParts();
    const range = (day: string) => findEventRange(parts, parts.record, day);
    expect(range(TODAY)).toEqual({ first: 1, last: 0 });
    sell(parts, 2);
    parts.keepSums();
    sell(parts, 2);
    expect(range(TODAY)).toEqual({ first: 1, last: 4 });
    parts.recordAll(parts.entry("next", { completedAt: parts.now + DAY }));
    expect(range(TOMORROW)).toEqual({ first: 3, last: 5 });
    parts.keepSums();
    sell(parts, 1);
    parts.keepSums(parts.now + DAY);
    expect(range(TODAY)).toEqual({ first: 1, last: 6 });
    expect(range(TOMORROW)).toEqual({ first: 5, last: 7 });
    expect(range("2031-05-09")).toBeNull();
  });
});

describe("a day", () => {
  it("is due at its closing time", ({ expect }) => {
    const parts = new AccountParts();
    const isDue = (now: number) => parts.sums.isDue(parts.record, now);
    expect(isDue(parts.now)).toBe(true);
    parts.keepSums();
    expect(parts.record.closedDay).toBe("2031-05-09");
    expect(isDue(CLOSES - 1)).toBe(false);
    expect(isDue(CLOSES)).toBe(true);
  });

  it("is closed once, and the next one is due a day later", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.keepSums();
    expect(parts.sums.isDue(parts.record, CLOSES)).toBe(true);
    parts.keepSums(CLOSES);
    const before = parts.record;
    expect(parts.sums.startDue()).toBeNull();
    parts.keepSums(CLOSES);
    expect(parts.record).toEqual(before);
    expect(parts.sums.isDue(parts.record, CLOSES + DAY - 1)).toBe(false);
    expect(parts.sums.isDue(parts.record, CLOSES + DAY)).toBe(true);
  });

  it("needs an alarm only if something was recorded on it", ({ expect }) => {
    const parts = new AccountParts();
    parts.keepSums();
    expect(parts.sums.startDue()).toBeNull();
    sell(parts, 1);
    expect(parts.sums.startDue()).toBe(CLOSES);
    parts.change({ timezone: "UTC" });
    expect(parts.sums.startDue()).toBe(CLOSES + DAY / 3);
  });

  it("is closed with its totals, oldest first, while the next stays open", ({ expect }) => {
    const parts = new AccountParts();
    parts.keepSums();
    sell(parts, 2);
    parts.recordAll(parts.entry("next", { completedAt: parts.now + DAY }));
    parts.recordAll(parts.entry("later", { completedAt: parts.now + 2 * DAY }));
    parts.keepSums(CLOSES + DAY);
    const closings = [5, 6].map((number) => parts.events.find(number));
    expect(closings).toMatchObject([
      { type: "day.closed", data: { day: TODAY, closed: true, deviceId: null, pending: null } },
      { type: "day.closed", data: { day: TOMORROW, timezone: "Asia/Kuala_Lumpur" } },
    ]);
    expect(parts.events.newest).toBe(6);
    expect(closings[0]?.data).toEqual(shown(parts, TODAY));
    expect(parts.record).toMatchObject({ closedDay: TOMORROW, closesAt: CLOSES + 2 * DAY, countedEvent: 6 });
    expect(sumOf(parts, "2031-05-12")).toBe("1 12.50");
    parts.keepSums(CLOSES);
    expect(parts.record.closedDay).toBe(TOMORROW);
    expect(parts.events.newest).toBe(6);
  });

  it("keeps the zone under which it closed, however often that changes", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.keepSums(CLOSES);
    // The zone between closes no day.
    for (const timezone of ["Pacific/Auckland", "America/Los_Angeles", "America/Los_Angeles"])
      parts.change({ timezone });
    parts.keepSums(CLOSES + 2 * DAY);
    parts.change({ timezone: "UTC" });
    parts.keepSums(CLOSES + 4 * DAY);
    const seen = (day: string) => {
      const { closed, timezone, closesAt, data } = shown(parts, day);
      return [closed, timezone, closesAt, data.length];
    };
    expect(["2031-05-09", TODAY, TOMORROW, "2031-05-13"].map(seen)).toEqual([
      [true, "Asia/Kuala_Lumpur", "2031-05-10T00:15:00.000+08:00", 0],
      [true, "Asia/Kuala_Lumpur", "2031-05-11T00:15:00.000+08:00", 1],
      [true, "America/Los_Angeles", "2031-05-12T00:15:00.000-07:00", 0],
      [true, "UTC", "2031-05-14T00:15:00.000+00:00", 0],
    ]);
  });

  it("keeps its closing time if the zone's rules change afterwards", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, 1);
    parts.keepSums(CLOSES);
    // As if midnight had been half an hour later by the rules of that time.
    parts.sql.exec("UPDATE days SET mark = json_set(mark, '$.closesAt', (mark ->> 'closesAt') + 1800000)");
    expect(shown(parts, TODAY).closesAt).toBe("2031-05-11T00:45:00.000+08:00");
  });
});

describe("an object without an account", () => {
  it("needs no alarm to close a day", ({ expect }) => {
    const records = new AccountRecordStore(memoryStorage(ACCOUNT_MIGRATIONS));
    expect(new Sums({ ...new AccountParts(), records }).startDue()).toBeNull();
  });
});
