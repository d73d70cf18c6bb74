/**
 * Counts and times of the whole service by hour and day, and counts of each account by hour.
 *
 * An account sends the current numbers of its own hours, adds the numbers of its newest events to the service's, and
 * appends the fingerprints of the payments that these completed. In the same batch, D1 notes the last event that it has
 * counted. A batch that arrives twice or late starts at another event, and adds nothing. After a restore of D1, the noted
 * event says where the account continues.
 */
import {
  AMOUNT,
  type CountedDay,
  type CountedHours,
  dayOf,
  fromText,
  HOURS_A_DAY,
  talliesOf,
  toText,
  sumOf,
  type Tally,
  tallyAt,
  TOLD,
  toldBucket,
} from "../statistics/tally.ts";
import { HOUR } from "../time/units.ts";
import { FINGERPRINTS_SIZE, SCANNED_ROWS } from "./limits.ts";
import { MAY_LACK, OTHER_CODES, SEND_EVERY, SERVICE_CODES } from "../statistics/limits.ts";

/** Hours and days are numbered since 1970, UTC. */
export interface StatisticsNews {
  /** The last event that D1 must have counted; otherwise the batch adds nothing to the service. */
  after: number;
  /** The last event that D1 has counted afterwards. */
  upTo: number;
  /** Everything that was recorded before is counted afterwards, epoch milliseconds. */
  toldAt: number;
  /** The sums of the events between these two, by hour. */
  hours: ReadonlyMap<number, Tally>;
  /** All sums of the account's days with these events. */
  days: ReadonlyMap<number, CountedDay>;
  /** Fingerprints of the payments between these two, by day, in hexadecimal digits. */
  payments: ReadonlyMap<number, string>;
  /** The account's earlier days are deleted. */
  oldestDay: number;
}

const SEEN = "COALESCE((SELECT event FROM statistics_told WHERE pos_id = ?1), 0)";

/** The last statement answers up to which event D1 has counted: see `toldUpTo`. */
export function statisticsStatements(
  db: D1Database,
  posId: string,
  { after, upTo, toldAt, hours, days, payments, oldestDay }: StatisticsNews,
): D1PreparedStatement[] {
  const serviceDays = [...Map.groupBy(hours, ([hour]) => dayOf(hour))].map(
    ([day, ofDay]) => [day, sumOf(ofDay.map(([, tally]) => tally))] as const,
  );
  const texts = [...days].map(([day, { event, hours: counted }]) => [day, { event, hours: toText(counted) }] as const);
  return [
    db
      .prepare(
        `INSERT INTO account_hours (pos_id, day, event, hours)
         SELECT ?1, CAST(key AS INTEGER), value ->> 'event', value ->> 'hours' FROM json_each(?2) WHERE TRUE
         ON CONFLICT (pos_id, day) DO UPDATE SET event = excluded.event, hours = excluded.hours
         WHERE excluded.event > account_hours.event`,
      )
      .bind(posId, JSON.stringify(Object.fromEntries(texts))),
    db.prepare("DELETE FROM account_hours WHERE pos_id = ? AND day < ?").bind(posId, oldestDay),
    db.prepare(added("hour")).bind(posId, after, textOf(hours, toldAt)),
    db.prepare(added("day")).bind(posId, after, textOf(serviceDays)),
    db
      .prepare(
        `INSERT INTO fingerprints (day, pos_id, payments)
         SELECT CAST(key AS INTEGER), ?1, unhex(value) FROM json_each(?3) WHERE ${SEEN} = ?2
         ON CONFLICT (day, pos_id) DO UPDATE SET payments = CAST(fingerprints.payments || excluded.payments AS BLOB)
         WHERE length(fingerprints.payments) < ${FINGERPRINTS_SIZE}`,
      )
      .bind(posId, after, JSON.stringify(Object.fromEntries(payments))),
    db
      .prepare(
        `INSERT INTO statistics_told (pos_id, event, told_at) SELECT ?1, ?3, ?4 WHERE ${SEEN} = ?2
         ON CONFLICT (pos_id) DO UPDATE SET event = excluded.event, told_at = excluded.told_at`,
      )
      .bind(posId, after, upTo, toldAt),
    db.prepare(`SELECT ${SEEN} AS event`).bind(posId),
  ];
}

