/**
 * Updates D1 with an account's transactions: the tallies of its days, and fingerprints by which operators find
 * payments. One entry of the outbox names the event after which D1 lacks them. It waits for more transactions
 * (`statistics/limits.ts`), and the state is read when it is delivered.
 */
import { D1, type Outbox, type OutboxEntry } from "../durable/storage/outbox.ts";
import type { DatabaseChange } from "../durable/outbox-database.ts";
import { ACCOUNT_HOURS_LIFE, type CountedDay } from "../statistics/tally.ts";
import { packFingerprint } from "../d1/fingerprints.ts";
import { statisticsStatements, type StatisticsUpdate } from "../d1/statistics.ts";
import { MINUTE, type EpochMs } from "../../protocol/time/units.ts";
import { dayBefore, fold, hoursWith } from "./fold.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountTables } from "./storage/tables.ts";
import { TALLY_EVENTS } from "./sums.ts";
import { FINGERPRINTS_LIFE } from "../d1/clean-up.ts";

/**
 * D1 gets an account's hours this long after a transaction was recorded: what is recorded meanwhile goes with it, so a
 * busy account writes there once a minute.
 */
export const STATISTICS_DELAY = MINUTE;

/**
 * D1 has a transaction after this time, unless a delivery has failed: the transaction may also have to wait for another
 * delivery's end.
 */
export const STATISTICS_WITHIN = 3 * STATISTICS_DELAY;

export const STATISTICS = { target: D1, kind: "statistics" };

/** The newest event that D1 has, as far as it has confirmed. */
export function deliveredEvent({ outbox, events }: AccountTables): number {
  const waiting = outbox.find(STATISTICS);
  return waiting === null ? events.newest : afterOf(waiting);
}

/** D1 lacks every event after this one. */
function afterOf({ payload }: OutboxEntry): number {
  return Number(payload);
}

/**
 * Enqueues the statistics after a completion.
 *
 * @param number of its event
 */
export function enqueueStatistics(outbox: Outbox, number: number, now: EpochMs): void {
  // This is the lowest version: it changes nothing if an entry waits already.
  outbox.enqueue({ ...STATISTICS, payload: String(number - 1), version: 1, notBefore: now + STATISTICS_DELAY }, now);
}

/** Enqueues everything that was recorded since this time, which D1 may lack. */
export function enqueueStatisticsSince({ outbox, events }: AccountTables, since: number, now: EpochMs): void {
  const first = events.firstSince(since);
  if (first <= events.newest) enqueueAfter(outbox, first - 1, now, now);
}

/** Replaces an entry that waits. @param after the newest event that D1 has */
function enqueueAfter(outbox: Outbox, after: number, notBefore: number, now: EpochMs): void {
  const version = (outbox.find(STATISTICS)?.version ?? 0) + 1;
  outbox.enqueue({ ...STATISTICS, payload: String(after), version, notBefore }, now);
}

export function statisticsChange(
  database: D1Database,
  tables: AccountTables,
  entry: OutboxEntry,
  now: EpochMs,
): DatabaseChange {
  const { records, events, outbox } = tables;
  const { record } = records;
  if (record === null) return { statements: [] };
  const { upTo, ...update } = statisticsUpdate(tables, record, afterOf(entry), now);
  return {
    statements: statisticsStatements(database, record.posId, update),
    delivered: (after) => {
      // Meanwhile a resync may have asked for more.
      if (outbox.find(STATISTICS)?.version !== entry.version) return;
      // What was recorded meanwhile waits like any other; what did not fit does not.
      const isFull = upTo - afterOf(entry) >= TALLY_EVENTS;
      if (events.newest > upTo) enqueueAfter(outbox, upTo, isFull ? after : after + STATISTICS_DELAY, after);
    },
  };
}

/** Returns the changes by the events after this one, up to `upTo`. */
export function statisticsUpdate(
  { events, hours }: AccountTables,
  { countedEvent }: Pick<AccountRecord, "countedEvent">,
  after: number,
  now: EpochMs,
): StatisticsUpdate & { upTo: number } {
  const read = events.after(after, TALLY_EVENTS);
  const completed = [...fold(read).utcDays];
  const uncounted = fold(events.after(countedEvent)).utcDays;
  const within = (life: number) => completed.filter(([day]) => day >= dayBefore(now, life));
  return {
    upTo: read.at(-1)?.number ?? after,
    days: new Map(within(ACCOUNT_HOURS_LIFE).map(([day]) => [day, hoursWith(hours.find(day), uncounted.get(day))])),
    payments: new Map(
      within(FINGERPRINTS_LIFE).map(([day, ofDay]) => [
        day,
        ofDay.map(({ transaction, number, countedAt }) => packFingerprint(transaction, number, countedAt)),
      ]),
    ),
  };
}

/** Returns the account's days, both included, with the events that are not counted yet. */
export function countedDays(
  { events, hours }: AccountTables,
  { countedEvent }: Pick<AccountRecord, "countedEvent">,
  from: number,
  to: number,
): Map<number, CountedDay> {
  const days = hours.between(from, to);
  for (const [day, completed] of fold(events.after(countedEvent)).utcDays) {
    if (day >= from && day <= to) days.set(day, hoursWith(days.get(day) ?? { event: 0, hours: new Map() }, completed));
  }
  return days;
}
