/** What an account's hours add up to, and when D1 must know. */
import { describe, it } from "vitest";
import { TALLY_EVENTS } from "../../src/account/limits.ts";
import { Statistics } from "../../src/account/statistics.ts";
import { AccountRecordStore } from "../../src/account/storage/record.ts";
import { MIGRATIONS } from "../../src/account/storage/schema.ts";
import { ACCOUNT_HOURS_LIFE, BUSY_EVENTS, RECORDED_WITHIN, STATISTICS_LIFE } from "../../src/statistics/limits.ts";
import { type CountedHours, kindOf, talliesOf, sumOf, turnoversIn } from "../../src/statistics/tally.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { AccountParts } from "./parts.ts";
import { type EntryChanges, OPEN } from "./samples.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let references = 0;

function complete(parts: AccountParts, times = 1, changes: EntryChanges = {}): void {
  for (let sold = 0; sold < times; sold++) parts.recordAll(parts.entry(`R-${references++}`, changes));
}

/** What is added to the service's hours: `hour count`, in their order. */
function newsOf(parts: AccountParts): string[] {
  return [...parts.statistics.news(parts.now).hours].map(([hour, { counts }]) => `${hour} ${total(counts)}`);
}

/** The hours of the account that D1 gets, likewise. */
function ownNewsOf(parts: AccountParts): string[] {
  return [...parts.statistics.news(parts.now).days].flatMap(([day, { hours }]) => inDay(day, hours));
}

function inDay(day: number, hours: CountedHours): string[] {
  return talliesOf(day, hours).map(({ unit, tally }) => `${unit} ${total(tally.counts)}`);
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts].reduce((sum, [key, count]) => sum + (kindOf(key) === null ? 0 : count), 0);
}

/** D1 is told now. */
function tell({ statistics, now }: AccountParts): void {
  const { upTo } = statistics.news(now);
  statistics.told(upTo, upTo, now);
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR);
}

describe("an object without an account", () => {
  it("has nothing to tell", ({ expect }) => {
    const { events, hours } = new AccountParts();
    const records = new AccountRecordStore(memoryStorage(MIGRATIONS));
    const statistics = new Statistics({ records, events, hours });
    expect(statistics.waiting(0)).toBeNull();
    expect(statistics.news(0)).toMatchObject({ after: 0, upTo: 0, hours: new Map(), days: new Map() });
    expect([...statistics.days(0, 1)]).toEqual([]);
  });
});

describe("D1 must get", () => {
  it("nothing as long as nothing was completed", ({ expect }) => {
    const parts = new AccountParts();
    expect(parts.statistics.waiting(parts.now)).toBeNull();
    complete(parts, 1, OPEN);
    expect(parts.statistics.waiting(parts.now)).toBeNull();
    expect(newsOf(parts)).toEqual([]);
  });

  it("at once three times, and then every hour: by an alarm an hour later", ({ expect }) => {
    const parts = new AccountParts();
    const { now } = parts;
    complete(parts);
    expect(parts.statistics.waiting(now)).toEqual({ notBefore: 0, wakeAt: HOUR });
    for (const notBefore of [now - HOUR, now, now + HOUR]) {
      tell(parts);
      expect(parts.statistics.waiting(now)).toBeNull();
      complete(parts);
      expect(parts.statistics.waiting(now)).toEqual({ notBefore, wakeAt: notBefore + HOUR });
    }
  });

  it("again as often after some hours, and never more than three times at once", ({ expect }) => {
    const parts = new AccountParts();
    for (let times = 0; times < 3; times++) tell(parts);
    expect(parts.record.toldNext).toBe(parts.now + HOUR);
    parts.now += 100 * HOUR;
    tell(parts);
    expect(parts.record).toMatchObject({ toldAt: parts.now, toldNext: parts.now - HOUR });
  });

  it("every five minutes of a busy account, unless an hour has passed before", ({ expect }) => {
    const parts = new AccountParts();
    const { now } = parts;
    complete(parts);
    for (let times = 0; times < 3; times++) tell(parts);
    complete(parts, BUSY_EVENTS - 1);
    expect(parts.statistics.waiting(now)).toEqual({ notBefore: now + HOUR, wakeAt: now + 2 * HOUR });
    complete(parts);
    expect(parts.statistics.waiting(now)).toEqual({ notBefore: now + 5 * MINUTE, wakeAt: now + 10 * MINUTE });
    parts.records.update({ toldNext: now + MINUTE });
    expect(parts.statistics.waiting(now)).toEqual({ notBefore: now + MINUTE, wakeAt: now + 10 * MINUTE });
    parts.records.update({ toldNext: now - 58 * MINUTE });
    expect(parts.statistics.waiting(now)).toEqual({ notBefore: now - 58 * MINUTE, wakeAt: now + 2 * MINUTE });
  });

  it("everything at once of a deleted account", ({ expect }) => {
    const parts = new AccountParts();
    for (let times = 0; times < 3; times++) tell(parts);
    complete(parts);
    expect(parts.statistics.waiting(parts.now)?.notBefore).toBeGreaterThan(parts.now);
    parts.records.update({ status: "deleted" });
    expect(parts.statistics.waiting(parts.now)).toEqual({ notBefore: parts.now, wakeAt: parts.now });
  });

  it("at once if the clock was set back", ({ expect }) => {
    const parts = new AccountParts();
    const { now } = parts;
    complete(parts);
    parts.records.update({ toldAt: now, toldNext: now + HOUR });
    expect(parts.statistics.waiting(now)).toEqual({ notBefore: now + HOUR, wakeAt: now + 2 * HOUR });
    expect(parts.statistics.waiting(now - 1)).toEqual({ notBefore: now - 1, wakeAt: now - 1 });
  });

  it("of each completion once, however often it is asked", ({ expect }) => {
    const parts = new AccountParts();
    const { now } = parts;
    for (let times = 0; times < 3; times++) tell(parts);
    const quiet = { notBefore: now + HOUR, wakeAt: now + 2 * HOUR };
    for (let completed = 1; completed < BUSY_EVENTS; completed++) {
      complete(parts);
      complete(parts, 1, OPEN);
      for (let asked = 0; asked < 2; asked++) expect(parts.statistics.waiting(now)).toEqual(quiet);
    }
    complete(parts);
    expect(parts.statistics.waiting(now)?.notBefore).toBe(now + 5 * MINUTE);
    tell(parts);
    complete(parts, BUSY_EVENTS - 1);
    expect(parts.statistics.waiting(now)?.notBefore).toBeGreaterThan(now + 5 * MINUTE);
  });
});

