/** Statistics in D1: hours as accounts' objects have counted them, and the days that they add up to. Sums are D1's. */
import { emptyTally, type Tally } from "../statistics/tally.ts";

/** Hours and days are numbered since 1970, UTC. */
export interface HourNote {
  hour: number;
  /** The newest event of the account that is counted in it. */
  event: number;
  tally: Tally;
}

/** The statements that tell D1. A note only overwrites an older one, so one that comes late or twice does no harm. */
export function hourStatements(db: D1Database, posId: string, hours: readonly HourNote[]): D1PreparedStatement[] {
  return hours.map(({ hour, event, tally: { counts, times } }) =>
    db
      .prepare(
        `INSERT INTO statistics_hours (hour, pos_id, event, counts, times) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (hour, pos_id) DO UPDATE SET event = excluded.event, counts = excluded.counts,
             times = excluded.times
           WHERE excluded.event > statistics_hours.event`,
      )
      .bind(hour, posId, event, textOf(counts), textOf(times)),
  );
}

function textOf(numbers: ReadonlyMap<string, number>): string {
  return JSON.stringify(Object.fromEntries(numbers));
}

/** What is added up together. */
export type Grouping = "unit" | "account" | "all";

export interface Summed {
  /** The hour or the day; null unless grouped by `unit`. */
  unit: number | null;
  posId: string | null;
  tally: Tally;
}

/** What is summed: hours or days from one to another, both included. */
export interface SumQuestion {
  table: "hours" | "days";
  from: number;
  to: number;
  /** One account; else all. */
  posId: string | undefined;
  grouping: Grouping;
  /** Grouped by account: those after this one, and at most so many. */
  after?: string;
  limit?: number;
}

const UNITS = { hours: { table: "statistics_hours", unit: "hour" }, days: { table: "statistics_days", unit: "day" } };

/** Sums; groups without a transaction are missing. Of one account each unit is one row read, else every account's. */
export async function sum(db: D1Database, question: SumQuestion): Promise<Summed[]> {
  const { from, to, posId, grouping } = question;
  const { table, unit } = UNITS[question.table];
  const key = { unit: `s.${unit}`, account: "s.pos_id", all: "NULL" }[grouping];
  // The key of the table begins with the time: an account's rows are found one by one.
  const units = "WITH RECURSIVE units(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM units WHERE n < ?2)";
  const accounts =
    grouping === "account"
      ? `, accounts_shown(pos_id) AS
          (SELECT DISTINCT pos_id FROM ${table} WHERE ${unit} BETWEEN ?1 AND ?2 AND pos_id > ?4 ORDER BY pos_id LIMIT ?5)`
      : "";
  const source =
    posId !== undefined
      ? `units CROSS JOIN ${table} s ON s.${unit} = units.n AND s.pos_id = ?3`
      : grouping === "account"
        ? `accounts_shown CROSS JOIN units CROSS JOIN ${table} s ON s.${unit} = units.n AND s.pos_id = accounts_shown.pos_id`
        : `${table} s`;
  const condition = `s.${unit} BETWEEN ?1 AND ?2 AND (?3 IS NULL OR s.pos_id = ?3) AND ?4 IS NOT NULL AND ?5 IS NOT NULL`;
  const part = (member: "counts" | "times") =>
    `SELECT ${key} AS grouped, '${member}' AS member, j.key AS name, SUM(j.value) AS number
     FROM ${source}, json_each(s.${member}) j WHERE ${condition} GROUP BY 1, 3`;
  const { results } = await db
    .prepare(`${units}${accounts} ${part("counts")} UNION ALL ${part("times")}`)
    .bind(from, to, posId ?? null, question.after ?? "", question.limit ?? -1)
    .all<{ grouped: number | string | null; member: "counts" | "times"; name: string; number: number }>();
  const groups = new Map<number | string | null, Tally>();
  for (const { grouped, member, name, number } of results) {
    const tally = groups.get(grouped) ?? emptyTally();
    groups.set(grouped, tally);
    tally[member].set(name, number);
  }
  return [...groups].map(([grouped, tally]) => ({
    unit: typeof grouped === "number" ? grouped : null,
    posId: typeof grouped === "string" ? grouped : null,
    tally,
  }));
}

/** The newest day whose hours are added up; 0: none is. */
export async function rolledUpDay(db: D1Database): Promise<number> {
  return (await db.prepare("SELECT day FROM statistics_progress").first<number>("day")) ?? 0;
}
