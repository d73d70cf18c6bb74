/**
 * Counters of the whole service that only grow, for monitoring systems. What transfers add up to comes from the accounts'
 * tallies (`statistics.ts`). Connections are counted in the terminals' rows and conflicting results in the pending payments,
 * both by triggers, and refusals by the Worker (`http/middleware/count-refusals.ts`).
 */
import { boundedTally, sumTallies, type Tally } from "../statistics/tally.ts";
import { DAY, HOUR, type EpochMs } from "../../protocol/time/units.ts";

export const LOGIN_CALLERS = ["account", "terminal", "operator"] as const;
type LoginCaller = (typeof LOGIN_CALLERS)[number];

export const LIMITED_CALLS = ["transfer", "session", "terminal", "operator", "other"] as const;
export type LimitedCall = (typeof LIMITED_CALLS)[number];

/** The key of a counter's row. The migration's triggers write `conflict`. */
export type CounterName = "conflict" | `login ${LoginCaller}` | `limited ${LimitedCall}`;

export type Counters = ReadonlyMap<CounterName, number>;

/** Adds to counters, which begin at 0. */
export async function addToCounters(db: D1Database, counts: Counters): Promise<void> {
  await db
    .prepare(
      `INSERT INTO counters (name, value) SELECT key, value FROM json_each(?) WHERE TRUE
       ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value`,
    )
    .bind(JSON.stringify(Object.fromEntries(counts)))
    .run();
}

/** What is counted since the service began. `transfers` has a bounded number of keys. */
export interface ServiceCounters {
  transfers: Tally;
  counters: Counters;
}

/** Reads the hours of a few days, not more: the older ones are added up already. */
export async function readCounters(db: D1Database): Promise<ServiceCounters> {
  // One transaction: no hour counts twice, and none is missing.
  const [totals, hours, counters] = await db.batch([
    db.prepare(TOTALS),
    sumsOfHours(db, Number.MAX_SAFE_INTEGER),
    db.prepare("SELECT name AS key, value AS number FROM counters"),
  ]);
  return { transfers: addedUp(totalsIn(totals)?.tally ?? "{}", hours), counters: numbersIn<CounterName>(counters) };
}

/**
 * Hours that ended so long ago are added up. What an account delivers later than this is in the statistics, and not in the
 * counters.
 */
const ADDED_UP_AFTER = 3 * DAY;

/** Adds the hours that ended long ago to the totals. Run it before old hours are deleted. */
export async function addUpHours(db: D1Database, now: EpochMs): Promise<void> {
  const until = Math.floor((now - ADDED_UP_AFTER) / HOUR);
  const [totals, hours] = await db.batch([db.prepare(TOTALS), sumsOfHours(db, until)]);
  const row = totalsIn(totals);
  if (row === undefined || row.hour >= until) return;
  const tally = JSON.stringify(Object.fromEntries(addedUp(row.tally, hours)));
  // Two that run at once add the same hours, and one of them changes nothing.
  await db
    .prepare("UPDATE statistics_totals SET hour = ?, tally = ? WHERE hour = ?")
    .bind(until, tally, row.hour)
    .run();
}

const TOTALS = "SELECT hour, tally FROM statistics_totals";

function totalsIn(result: D1Result | undefined): { hour: number; tally: string } | undefined {
  return result?.results[0] as { hour: number; tally: string } | undefined;
}

/** The sums by key of the hours that are not in the totals, before an hour (since 1970, UTC). */
function sumsOfHours(db: D1Database, until: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT key, SUM(value) AS number FROM statistics_hours, json_each(tally)
       WHERE hour >= (SELECT hour FROM statistics_totals) AND hour < ? GROUP BY key`,
    )
    .bind(until);
}

/** @param hours the result of `sumsOfHours` */
function addedUp(totals: string, hours: D1Result | undefined): Tally {
  return sumTallies([
    new Map(Object.entries(JSON.parse(totals) as Record<string, number>)),
    boundedTally(numbersIn(hours)),
  ]);
}

function numbersIn<Key extends string>(result: D1Result | undefined): Map<Key, number> {
  const rows = (result?.results ?? []) as { key: Key; number: number }[];
  return new Map(rows.map(({ key, number }) => [key, number]));
}