/** The account's newest event that D1 has counted; null: D1 did not answer. */
export function toldUpTo(results: readonly D1Result[]): number | null {
  return (results.at(-1)?.results[0] as { event: number } | undefined)?.event ?? null;
}

/** ?3: an object of tallies by hour or day; one of the hours has the time bucket of this telling. */
function added(unit: "hour" | "day"): string {
  const table = `statistics_${unit}s`;
  const times = unit === "hour" ? `json_patch(value ->> 'times', ${LEFT})` : "value ->> 'times'";
  return `INSERT INTO ${table} (${unit}, counts, times)
    SELECT CAST(key AS INTEGER), value ->> 'counts', ${times}
    FROM json_each(?3) WHERE ${SEEN} = ?2
    ON CONFLICT (${unit}) DO UPDATE SET
      counts = ${sums(`${table}.counts`, "excluded.counts", countedAs(`${table}.counts`))},
      times = ${sums(`${table}.times`, "excluded.times", "key")}`;
}

/** The account leaves the time bucket of its last telling, unless that is too old to matter. */
const LEFT = `COALESCE((
    SELECT json_object('${TOLD} ' || (told_at / ${SEND_EVERY}), IIF(told_at / ${SEND_EVERY} = value ->> 'told', 0, -1))
    FROM statistics_told WHERE pos_id = ?1 AND told_at / ${SEND_EVERY} > value ->> 'told' - ${(2 * MAY_LACK) / SEND_EVERY}
  ), '{}')`;

/** Merges two JSON objects of numbers. @param name under which the other's numbers count */
function sums(one: string, other: string, name: string): string {
  return `(SELECT json_group_object(name, number) FROM (SELECT name, SUM(value) AS number FROM (
      SELECT key AS name, value FROM json_each(${one}) UNION ALL SELECT ${name}, value FROM json_each(${other})
    ) GROUP BY name))`;
}

/**
 * The key itself where there is room, otherwise with `OTHER_CODES` as the code (`keyOf` in statistics/tally.ts). A
 * turnover keeps its key.
 */
function countedAs(counts: string): string {
  const second = "instr(substr(key, 4), ' ')";
  const third = `instr(substr(key, 4 + ${second}), ' ')`;
  // The text's length says enough: counting its keys would read each of them.
  return `CASE WHEN length(${counts}) < ${SERVICE_CODES * 30}
      OR key LIKE '${AMOUNT}%' OR key IN (SELECT known.key FROM json_each(${counts}) known)
    THEN key ELSE substr(key, 1, 3 + ${second} + ${third}) || '${OTHER_CODES}' END`;
}

/** @param toldAt noted in the newest hour, in any case in one of the last day: that is where it is looked for */
function textOf(tallies: Iterable<readonly [number, Tally]>, toldAt: number | null = null): string {
  const texts = new Map<number, { counts?: object; times?: object; told?: number }>();
  for (const [unit, { counts, times }] of tallies) {
    texts.set(unit, { counts: Object.fromEntries(counts), times: Object.fromEntries(times) });
  }
  if (toldAt !== null) {
    const hour = Math.max(...texts.keys(), Math.floor(toldAt / HOUR) - HOURS_A_DAY);
    const { counts = {}, times = {} } = texts.get(hour) ?? {};
    const told = toldBucket(toldAt);
    texts.set(hour, { counts, times: { ...times, [`${TOLD} ${told}`]: 1 }, told });
  }
  return JSON.stringify(Object.fromEntries(texts));
}

export interface Summed {
  /** An hour, or the first of a day, since 1970, UTC; null: the sums of an account. */
  unit: number | null;
  posId: string | null;
  tally: Tally;
}

/** Hours or days since 1970, UTC, both included. */
export interface Period {
  from: number;
  to: number;
}

/** Hours or days without a transaction are missing. A day comes as its first hour. */
export async function ofService(db: D1Database, unit: "hour" | "day", { from, to }: Period): Promise<Summed[]> {
  const { results } = await db
    .prepare(`SELECT ${unit} AS unit, counts, times FROM statistics_${unit}s WHERE ${unit} BETWEEN ? AND ?`)
    .bind(from, to)
    .all<{ unit: number; counts: string; times: string }>();
  return results.map(({ unit: at, counts, times }) => ({
    unit: unit === "day" ? at * HOURS_A_DAY : at,
    posId: null,
    tally: { counts: numbersIn(counts), times: numbersIn(times) },
  }));
}

