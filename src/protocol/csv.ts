/** Lists as CSV (RFC 4180): a header, CRLF, and nothing that a spreadsheet takes for a formula. */
import { TRANSACTION_MEMBERS } from "./events.ts";
import { BUCKETS, TIMES } from "./statistics.ts";

/** What a spreadsheet may take for a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /(?:^|[;\t\r\n])\s*[=+\-@＝＋－＠]|^[\t\r]/u;
/** A negative amount is none. */
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/u;
/** In quotes, because another separator would split these cells, or a reader would drop their leading space. */
const QUOTED = /^\s|[",;\t\r\n]/u;

/** @param columns the header: members of a row, or of its members, such as `voidedBy.requestId` */
export function formatCsv(columns: readonly string[], rows: readonly object[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => valueAt(row, column)))];
  return lines.map((cells) => `${cells.map(formatCell).join(",")}\r\n`).join("");
}

type Cell = string | number | boolean | object | null | undefined;

function valueAt(row: object, column: string): Cell {
  return column
    .split(".")
    .reduce<Cell>((value, name) => (value as Record<string, Cell> | null | undefined)?.[name], row);
}

/** A cell with several values is JSON. */
function formatCell(cell: Cell): string {
  const text = typeof cell === "object" && cell !== null ? JSON.stringify(cell) : String(cell ?? "");
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function table(columns: readonly string[]): (rows: readonly object[]) => string {
  return (rows) => formatCsv(columns, rows);
}

export const transactionsCsv = table([
  ...TRANSACTION_MEMBERS.filter((name) => name !== "voidedBy"),
  "voidedBy.requestId",
  "voidedBy.referenceId",
]);

export const terminalsCsv = table(
  "terminalId name status posId shopName merchantId isVT connected offlineSince lastHeartbeat softwareVersion contested createdAt".split(
    " ",
  ),
);

export const pendingCsv = table(
  (
    "requestId posId shopName terminalId referenceId transType responseCode responseText transAmt cashAmt currency receivedAt " +
    "conflict.statusCode conflict.reported.statusCode conflict.reportedAt"
  ).split(" "),
);

export const auditCsv = table(["id", "at", "actor", "action", "target", "details", "before", "after"]);

/** Each currency of the rows has a column of its own, such as `turnover.EUR`; it is empty without a turnover. */
export function statisticsCsv(rows: readonly StatisticsCsvRow[]): string {
  const currencies = [...new Set(rows.flatMap(({ turnover }) => turnover.map(({ currency }) => currency)))].toSorted();
  const columns = [
    ..."hour day timezone posId responseCode transactions.00 transactions.11 approvalRate".split(" "),
    ...currencies.map((currency) => `turnover.${currency}`),
    ...TIMES.flatMap((name) => [`${name}.count`, ...BUCKETS.map((bound) => `${name}.within.${bound}`)]),
  ];
  const cells = rows.map((row) => ({
    ...row,
    turnover: Object.fromEntries(row.turnover.map(({ currency, transAmt }) => [currency, transAmt])),
  }));
  return formatCsv(columns, cells);
}

interface StatisticsCsvRow {
  turnover: readonly { currency: string; transAmt: string }[];
}
