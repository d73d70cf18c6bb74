/**
 * A page reads a bounded number of rows, whatever the filters: an index finds rows in the list's order, and the filters
 * check each, up to a limit. So a page may be short, even empty, and still have a next one.
 */
import type { Filters, FilterValue, FilterValues } from "../../protocol/operator-filters.ts";

/**
 * A page of a filtered list checks at most this many rows: a fleet of this size fits on one page, and no filter keeps
 * D1 busy for long.
 */
export const SCANNED_ROWS = 1_000;

type Value = string | number;

/** One part of a WHERE clause. */
interface Condition {
  sql: string;
  values: Value[];
}

export interface Listing {
  columns: string;
  table: string;
  /** An index gives this order, together with `within`. */
  order: string;
  /** If it is undefined, the page starts with the first row. */
  after?: Condition | undefined;
  /** An index can find these. */
  within: Condition[];
  /** These check each found row. */
  filters: Condition[];
  /** Wraps a SELECT around the page's, to join other tables. */
  around?: (page: string) => string;
}

export interface RowPage<Row> {
  rows: Row[];
  /** The last checked row, if the limit ended the page early; otherwise null. */
  judgedTo: Row | null;
}

export async function listPage<Row>(db: D1Database, listing: Listing, limit: number): Promise<RowPage<Row>> {
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

type Found<Given> = (value: Given) => Condition;

type Conditions<Of extends Filters> = { [Name in keyof Of]: Found<FilterValue<Of[Name]>> };

/** Answers with a page of a list: the rows that fit all filters, from `after` on. */
type Lister<Row, Of extends Filters, After> = (
  db: D1Database,
  given: FilterValues<Of>,
  after: After,
  limit: number,
) => Promise<RowPage<Row>>;

interface List<Of extends Filters, After> extends Omit<Listing, "after" | "within" | "filters"> {
  after: (after: After) => Condition | undefined;
  conditions: Conditions<Of>;
  /** Filters whose rows an index finds in the list's order; every other filter checks the found rows. */
  indexed: (given: FilterValues<Of>) => readonly (keyof Of)[];
  /** The condition that each of its rows meets. */
  always?: Condition[];
}

export function lister<Row, Of extends Filters, After>(list: List<Of, After>): Lister<Row, Of, After> {
  const { after: afterOf, conditions, indexed, always = [], ...listing } = list;
  return (db, given, after, limit) => {
    const { within, filters } = buildConditions(conditions, given, indexed(given));
    return listPage(db, { ...listing, after: afterOf(after), within: [...within, ...always], filters }, limit);
  };
}

function buildConditions<Of extends Filters>(
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

export function equals(column: string): Found<Value | boolean> {
  return (value) => ({ sql: `${column} = ?`, values: [typeof value === "boolean" ? Number(value) : value] });
}

/** The comparison is case-sensitive, so that an index can find it. */
export function begins(column: string): Found<string> {
  // No character sorts after this one.
  return (beginning) => ({
    sql: `${column} >= ? AND ${column} < ?`,
    values: [beginning, `${beginning}\u{10ffff}`],
  });
}

/** Ignores the case of the letters a to z. */
export function startsWithIgnoreCase(column: string): Found<string> {
  return (beginning) => ({
    sql: `lower(substr(${column}, 1, length(?))) = lower(?)`,
    values: [beginning, beginning],
  });
}

export function compares(column: string, operator: "<" | ">" | "<=" | ">="): Found<Value> {
  return (value) => ({ sql: `${column} ${operator} ?`, values: [value] });
}
