/**
 * Lists with pages and filters. With any filters, a page reads a bounded number of rows: an index finds rows in the list's
 * order, and each is checked by the filters, up to a limit. So a page may be short, even empty, and still have a next one.
 */
import type { Filters, FilterValue, FilterValues } from "../protocol/operator-filters.ts";
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
  /** Where the page begins; undefined: with the first row. */
  after?: Condition | undefined;
  /** The conditions that the index can find. */
  within: Condition[];
  /** The conditions that each found row is checked by. */
  filters: Condition[];
  /** Wraps a SELECT around the page's, to join data of other tables. */
  around?: (page: string) => string;
}

export interface ListPage<Row> {
  rows: Row[];
  /** The last checked row, if the limit ended the page early; otherwise null. */
  judgedTo: Row | null;
}

/** At most `limit` rows of a list. */
export async function listPage<Row>(db: D1Database, listing: Listing, limit: number): Promise<ListPage<Row>> {
  const { columns, table, order, after, within, filters, around = (page: string) => page } = listing;
  const found = all(after === undefined ? within : [after, ...within]);
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

/** How the rows of a filter's value are found. */
type Found<Given> = (value: Given) => Condition;

/** The condition of each filter of a list. */
export type Conditions<Of extends Filters> = { [Name in keyof Of]: Found<FilterValue<Of[Name]>> };

/**
 * The conditions of the given filters.
 *
 * @param indexed the filters whose rows an index finds in the list's order; every other row is checked
 */
export function conditionsOf<Of extends Filters>(
  conditions: Conditions<Of>,
  given: FilterValues<Of>,
  indexed: readonly (keyof Of)[],
): Pick<Listing, "within" | "filters"> {
  const names = (Object.keys(conditions) as (keyof Of)[]).filter((name) => given[name] !== undefined);
  const conditionOf = (name: keyof Of) => conditions[name](given[name] as FilterValue<Of[typeof name]>);
  return {
    within: names.filter((name) => indexed.includes(name)).map(conditionOf),
    filters: names.filter((name) => !indexed.includes(name)).map(conditionOf),
  };
}

/** A column has this value. */
export function equals(column: string): Found<Value | boolean> {
  return (value) => ({ sql: `${column} = ?`, values: [typeof value === "boolean" ? Number(value) : value] });
}

/** A text starts with this, case-sensitive, so that an index can find it. */
export function begins(column: string): Found<string> {
  // No character sorts after this one.
  return (beginning) => ({
    sql: `${column} >= ? AND ${column} < ?`,
    values: [beginning, `${beginning}\u{10ffff}`],
  });
}

/** A text for people starts with this, ignoring the case of the letters a to z. */
export function beginsInAnyCase(column: string): Found<string> {
  return (beginning) => ({
    sql: `lower(substr(${column}, 1, length(?))) = lower(?)`,
    values: [beginning, beginning],
  });
}

/** Compares a column with this value. */
export function compares(column: string, operator: "<" | ">" | "<=" | ">="): Found<Value> {
  return (value) => ({ sql: `${column} ${operator} ?`, values: [value] });
}