/** The whole service's current hour and the 24 before, by hour. Hours without a transaction are missing. */
export async function lastDayOfService(db: D1Database, present: number): Promise<Map<number, Tally>> {
  const hours = await ofService(db, "hour", { from: present - HOURS_A_DAY, to: present });
  return new Map(hours.map(({ unit, tally }) => [unit ?? present, tally]));
}

function numbersIn(text: string): Map<string, number> {
  return new Map(Object.entries(JSON.parse(text) as Record<string, number>));
}

/** One account, or the accounts of a merchant's shop. */
export interface Whose {
  posId?: string | undefined;
  shop?: string | undefined;
}

/**
 * Hours without a transaction are missing.
 *
 * @returns with the times of these accounts' last tellings, epoch milliseconds; null: these are more days of accounts
 *   than one answer may read
 */
export async function ofAccounts(
  db: D1Database,
  { posId, shop }: Whose,
  { from, to }: Period,
): Promise<{ hours: Summed[]; toldAt: number[] } | null> {
  const accounts = posId === undefined ? "IN (SELECT pos_id FROM accounts WHERE merchant_id = ?1)" : "= ?1";
  const { results } = await db
    .prepare(
      `SELECT pos_id AS posId, day, hours, COALESCE(told_at, 0) AS toldAt
       FROM account_hours LEFT JOIN statistics_told USING (pos_id)
       WHERE pos_id ${accounts} AND day BETWEEN ?2 AND ?3 LIMIT ${SCANNED_ROWS + 1}`,
    )
    .bind(posId ?? shop, dayOf(from), dayOf(to))
    .all<{ posId: string; day: number; hours: string; toldAt: number }>();
  if (results.length > SCANNED_ROWS) return null;
  const hours = results.flatMap((row) => hoursOf(row.posId, [[row.day, fromText(row.hours)]], { from, to }));
  return { hours, toldAt: results.map(({ toldAt }) => toldAt) };
}

export function hoursOf(
  posId: string,
  days: Iterable<readonly [number, CountedHours]>,
  { from, to }: Period,
): Summed[] {
  return [...days]
    .flatMap(([day, hours]) => talliesOf(day, hours))
    .filter(({ unit }) => unit >= from && unit <= to)
    .map((hour) => ({ ...hour, posId }));
}

/**
 * The sums of the next accounts, in the order of their posIds; accounts without a transaction in these hours are
 * missing. Reads at most `limit` accounts.
 */
export async function byAccount(
  db: D1Database,
  { from, to }: Period,
  after: string,
  limit: number,
): Promise<{ groups: (Summed & { toldAt: number })[]; next: string | null }> {
  const told = await db
    .prepare("SELECT pos_id AS posId, told_at AS toldAt FROM statistics_told WHERE pos_id > ? ORDER BY pos_id LIMIT ?")
    .bind(after, limit + 1)
    .all<{ posId: string; toldAt: number }>();
  const last = told.results.slice(0, limit).at(-1)?.posId;
  if (last === undefined) return { groups: [], next: null };
  const { results } = await db
    .prepare(
      `SELECT d.pos_id AS posId, k.key AS kind, SUM(h.value) AS count
       FROM account_hours d, json_each(d.hours) k, json_each(k.value) h
       WHERE d.pos_id > ?1 AND d.pos_id <= ?2 AND d.day BETWEEN ?3 AND ?4
         AND d.day * ${HOURS_A_DAY} + CAST(h.key AS INTEGER) BETWEEN ?5 AND ?6
       GROUP BY 1, 2 ORDER BY 1`,
    )
    .bind(after, last, dayOf(from), dayOf(to), from, to)
    .all<{ posId: string; kind: string; count: number }>();
  const toldAt = new Map(told.results.map((row) => [row.posId, row.toldAt]));
  const groups = new Map<string, Tally>();
  for (const { posId, kind, count } of results) {
    tallyAt(groups, posId).counts.set(kind, count);
  }
  return {
    groups: [...groups].map(([posId, tally]) => ({ unit: null, posId, tally, toldAt: toldAt.get(posId) ?? 0 })),
    next: told.results.length > limit ? last : null,
  };
}
