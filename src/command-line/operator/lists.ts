import { CommandError, describe } from "./client.ts";
import type { Operator } from "./client.ts";

export type Row = Record<string, unknown>;

/** Filters by their names in the query; undefined: not filtered. */
export type Query = Record<string, string | undefined>;

/** The rows of a list from all of its pages, at most `most`. A page may be empty and still have a next one. */
export async function rowsOf(operator: Operator, path: string, query: Query, most: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ;) {
    const answer = await operator.call("GET", `${path}?${queryOf({ ...query, cursor })}`);
    if (answer.status !== 200)
      throw new CommandError(`GET /operator${path}: ${describe(answer)}${detailsOf(answer.body)}`);
    const { data, next } = answer.body as { data: Row[]; next: string | null };
    rows.push(...data);
    if (next === null || rows.length >= most) return rows.slice(0, most);
    cursor = next;
  }
}

/** One answer; null if it does not exist. */
export async function oneOf(operator: Operator, path: string): Promise<Row | null> {
  const answer = await operator.call("GET", path);
  if (answer.status === 404) return null;
  if (answer.status !== 200)
    throw new CommandError(`GET /operator${path}: ${describe(answer)}${detailsOf(answer.body)}`);
  return answer.body;
}

/** One answer that must exist. */
export async function must(operator: Operator, path: string): Promise<Row> {
  const answer = await operator.call("GET", path);
  if (answer.status !== 200)
    throw new CommandError(`GET /operator${path}: ${describe(answer)}${detailsOf(answer.body)}`);
  return answer.body;
}

/** The problems of a request, a line for each field, and where the error is explained. */
export function detailsOf(body: Row): string {
  const details = (body["details"] ?? []) as { path: string; message: string }[];
  const lines = details.map(({ path, message }) => `${path}: ${message}`);
  return [...lines, ...(typeof body["doc"] === "string" ? [`see ${body["doc"]}`] : [])]
    .map((line) => `\n  ${line}`)
    .join("");
}

function queryOf(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}
