/**
 * The daily care of statistics: days are added up from their hours, hours go after 35 days, days after 400. A day is added up
 * again for as long as late hours may still come, and once more when its hours go, in the same batch: stopped anywhere, it
 * can be done again.
 */
import { DAYS_LIFE, HOURS_LIFE } from "../statistics/limits.ts";
import { DAY, HOUR } from "../time/units.ts";
import { CLEAN_UP_ROWS, CLEAN_UP_STATEMENTS } from "./limits.ts";
import { rolledUpDay } from "./statistics.ts";

/** Hours of a day that ended longer ago are rarely changed: they are added up again when they go. */
const ADDED_UP_AGAIN = 3;

/** Accounts whose hours of a day one batch adds up. */
const ACCOUNTS_AT_ONCE = 200;

const HOURS = DAY / HOUR;

/** @param now epoch milliseconds */
export async function rollUpStatistics(db: D1Database, now: number): Promise<void> {
  const today = Math.floor(now / DAY);
  const oldest = Math.floor((now - HOURS_LIFE) / DAY);
  const { results } = await db
    // D1 takes a bound number as a real one, whose division leaves no whole number.
    .prepare(`SELECT DISTINCT hour / ${HOURS} AS day FROM statistics_hours WHERE hour < ? ORDER BY day`)
    .bind(oldest * HOURS)
    .all<{ day: number }>();
  for (const { day } of results) await rollUp(db, day, "and delete its hours");
  const rolledUp = await rolledUpDay(db);
  const first = Math.max(oldest, Math.min(rolledUp + 1, today - ADDED_UP_AGAIN));
  for (let day = first; day < today; day++) await rollUp(db, day, "and keep its hours");
  await db
    .prepare("UPDATE statistics_progress SET day = MAX(day, ?)")
    .bind(today - 1)
    .run();
  const old = db
    .prepare(
      `DELETE FROM statistics_days WHERE (day, pos_id) IN
         (SELECT day, pos_id FROM statistics_days WHERE day < ? LIMIT ${CLEAN_UP_ROWS})`,
    )
    .bind(Math.floor((now - DAYS_LIFE) / DAY));
  for (let count = 0; count < CLEAN_UP_STATEMENTS; count++) {
    if ((await old.run()).meta.changes < CLEAN_UP_ROWS) return;
  }
}

async function rollUp(db: D1Database, day: number, how: "and delete its hours" | "and keep its hours"): Promise<void> {
  const [from, to] = [day * HOURS, (day + 1) * HOURS - 1];
  for (let after = ""; ;) {
    const { results } = await db
      .prepare(
        "SELECT DISTINCT pos_id AS posId FROM statistics_hours WHERE hour BETWEEN ? AND ? AND pos_id > ? ORDER BY 1 LIMIT ?",
      )
      .bind(from, to, after, ACCOUNTS_AT_ONCE)
      .all<{ posId: string }>();
    const last = results.at(-1)?.posId;
    if (last === undefined) return;
    const added = db
      .prepare(
        `INSERT OR REPLACE INTO statistics_days (day, pos_id, event, counts, times)
         SELECT ?1, a.pos_id, a.event, ${sumOf("counts")}, ${sumOf("times")}
         FROM (SELECT pos_id, MAX(event) AS event FROM statistics_hours
               WHERE hour BETWEEN ?2 AND ?3 AND pos_id > ?4 AND pos_id <= ?5 GROUP BY pos_id) a`,
      )
      .bind(day, from, to, after, last);
    const deleted = db
      .prepare("DELETE FROM statistics_hours WHERE hour BETWEEN ? AND ? AND pos_id > ? AND pos_id <= ?")
      .bind(from, to, after, last);
    await db.batch(how === "and delete its hours" ? [added, deleted] : [added]);
    after = last;
  }
}

/** The sums of a day's hours by key, of the account of the row around it. */
function sumOf(member: "counts" | "times"): string {
  return `(SELECT json_group_object(name, number) FROM (
    WITH RECURSIVE units(n) AS (SELECT ?2 UNION ALL SELECT n + 1 FROM units WHERE n < ?3)
    SELECT j.key AS name, SUM(j.value) AS number
    FROM units CROSS JOIN statistics_hours h ON h.hour = units.n AND h.pos_id = a.pos_id, json_each(h.${member}) j
    GROUP BY j.key))`;
}