describe("the news for D1", () => {
  it("are what new events add up to, and all of the account's days that these belong to", ({ expect }) => {
    const parts = new AccountParts();
    const first = hourOf(parts.now);
    complete(parts, 2);
    parts.now += HOUR;
    complete(parts, 3);
    const all = [`${first} 2`, `${first + 1} 3`];
    expect([newsOf(parts), ownNewsOf(parts)]).toEqual([all, all]);
    parts.keepSums();
    expect([newsOf(parts), ownNewsOf(parts)]).toEqual([all, all]);
    tell(parts);
    expect([newsOf(parts), ownNewsOf(parts)]).toEqual([[], []]);
    complete(parts);
    expect([newsOf(parts), ownNewsOf(parts)]).toEqual([[`${first + 1} 1`], [`${first} 2`, `${first + 1} 4`]]);
    parts.keepSums();
    complete(parts);
    expect([newsOf(parts), ownNewsOf(parts)]).toEqual([[`${first + 1} 2`], [`${first} 2`, `${first + 1} 5`]]);
    parts.now += DAY;
    tell(parts);
    complete(parts);
    expect(ownNewsOf(parts)).toEqual([`${first + 25} 1`]);
  });

  it("count a payment once: not again when it is voided, and nothing when a day is closed", ({ expect }) => {
    const parts = new AccountParts();
    const sale = parts.entry("sale");
    parts.recordAll(sale);
    const { requestId, transaction } = sale;
    const { referenceId } = transaction;
    parts.recordAll(parts.entry("void", { voids: { requestId, referenceId }, transaction: { transType: "void" } }));
    parts.keepSums(parts.now + DAY);
    const types = parts.events.after(0, 10).map(({ event }) => event.type);
    expect(types).toEqual(["transaction.completed", "transaction.completed", "transaction.updated", "day.closed"]);
    expect(newsOf(parts)).toEqual([`${hourOf(parts.now)} 2`]);
    expect(turnoversIn(sumOf([...parts.statistics.news(parts.now).hours.values()]))).toEqual([["MYR", 0]]);
  });

  it("are not repeated if D1 got them before they were kept", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts);
    tell(parts);
    parts.now += HOUR;
    complete(parts);
    expect(newsOf(parts)).toEqual([`${hourOf(parts.now)} 1`]);
  });

  it("come in portions of events, and none is left out or repeated in between", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, TALLY_EVENTS + 1);
    const hour = hourOf(parts.now);
    const recorded = parts.now;
    parts.now += MINUTE;
    expect(newsOf(parts)).toEqual([`${hour} ${TALLY_EVENTS}`]);
    // What is recorded at the same time, or later, may be missing.
    expect(parts.statistics.news(parts.now).toldAt).toBe(recorded);
    tell(parts);
    expect(parts.statistics.news(parts.now).toldAt).toBe(parts.now);
    expect([newsOf(parts), parts.record.toldEvent]).toEqual([[`${hour} 1`], TALLY_EVENTS]);
    expect(parts.statistics.waiting(parts.now)).not.toBeNull();
    tell(parts);
    expect([newsOf(parts), parts.record.toldEvent]).toEqual([[], TALLY_EVENTS + 1]);
  });

  it("continue at once where D1 is, if that is not where it was last", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, 5);
    const before = parts.record;
    parts.statistics.told(5, 3, parts.now);
    expect(parts.record).toEqual({ ...before, toldEvent: 3 });
    expect(parts.statistics.waiting(parts.now)?.notBefore).toBeLessThanOrEqual(parts.now);
    expect(parts.statistics.news(parts.now)).toMatchObject({ after: 3, upTo: 5 });
    expect(newsOf(parts)).toEqual([`${hourOf(parts.now)} 2`]);
    // A database that has more than there is has all.
    parts.statistics.told(5, 9, parts.now);
    expect(parts.statistics.news(parts.now)).toMatchObject({ after: 9, upTo: 9, hours: new Map() });
    expect(parts.statistics.waiting(parts.now)).toBeNull();
  });

  it("have no hour that D1 may have deleted", ({ expect }) => {
    const parts = new AccountParts();
    parts.now = Math.floor(parts.now / DAY) * DAY;
    complete(parts);
    const { now } = parts;
    const sold = [`${hourOf(now)} 1`];
    parts.now = now + ACCOUNT_HOURS_LIFE;
    expect([newsOf(parts), ownNewsOf(parts)]).toEqual([sold, sold]);
    expect(parts.statistics.news(parts.now).oldestDay).toBe(now / DAY);
    parts.now += DAY;
    expect([newsOf(parts), ownNewsOf(parts)]).toEqual([sold, []]);
    parts.now = now + STATISTICS_LIFE;
    expect(newsOf(parts)).toEqual(sold);
    parts.now += DAY;
    expect(newsOf(parts)).toEqual([]);
  });

  it("say of each transaction what it was and how long its parts took", ({ expect }) => {
    const parts = new AccountParts();
    parts.now += 3_000;
    complete(parts, 1, { completedAt: parts.now - 3_000, times: { gateway: 7, customer: 9_000 } });
    complete(parts, 1, { transaction: { statusCode: "11", responseCode: "51", completedBy: "gateway" } });
    const { hours, days } = parts.statistics.news(parts.now);
    const counted = sumOf([...hours.values()]);
    expect([...days.values()].map(({ event }) => event)).toEqual([2]);
    expect([...counted.counts]).toEqual([
      ["00 terminal sale 00", 1],
      ["amount MYR", 1_250],
      ["11 gateway sale 51", 1],
    ]);
    const measured = [...counted.times.keys()].map((key) => key.split(" ")[0]);
    expect(measured).toEqual(["gateway", "customer", "recording", "recording"]);
  });
});

