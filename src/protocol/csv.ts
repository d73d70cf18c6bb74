/** Lists as CSV (RFC 4180): a header, CRLF, and nothing that a spreadsheet takes for a formula. */
import { TRANSACTION_MEMBERS } from "./events.ts";
import { TIMES } from "./statistics.ts";

/** What a spreadsheet may take for a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /(?:^|[;\t\r\n])\s*[=+\-@＝＋－＠]|^[\t\r]/u;
/** In quotes, because another separator would split these cells, or a reader would drop their leading space. */
const QUOTED = /^\s|[",;\t\r\n]/u;

/** @param columns the header: members of a row, or of its members, such as `voidedBy.requestId` */
export function csvOf(columns: readonly string[], rows: readonly object[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => valueAt(row, column)))];
  return lines.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

type Cell = string | number | boolean | object | null | undefined;

function valueAt(row: object, column: string): Cell {
  return column
    .split(".")
    .reduce<Cell>((value, name) => (value as Record<string, Cell> | null | undefined)?.[name], row);
}

/** A cell with several values is JSON. */
function cellOf(cell: Cell): string {
  const text = typeof cell === "object" && cell !== null ? JSON.stringify(cell) : String(cell ?? "");
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function table(columns: readonly string[]): (rows: readonly object[]) => string {
  return (rows) => csvOf(columns, rows);
}

export const transactionsCsv = table([
  ...TRANSACTION_MEMBERS.filter((name) => name !== "voidedBy"),
  "voidedBy.requestId",
  "voidedBy.referenceId",
]);

export const auditCsv = table(["id", "at", "actor", "action", "target", "details", "before", "after"]);

export const statisticsCsv = table([
  ..."hour day timezone posId responseCode transactions.00 transactions.11 approvalRate turnover countedUntil".split(
    " ",
  ),
  ...TIMES.flatMap((name) => ["p50", "p95", "p99"].map((percentile) => `${name}.${percentile}`)),
]);
