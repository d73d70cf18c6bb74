/**
 * What transactions add up to by account and by hour of the whole service, and the fingerprints of payments.
 *
 * An account sends the tallies of its days as they are now. D1 adds to the service's hours by how much they differ from
 * those that it has of the account, in the batch that replaces them. So a batch that arrives twice adds nothing, one that
 * arrives late neither, and after a restore of D1 the same batch brings everything up to date.
 */
import {
  TURNOVER_KEY,
  type CountedDay,
  toUtcDay,
  HOURS_A_DAY,
  hoursFromText,
  hoursToText,
  type Tally,
  tallyAt,
} from "../statistics/tally.ts";
import { FINGERPRINT_BYTES, FINGERPRINTS_SIZE } from "./fingerprints.ts";
import { OTHER_CODES } from "../../protocol/statistics.ts";
import { SCANNED_ROWS } from "./listing.ts";

/** An hour of the whole service has at most this many codes, and fewer if they are long. */
const SERVICE_CODES = 500;

/** Hours and days are numbered since 1970, UTC. */
export interface StatisticsUpdate {
  /** All tallies of the account's days that have changed. */
  days: ReadonlyMap<number, CountedDay>;
  /** Fingerprints of payments by day, in hexadecimal digits. D1 adds those that it lacks. */
  payments: ReadonlyMap<number, readonly string[]>;
}

export function statisticsStatements(
  db: D1Database,
  posId: string,
  { days, payments }: StatisticsUpdate,
): D1PreparedStatement[] {
  const texts = JSON.stringify(
    Object.fromEntries([...days].map(([day, { event, hours }]) => [day, { event, hours: hoursToText(hours) }])),
  );
  return [
    db.prepare(ADD_DIFFERENCES).bind(posId, texts),
    db
      .prepare(
        `INSERT INTO account_hours (pos_id, day, event, hours) SELECT ?1, day, event, hours FROM (${SENT}) WHERE TRUE
         ON CONFLICT (pos_id, day) DO UPDATE SET event = excluded.event, hours = excluded.hours
         WHERE excluded.event > account_hours.event`,
      )
      .bind(posId, texts),
    db
      .prepare(
        `INSERT INTO fingerprints (day, pos_id, payments)
         SELECT CAST(key AS INTEGER), ?1, unhex(value) FROM json_each(?2) WHERE TRUE
         ON CONFLICT (day, pos_id) DO UPDATE SET payments = CASE
             WHEN ${FIRST_EVENT} > ${LAST_EVENT}
             THEN CAST(fingerprints.payments || excluded.payments AS BLOB)
             ELSE ${MERGED} END
         WHERE length(fingerprints.payments) < ${FINGERPRINTS_SIZE} AND instr(fingerprints.payments, excluded.payments) = 0`,
      )
      .bind(posId, JSON.stringify(Object.fromEntries([...payments].map(([day, ofDay]) => [day, ofDay.join("")])))),
  ];
}

/**
 * A row has its fingerprints in the order of their events, so what is newer is appended, and what a resync sends again is
 * found as one piece. Only where a restored D1 has a gap are both taken apart and merged.
 */
const FIRST_EVENT = eventAt("excluded.payments", 1);
const LAST_EVENT = eventAt("fingerprints.payments", -FINGERPRINT_BYTES);
const MERGED = `(
  WITH RECURSIVE places (place) AS (
    SELECT 1 UNION ALL SELECT place + ${FINGERPRINT_BYTES} FROM places
    WHERE place + ${FINGERPRINT_BYTES} < MAX(length(fingerprints.payments), length(excluded.payments))
  ), pieces (piece) AS (
    SELECT substr(fingerprints.payments, place, ${FINGERPRINT_BYTES}) FROM places
    UNION SELECT substr(excluded.payments, place, ${FINGERPRINT_BYTES}) FROM places
  )
  SELECT unhex(group_concat(hex(piece), '')) FROM (SELECT piece FROM pieces ORDER BY ${eventAt("piece", 1)}))`;

/** @param place of the fingerprint, from 1, or negative from the end (`fingerprints.ts`) */
function eventAt(payments: string, place: number): string {
  return `substr(${payments}, ${place + 8}, 4)`;
}

/** ?2: days by number, each with its newest event and the text of its hours. */
const SENT =
  "SELECT CAST(key AS INTEGER) AS day, value ->> 'event' AS event, value ->> 'hours' AS hours FROM json_each(?2)";

/** By how much the numbers that D1 gets for ?1's days exceed those that it has, by hour and key. */
const DIFFERENCES = `
  WITH changed AS (
    SELECT sent.day, sent.hours AS new, COALESCE(stored.hours, '{}') AS old
    FROM (${SENT}) sent LEFT JOIN account_hours stored ON stored.pos_id = ?1 AND stored.day = sent.day
    WHERE sent.event > COALESCE(stored.event, 0)
  ), numbers AS (
    SELECT day, hours.key AS hour, tally.key AS name, tally.value AS number
    FROM changed, json_each(new) hours, json_each(hours.value) tally
    UNION ALL
    SELECT day, hours.key, tally.key, -tally.value FROM changed, json_each(old) hours, json_each(hours.value) tally
  )
  SELECT day * ${HOURS_A_DAY} + CAST(hour AS INTEGER) AS hour, name, SUM(number) AS number FROM numbers
  GROUP BY 1, 2 HAVING SUM(number) <> 0`;

const ADD_DIFFERENCES = `
  INSERT INTO statistics_hours (hour, tally)
  SELECT hour, json_group_object(name, number) FROM (${DIFFERENCES}) GROUP BY hour
  ON CONFLICT (hour) DO UPDATE SET tally = (
    SELECT json_group_object(name, number) FROM (SELECT name, SUM(value) AS number FROM (
      SELECT key AS name, value FROM json_each(statistics_hours.tally)
      UNION ALL SELECT ${countedAs("statistics_hours.tally")}, value FROM json_each(excluded.tally)
    ) GROUP BY name))`;

