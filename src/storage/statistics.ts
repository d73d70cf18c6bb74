/**
 * Counts and times of the whole service by hour and day, and counts of each account by hour.
 *
 * An account sends the current numbers of its own hours, and adds the numbers of its newest events to the service's. In
 * the same batch, D1 notes the last event that it has counted. A batch that arrives twice or late starts at another
 * event, and adds nothing. After a restore of D1, the noted event says where the account continues.
 */
import {
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
} from "../statistics/tally.ts";
import { OTHER_CODES, SERVICE_CODES } from "../statistics/limits.ts";

/** Hours and days are numbered since 1970, UTC. */
export interface StatisticsNews {
  /** The last event that D1 must have counted; otherwise the batch adds nothing to the service. */
  after: number;
  /** The last event that D1 has counted afterwards. */
  upTo: number;
  /** The sums of the events between these two, by hour. */
  hours: ReadonlyMap<number, Tally>;
  /** All sums of the account's days with these events. */
  days: ReadonlyMap<number, CountedDay>;
  /** The account's earlier days are deleted. */
  oldestDay: number;
}

const SEEN = "COALESCE((SELECT event FROM statistics_told WHERE pos_id = ?1), 0)";

/** The last statement answers up to which event D1 has counted: see `toldUpTo`. */
export function statisticsStatements(
  db: D1Database,
  posId: string,
  { after, upTo, hours, days, oldestDay }: StatisticsNews,
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
    db.prepare(added("hour")).bind(posId, after, textOf(hours)),
    db.prepare(added("day")).bind(posId, after, textOf(serviceDays)),
    db
      .prepare(
        `INSERT INTO statistics_told (pos_id, event) SELECT ?1, ?3 WHERE ${SEEN} = ?2
         ON CONFLICT (pos_id) DO UPDATE SET event = excluded.event`,
      )
      .bind(posId, after, upTo),
    db.prepare(`SELECT ${SEEN} AS event`).bind(posId),
  ];
}

/** The account's newest event that D1 has counted; null: D1 did not answer. */
export function toldUpTo(results: readonly D1Result[]): number | null {
  return (results.at(-1)?.results[0] as { event: number } | undefined)?.event ?? null;
}

/** ?3: an object of tallies by hour or day. */
function added(unit: "hour" | "day"): string {
  const table = `statistics_${unit}s`;
  return `INSERT INTO ${table} (${unit}, counts, times)
    SELECT CAST(key AS INTEGER), value ->> 'counts', value ->> 'times' FROM json_each(?3) WHERE ${SEEN} = ?2
    ON CONFLICT (${unit}) DO UPDATE SET
      counts = ${sums(`${table}.counts`, "excluded.counts", countedAs(`${table}.counts`))},
      times = ${sums(`${table}.times`, "excluded.times", "key")}`;
}

/** Merges two JSON objects of numbers. @param name under which the other's numbers count */
function sums(one: string, other: string, name: string): string {
  return `(SELECT json_group_object(name, number) FROM (SELECT name, SUM(value) AS number FROM (
      SELECT key AS name, value FROM json_each(${one}) UNION ALL SELECT ${name}, value FROM json_each(${other})
    ) GROUP BY name))`;
}

/** The key itself where there is room, otherwise with `OTHER_CODES` as the code (`keyOf` in statistics/tally.ts). */
function countedAs(counts: string): string {
  const second = "instr(substr(key, 4), ' ')";
  const third = `instr(substr(key, 4 + ${second}), ' ')`;
  return `CASE WHEN (SELECT COUNT(*) FROM json_each(${counts})) < ${SERVICE_CODES}
      OR key IN (SELECT known.key FROM json_each(${counts}) known)
    THEN key ELSE substr(key, 1, 3 + ${second} + ${third}) || '${OTHER_CODES}' END`;
}

function textOf(tallies: Iterable<readonly [number, Tally]>): string {
  const texts = [...tallies].map(([unit, { counts, times }]) => [
    unit,
    { counts: Object.fromEntries(counts), times: Object.fromEntries(times) },
  ]);
  return JSON.stringify(Object.fromEntries(texts));
}

export interface Summed {
  /** Since 1970, UTC; null: the sums of an account. */
  unit: number | null;
  posId: string | null;
  tally: Tally;
}

/** Hours or days since 1970, UTC, both included. */
export interface Period {
  from: number;
  to: number;
}

/** Hours or days without a transaction are missing. */
export async function ofService(db: D1Database, unit: "hour" | "day", { from, to }: Period): Promise<Summed[]> {
  const { results } = await db
    .prepare(`SELECT ${unit} AS unit, counts, times FROM statistics_${unit}s WHERE ${unit} BETWEEN ? AND ?`)
    .bind(from, to)
    .all<{ unit: number; counts: string; times: string }>();
  return results.map(({ unit: at, counts, times }) => ({
    unit: at,
    posId: null,
    tally: { counts: numbersIn(counts), times: numbersIn(times) },
  }));
}

function numbersIn(text: string): Map<string, number> {
  return new Map(Object.entries(JSON.parse(text) as Record<string, number>));
}

/** Hours without a transaction are missing. */
export async function ofAccount(db: D1Database, posId: string, { from, to }: Period): Promise<Summed[]> {
  const { results } = await db
    .prepare("SELECT day, hours FROM account_hours WHERE pos_id = ? AND day BETWEEN ? AND ?")
    .bind(posId, dayOf(from), dayOf(to))
    .all<{ day: number; hours: string }>();
  const days = results.map(({ day, hours }): [number, CountedHours] => [day, fromText(hours)]);
  return hoursOf(posId, days, { from, to });
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
): Promise<{ groups: Summed[]; next: string | null }> {
  const told = await db
    .prepare("SELECT pos_id AS posId FROM statistics_told WHERE pos_id > ? ORDER BY pos_id LIMIT ?")
    .bind(after, limit + 1)
    .all<{ posId: string }>();
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
  const groups = new Map<string, Tally>();
  for (const { posId, kind, count } of results) {
    tallyAt(groups, posId).counts.set(kind, count);
  }
  return {
    groups: [...groups].map(([posId, tally]) => ({ unit: null, posId, tally })),
    next: told.results.length > limit ? last : null,
  };
}
