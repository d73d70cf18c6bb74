/** Lists as CSV (RFC 4180): a header, CRLF, and nothing that a spreadsheet takes for a formula. */
import type { RequestContext } from "./context.ts";
import { prefers } from "./accept.ts";

const CSV = "text/csv";

/** What a spreadsheet may take for a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /(?:^|[;\t\r\n])\s*[=+\-@＝＋－＠]|^[\t\r]/u;
/** Cells that another separator would split, or that begin with a space, are read as one only in quotes. */
const QUOTED = /^\s|[",;\t\r\n]/u;

type Cell = string | number | boolean | null;

export function wantsCsv(c: RequestContext): boolean {
  return prefers(CSV, c.req.header("Accept"));
}

/** @param columns the header, and the order of each row's cells */
export function csvOf<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

/** @param next the `cursor` of the next page; null: there is none */
export function csvAnswer(c: RequestContext, text: string, next: string | null = null): Response {
  const headers = new Headers({ "Content-Type": `${CSV}; charset=utf-8; header=present` });
  if (next !== null) {
    const { pathname, searchParams } = new URL(c.req.url);
    searchParams.set("cursor", next);
    headers.set("Link", `<${pathname}?${searchParams.toString()}>; rel="next"`);
  }
  return new Response(text, { headers });
}

function cellOf(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