/**
 * The key itself where there is room, otherwise with `OTHER_CODES` as the code (`keyOf` in statistics/tally.ts). A
 * turnover keeps its key, and so does a time, which has no third part.
 */
function countedAs(tally: string): string {
  const second = "instr(substr(key, 4), ' ')";
  const third = `instr(substr(key, 4 + ${second}), ' ')`;
  // The text's length says enough: counting its keys would read each of them.
  return `CASE WHEN length(${tally}) < ${SERVICE_CODES * 30}
      OR key LIKE '${TURNOVER_KEY}%' OR ${third} = 0 OR key IN (SELECT known.key FROM json_each(${tally}) known)
    THEN key ELSE substr(key, 1, 3 + ${second} + ${third}) || '${OTHER_CODES}' END`;
}

export interface Summed {
  /** An hour, or the first of a day, since 1970, UTC; null: the sums of an account, or of a whole time. */
  unit: number | null;
  posId: string | null;
  tally: Tally;
}

/** Hours since 1970, UTC, both included. */
export interface Period {
  from: number;
  to: number;
}

/** Hours or days without a transaction are missing. A day comes as its first hour. */
export async function readServiceHours(
  db: D1Database,
  unit: "hour" | "day" | "whole",
  { from, to }: Period,
): Promise<Summed[]> {
  const units = { hour: "hour", day: `hour / ${HOURS_A_DAY} * ${HOURS_A_DAY}`, whole: "NULL" };
  const { results } = await db
    .prepare(
      `SELECT ${units[unit]} AS unit, key, SUM(value) AS number FROM statistics_hours, json_each(tally)
       WHERE hour BETWEEN ? AND ? GROUP BY 1, 2`,
    )
    .bind(from, to)
    .all<{ unit: number | null; key: string; number: number }>();
  const tallies = new Map<number | null, Tally>();
  for (const { unit: at, key, number } of results) tallyAt(tallies, at).set(key, number);
  return [...tallies].map(([at, tally]) => ({ unit: at, posId: null, tally }));
}

/** Reads the whole service's current hour and those before, `count` in all. Hours without a transaction are missing. */
export async function lastHoursOfService(db: D1Database, present: number, count: number): Promise<Map<number, Tally>> {
  const hours = await readServiceHours(db, "hour", { from: present - count + 1, to: present });
  return new Map(hours.map(({ unit, tally }) => [unit ?? present, tally]));
}

/** One account, or the accounts of a merchant's shop. */
export interface Whose {
  posId?: string | undefined;
  shop?: string | undefined;
}

/** Hours without a transaction are missing. Returns `too-many` if these are more days than one answer may read. */
export async function readAccountHours(
  db: D1Database,
  { posId, shop }: Whose,
  { from, to }: Period,
): Promise<Summed[] | "too-many"> {
  const accounts = posId === undefined ? "IN (SELECT pos_id FROM accounts WHERE merchant_id = ?1)" : "= ?1";
  const { results } = await db
    .prepare(
      `SELECT pos_id AS posId, day, hours FROM account_hours
       WHERE pos_id ${accounts} AND day BETWEEN ?2 AND ?3 LIMIT ${SCANNED_ROWS + 1}`,
    )
    .bind(posId ?? shop, toUtcDay(from), toUtcDay(to))
    .all<{ posId: string; day: number; hours: string }>();
  if (results.length > SCANNED_ROWS) return "too-many";
  return results.flatMap((row) => pickHours(row.posId, [[row.day, hoursFromText(row.hours)]], { from, to }));
}

export function pickHours(
  posId: string,
  days: Iterable<readonly [number, CountedDay["hours"]]>,
  { from, to }: Period,
): Summed[] {
  return [...days]
    .flatMap(([day, hours]) => [...hours].map(([hour, tally]) => ({ unit: day * HOURS_A_DAY + hour, posId, tally })))
    .filter(({ unit }) => unit >= from && unit <= to);
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
): Promise<{ groups: Summed[]; next: string | null }> {
  // With the index on days, SQLite would read every account of these days.
  const accounts = await db
    .prepare(
      `SELECT DISTINCT pos_id AS posId FROM account_hours
       WHERE pos_id > ? AND +day BETWEEN ? AND ? ORDER BY pos_id LIMIT ?`,
    )
    .bind(after, toUtcDay(from), toUtcDay(to), limit + 1)
    .all<{ posId: string }>();
  const last = accounts.results.slice(0, limit).at(-1)?.posId;
  if (last === undefined) return { groups: [], next: null };
  const { results } = await db
    .prepare(
      `SELECT d.pos_id AS posId, t.key AS name, SUM(t.value) AS number
       FROM account_hours d, json_each(d.hours) h, json_each(h.value) t
       WHERE d.pos_id > ?1 AND d.pos_id <= ?2 AND d.day BETWEEN ?3 AND ?4
         AND d.day * ${HOURS_A_DAY} + CAST(h.key AS INTEGER) BETWEEN ?5 AND ?6
       GROUP BY 1, 2 ORDER BY 1`,
    )
    .bind(after, last, toUtcDay(from), toUtcDay(to), from, to)
    .all<{ posId: string; name: string; number: number }>();
  const groups = new Map<string, Tally>();
  for (const { posId, name, number } of results) tallyAt(groups, posId).set(name, number);
  return {
    groups: [...groups].map(([posId, tally]) => ({ unit: null, posId, tally })),
    next: accounts.results.length > limit ? last : null,
  };
}
