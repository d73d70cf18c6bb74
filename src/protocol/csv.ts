/** Lists as CSV (RFC 4180): a header, CRLF, and nothing that a spreadsheet takes for a formula. */
import { type AccountTransaction, TRANSACTION_MEMBERS } from "./events.ts";

/** What a spreadsheet may take for a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /(?:^|[;\t\r\n])\s*[=+\-@＝＋－＠]|^[\t\r]/u;
/** Cells that another separator would split, or that begin with a space, are read as one only in quotes. */
const QUOTED = /^\s|[",;\t\r\n]/u;

type Cell = string | number | boolean | null;

/** @param columns the header, and the order of each row's cells */
export function csvOf<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const COLUMNS = [
  ...TRANSACTION_MEMBERS.filter((name) => name !== "voidedBy"),
  "voidedBy.requestId",
  "voidedBy.referenceId",
] as const;

/** An account's transactions, a row each. */
export function transactionsCsv(transactions: readonly AccountTransaction[]): string {
  const rows = transactions.map(({ voidedBy, ...transaction }) => ({
    ...transaction,
    "voidedBy.requestId": voidedBy?.requestId ?? null,
    "voidedBy.referenceId": voidedBy?.referenceId ?? null,
  }));
  return csvOf(COLUMNS, rows);
}
