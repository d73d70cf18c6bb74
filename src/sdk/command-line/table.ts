import pc from "picocolors";
import stringWidth from "string-width";
import { shortDuration } from "../../protocol/time/duration.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";

/** Colours for standard output; none if it is not a terminal window. */
export const paint = pc.createColors(process.stdout.isTTY && pc.isColorSupported);

/** The window of a person who reads a table, and the time up to which its ages count. */
export interface TableWindow {
  /** In characters. */
  width: number;
  now: EpochMs;
}

/** Returns null where a program or a file gets the output: it gets every column, and times as they are. */
function standardWindow(): TableWindow | null {
  return process.stdout.isTTY ? { width: process.stdout.columns || 80, now: Date.now() } : null;
}

/** Writes objects as rows of a table, one object as its members. */
export function dataLines(value: unknown, window = standardWindow()): string {
  if (value === undefined) return "Done.";
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return isObject(value) ? memberLines(value).join("\n") : JSON.stringify(value);
  if (value.length === 0) return "None.";
  if (!value.every(isObject)) return value.map(String).join("\n");
  const names = [...new Set(value.flatMap((item) => Object.keys(item)))];
  const rows = value.map((item) => new Map<string, unknown>(Object.entries(item)));
  if (window !== null) return windowLines(names, rows, window).join("\n");
  return tableLines([names, ...rows.map((row) => names.map((name) => formatCell(row.get(name))))]).join("\n");
}

/** Shorter heads, so that more columns fit. */
const HEADS: Readonly<Record<string, string>> = {
  requestId: "number",
  deviceId: "terminal",
  terminalId: "terminal",
  posId: "account",
  shopName: "shop",
  referenceId: "reference",
  transType: "type",
  transAmt: "amount",
  currency: "",
  statusCode: "",
  responseCode: "code",
  receivedAt: "received",
  completedAt: "completed",
  offlineSince: "offline for",
  lastHeartbeat: "heard",
};

const STATES: Readonly<Record<string, typeof paint.green>> = {
  "00": paint.green,
  active: paint.green,
  enrolled: paint.green,
  "11": paint.red,
  deleted: paint.red,
  "22": paint.yellow,
  suspended: paint.yellow,
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/u;

/** The first columns that fit, with ages in place of times. What is left out is named below. */
function windowLines(
  names: readonly string[],
  rows: readonly ReadonlyMap<string, unknown>[],
  { width, now }: TableWindow,
): string[] {
  const used = names.filter((name) => rows.some((row) => (row.get(name) ?? null) !== null));
  for (let count = used.length; ; count--) {
    const shown = used.slice(0, count);
    const heads = shown.map((name) => HEADS[name] ?? name);
    const [head = "", ...lines] = tableLines([
      heads,
      ...rows.map((row) => shown.map((name) => windowCell(name, row.get(name), now))),
    ]);
    if (count > 1 && [head, ...lines].some((line) => stringWidth(line) > width)) continue;
    const rest = used.slice(count);
    const more = rest.length === 0 ? [] : ["", paint.dim(`Also: ${rest.join(", ")}. All of it: --json`)];
    return [paint.dim(head), ...lines, ...more];
  }
}

function windowCell(name: string, value: unknown, now: EpochMs): string {
  if (typeof value === "string" && TIME.test(value)) return formatAge(value, now);
  if (typeof value === "boolean") return value ? "yes" : paint.red("no");
  const text = formatCell(value);
  return name === "statusCode" || name === "status" ? (STATES[text]?.(text) ?? text) : text;
}

/** `53 min` ago; a time to come has its date. */
function formatAge(iso: string, now: EpochMs): string {
  const age = now - Date.parse(iso);
  return age < 0
    ? iso.slice(0, 16).replace("T", " ")
    : shortDuration(Math.max(SECOND, Math.floor(age / SECOND) * SECOND));
}

/** Columns as wide as a terminal window shows their widest cell. @param numbersFrom the first column to the right */
export function tableLines(rows: readonly (readonly string[])[], numbersFrom = Infinity): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => stringWidth(cells[column] ?? ""))));
  return rows.map((cells) => {
    const padded = cells.map((cell, column) => {
      const space = " ".repeat((widths[column] ?? 0) - stringWidth(cell));
      return column < numbersFrom ? cell + space : space + cell;
    });
    return padded.join("  ").trimEnd();
  });
}

function formatCell(value: unknown): string {
  return value === undefined || value === null ? "-" : typeof value === "string" ? value : JSON.stringify(value);
}

export function memberLines(members: object): string[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(20)}${formatCell(value)}`.trimEnd()],
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