/** How long the parts took of a transaction that completes so much later than it is recorded. */
function timesOf(later: number): string[] {
  const parts = new AccountParts();
  complete(parts, 1, { completedAt: parts.now + later });
  return [...sumOf([...parts.statistics.news(parts.now).hours.values()]).times.keys()];
}

describe("a transaction counts in the hour", () => {
  it.for([
    ["in which it completed", -30 * MINUTE, -30 * MINUTE],
    ["in which it completed, if it is recorded just in time", -RECORDED_WITHIN, -RECORDED_WITHIN],
    ["of its recording, if that comes later", -RECORDED_WITHIN - 1, 0],
    ["of its recording, if that seems to come before it", 2 * HOUR, 0],
  ] as const)("%s", ([, completed, counted], { expect }) => {
    const parts = new AccountParts();
    complete(parts, 1, { completedAt: parts.now + completed });
    expect(newsOf(parts)).toEqual([`${hourOf(parts.now + counted)} 1`]);
  });

  it("with no time for its recording, if that seems to come before it", ({ expect }) => {
    expect(timesOf(2 * HOUR)).toEqual(timesOf(0));
    expect(timesOf(-2_000)).not.toEqual(timesOf(0));
  });
});

describe("what was counted", () => {
  it("is not counted again", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, 3);
    parts.keepSums();
    expect(parts.record.countedEvent).toBe(3);
    parts.keepSums();
    complete(parts);
    parts.keepSums();
    const day = Math.floor(parts.now / DAY);
    expect(inDay(day, parts.hours.find(day).hours)).toEqual([`${hourOf(parts.now)} 4`]);
  });

  it("is found by days, with what is not kept yet", ({ expect }) => {
    const parts = new AccountParts();
    const day = Math.floor(parts.now / DAY);
    complete(parts, 2);
    parts.keepSums();
    complete(parts);
    parts.now += DAY;
    complete(parts);
    const found = (from: number, to: number) =>
      [...parts.statistics.days(from, to)].flatMap(([one, { hours }]) => inDay(one, hours));
    const [first, second] = [`${hourOf(parts.now) - 24} 3`, `${hourOf(parts.now)} 1`];
    expect([found(day, day), found(day + 1, day + 1)]).toEqual([[first], [second]]);
    expect([found(day - 9, day + 9), found(day - 9, day - 1)]).toEqual([[first, second], []]);
  });

  it("is kept for 400 days", ({ expect }) => {
    const parts = new AccountParts();
    const now = Date.parse("2031-05-10T23:30:00Z");
    parts.now = now;
    complete(parts);
    parts.keepSums();
    const counted = () => parts.hours.find(Math.floor(now / DAY)).event;
    parts.now = now + STATISTICS_LIFE;
    complete(parts);
    parts.keepSums();
    expect(counted()).toBe(1);
    parts.now += DAY;
    complete(parts);
    parts.keepSums();
    expect(counted()).toBe(0);
  });
});
