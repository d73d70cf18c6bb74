/** Lists as CSV (RFC 4180): a header, CRLF, and nothing that a spreadsheet takes for a formula. */
import { type AccountTransaction, TRANSACTION_MEMBERS } from "./events.ts";
import { type TimeName, TIMES } from "./statistics.ts";

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

interface AuditRow {
  id: number;
  at: string;
  actor: string;
  action: string;
  target: string;
  details: object;
  before: object | null;
  after: object | null;
}

/** Rows of the audit log; what has several values is JSON. */
export function auditCsv(rows: readonly AuditRow[]): string {
  return csvOf(
    ["id", "at", "actor", "action", "target", "details", "before", "after"],
    rows.map(({ details, before, after, ...row }) => ({
      ...row,
      details: jsonOf(details),
      before: jsonOf(before),
      after: jsonOf(after),
    })),
  );
}

function jsonOf(values: object | null): string | null {
  return values === null ? null : JSON.stringify(values);
}

interface FiguresRow extends Record<TimeName, { p50: number; p95: number; p99: number } | null> {
  hour: string | null;
  day: string | null;
  posId: string | null;
  responseCode: string | null;
  transactions: { "00": number; "11": number };
  approvalRate: number | null;
}

/** Figures of hours, days, accounts or response codes. */
export function statisticsCsv(rows: readonly FiguresRow[]): string {
  const times = TIMES.flatMap((name) => (["p50", "p95", "p99"] as const).map((percentile) => ({ name, percentile })));
  const columns = ["hour", "day", "posId", "responseCode", "transactions.00", "transactions.11", "approvalRate"];
  return csvOf<string>(
    [...columns, ...times.map(({ name, percentile }) => `${name}.${percentile}`)],
    rows.map(({ hour, day, posId, responseCode, transactions, approvalRate, ...row }) => ({
      hour,
      day,
      posId,
      responseCode,
      approvalRate,
      "transactions.00": transactions["00"],
      "transactions.11": transactions["11"],
      ...Object.fromEntries(
        times.map(({ name, percentile }) => [`${name}.${percentile}`, row[name]?.[percentile] ?? null]),
      ),
    })),
  );
}
