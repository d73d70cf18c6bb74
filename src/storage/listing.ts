/**
 * Lists that come in pages and can be filtered. Whatever the filters are, a page reads a bounded number of rows: an index
 * finds rows in the list's order, and those that it finds are judged one by one, up to a limit. So a page may be short,
 * even empty, and still have a next one.
 */
import { SCANNED_ROWS } from "./limits.ts";

type Value = string | number;

/** A part of a WHERE clause, with its values. */
export interface Condition {
  sql: string;
  values: Value[];
}

export interface Listing {
  columns: string;
  table: string;
  /** The order of the list, which an index gives, also together with `within`. */
  order: string;
  /** What the index can find. */
  within: Condition[];
  /** What each row that it has found is judged by. */
  filters: Condition[];
  /** Puts a SELECT around that of the page, for what other tables add to its rows. */
  around?: (page: string) => string;
}

export interface ListPage<Row> {
  rows: Row[];
  /** The last row that was judged, where the limit has ended the page before there were enough; else null. */
  judgedTo: Row | null;
}

/** At most `limit` rows of a list. */
export async function listPage<Row>(db: D1Database, listing: Listing, limit: number): Promise<ListPage<Row>> {
  const { columns, table, order, within, filters, around = (page: string) => page } = listing;
  const found = all(within);
  const ordered = `FROM ${table} WHERE ${found.sql} ORDER BY ${order}`;
  if (filters.length === 0) {
    const page = db.prepare(around(`SELECT ${columns} ${ordered} LIMIT ?`)).bind(...found.values, limit);
    return { rows: (await page.all<Row>()).results, judgedTo: null };
  }
  const judged = all(filters);
  const candidates = `SELECT * ${ordered} LIMIT ${SCANNED_ROWS}`;
  const page = `SELECT ${columns} FROM (${candidates}) WHERE ${judged.sql} ORDER BY ${order} LIMIT ?`;
  const { results } = await db
    .prepare(around(page))
    .bind(...found.values, ...judged.values, limit)
    .all<Row>();
  if (results.length === limit) return { rows: results, judgedTo: null };
  const last = `SELECT ${columns} ${ordered} LIMIT 1 OFFSET ${SCANNED_ROWS - 1}`;
  const judgedTo = await db
    .prepare(around(last))
    .bind(...found.values)
    .first<Row>();
  return { rows: results, judgedTo };
}

function all(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(" AND ") || "1",
    values: conditions.flatMap(({ values }) => values),
  };
}

/** A column has this value; no condition where none is wanted. */
export function equals(column: string, value: Value | undefined): Condition[] {
  return value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
}

/** A text begins like this, as an index can find it: in the same case. */
export function begins(column: string, beginning: string | undefined): Condition[] {
  if (beginning === undefined) return [];
  // No character comes after this one.
  return [{ sql: `${column} >= ? AND ${column} < ?`, values: [beginning, `${beginning}\u{10ffff}`] }];
}

/** A text for people begins like this, in any case of the letters a to z. */
export function beginsInAnyCase(column: string, beginning: string | undefined): Condition[] {
  if (beginning === undefined) return [];
  return [{ sql: `lower(substr(${column}, 1, length(?))) = lower(?)`, values: [beginning, beginning] }];
}

/** A column's value is beyond one side of this value. */
export function compares(column: string, operator: "<" | ">" | "<=" | ">=", value: Value | undefined): Condition[] {
  return value === undefined ? [] : [{ sql: `${column} ${operator} ?`, values: [value] }];
}
