/** What of an account's transactions D1 gets, and when. */
import { describe, it } from "vitest";
import {
  countedDays,
  deliveredEvent,
  enqueueStatisticsSince,
  statisticsChange,
  statisticsUpdate,
  STATISTICS_DELAY,
} from "../../../../src/gateway/account/statistics.ts";
import { D1, type OutboxEntry } from "../../../../src/gateway/durable/storage/outbox.ts";
import {
  type CountedDay,
  parseOutcomeKey,
  sumTallies,
  STATISTICS_LIFE,
  ACCOUNT_HOURS_LIFE,
} from "../../../../src/gateway/statistics/tally.ts";
import { AccountParts } from "./parts.ts";
import { type EntryChanges, OPEN } from "../../../support/gateway/account/samples.ts";
import { TALLY_EVENTS } from "../../../../src/gateway/account/sums.ts";
import { RECORDED_WITHIN } from "../../../../src/gateway/account/fold.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let references = 0;

function complete(parts: AccountParts, times = 1, changes: EntryChanges = {}): void {
  for (let sold = 0; sold < times; sold++) parts.recordAll(parts.entry(`R-${references++}`, changes));
}

function waiting(parts: AccountParts): OutboxEntry | null {
  return parts.outbox.find({ target: D1, kind: "statistics" });
}

function updateOf(parts: AccountParts, after = 0) {
  return statisticsUpdate(parts, parts.record, after, parts.now);
}

/** `hour count`, in their order. */
function hoursIn(days: ReadonlyMap<number, CountedDay>): string[] {
  return [...days].flatMap(([day, { hours }]) =>
    [...hours].map(([hour, tally]) => {
      const counts = [...tally].map(([key, number]) => (parseOutcomeKey(key) === null ? 0 : number));
      return `${day * 24 + hour} ${counts.reduce((sum, number) => sum + number, 0)}`;
    }),
  );
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR);
}

describe("statistics for D1", () => {
  it("wait one minute after a completion, not longer for a second one", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, 1, OPEN);
    expect(waiting(parts)).toBeNull();
    complete(parts);
    const due = parts.now + STATISTICS_DELAY;
    expect(waiting(parts)).toMatchObject({ payload: "1", nextAt: due });
    parts.now += STATISTICS_DELAY / 2;
    complete(parts);
    expect(waiting(parts)).toMatchObject({ payload: "1", nextAt: due });
  });

  it("name the first event that D1 lacks", ({ expect }) => {
    const parts = new AccountParts();
    expect(deliveredEvent(parts)).toBe(0);
    complete(parts, 2);
    expect(deliveredEvent(parts)).toBe(0);
    parts.outbox.remove({ target: D1, kind: "statistics" });
    expect(deliveredEvent(parts)).toBe(2);
  });

  it("start again if a resync comes during a delivery", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, 2);
    parts.outbox.remove({ target: D1, kind: "statistics" });
    complete(parts);
    const database = { prepare: () => ({ bind: () => ({}) }) } as unknown as D1Database;
    const onItsWay = waiting(parts) as OutboxEntry;
    const change = statisticsChange(database, parts, onItsWay, parts.now);
    enqueueStatisticsSince(parts, 0, parts.now);
    complete(parts);
    change.delivered?.(parts.now);
    expect(onItsWay.payload).toBe("2");
    expect(waiting(parts)).toMatchObject({ payload: "0" });
  });

  it("are all of the account's days that new events belong to", ({ expect }) => {
    const parts = new AccountParts();
    const first = hourOf(parts.now);
    complete(parts, 2);
    parts.now += HOUR;
    complete(parts, 3);
    const all = [`${first} 2`, `${first + 1} 3`];
    expect(hoursIn(updateOf(parts).days)).toEqual(all);
    parts.keepSums();
    expect(hoursIn(updateOf(parts).days)).toEqual(all);
    expect(hoursIn(updateOf(parts, 5).days)).toEqual([]);
    complete(parts);
    expect(hoursIn(updateOf(parts, 5).days)).toEqual([`${first} 2`, `${first + 1} 4`]);
    parts.now += DAY;
    complete(parts);
    expect(hoursIn(updateOf(parts, 6).days)).toEqual([`${first + 25} 1`]);
  });

  it("have the fingerprints of the new events only", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, 3);
    expect([...updateOf(parts, 1).payments.values()].map(({ length }) => length)).toEqual([2]);
  });

  it("come in portions of events", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, TALLY_EVENTS + 1);
    expect(updateOf(parts).upTo).toBe(TALLY_EVENTS);
    expect(updateOf(parts, TALLY_EVENTS).upTo).toBe(TALLY_EVENTS + 1);
  });

  it("have no day that D1 may have deleted", ({ expect }) => {
    const parts = new AccountParts();
    parts.now = Math.floor(parts.now / DAY) * DAY;
    complete(parts);
    const sold = [`${hourOf(parts.now)} 1`];
    parts.now += ACCOUNT_HOURS_LIFE;
    expect(hoursIn(updateOf(parts).days)).toEqual(sold);
    parts.now += DAY;
    expect(hoursIn(updateOf(parts).days)).toEqual([]);
  });

  it("name each transaction's kind, and how long its parts took", ({ expect }) => {
    const parts = new AccountParts();
    complete(parts, 1, { times: { gateway: 7, customer: 70_000 } });
    complete(parts, 1, { transaction: { statusCode: "11", responseCode: "51", completedBy: "gateway" } });
    const { days } = updateOf(parts);
    expect([...days.values()].map(({ event }) => event)).toEqual([2]);
    expect([...sumTallies([...days.values()].flatMap(({ hours }) => [...hours.values()]))]).toEqual([
      ["00 terminal sale 00", 1],
      ["amount MYR", 1_250],
      ["gateway 10", 1],
      ["gateway sum", 7],
      ["customer Infinity", 1],
      ["customer sum", 70_000],
      ["11 gateway sale 51", 1],
    ]);
  });
});

describe("the hour in which a transaction counts", () => {
  it.for([
    ["in which it completed", -30 * MINUTE, -30 * MINUTE],
    ["in which it completed, if it is recorded just in time", -RECORDED_WITHIN, -RECORDED_WITHIN],
    ["of its recording, if that comes later", -RECORDED_WITHIN - 1, 0],
    ["of its recording, if that seems to come before it", 2 * HOUR, 0],
  ] as const)("is that %s", ([, completed, counted], { expect }) => {
    const parts = new AccountParts();
    complete(parts, 1, { completedAt: parts.now + completed });
    expect(hoursIn(updateOf(parts).days)).toEqual([`${hourOf(parts.now + counted)} 1`]);
  });
});

describe("an account's own days", () => {
  it("are found with what is not stored in them yet", ({ expect }) => {
    const parts = new AccountParts();
    const day = Math.floor(parts.now / DAY);
    complete(parts, 2);
    parts.keepSums();
    complete(parts);
    parts.now += DAY;
    complete(parts);
    const found = (from: number, to: number) => hoursIn(countedDays(parts, parts.record, from, to));
    const [first, second] = [`${hourOf(parts.now) - 24} 3`, `${hourOf(parts.now)} 1`];
    expect([found(day, day), found(day + 1, day + 1)]).toEqual([[first], [second]]);
    expect([found(day - 9, day + 9), found(day - 9, day - 1)]).toEqual([[first, second], []]);
  });

  it("are kept for 400 days", ({ expect }) => {
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
