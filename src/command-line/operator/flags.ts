import { createInterface } from "node:readline/promises";
import {
  ACCOUNT_FILTERS,
  AUDIT_FILTERS,
  type Filters,
  SEARCH_FILTERS,
  STATISTICS_FILTERS,
  TERMINAL_FILTERS,
} from "../../protocol/operator-filters.ts";
import { RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { SHELL_FLAGS } from "../commands.ts";
import { type Flag, number, text, toggle, type Values } from "../flags.ts";
import { UsageError, WRONG_USAGE } from "../invocation.ts";
import type { Query } from "./client.ts";

export const PAYMENT_FILTERS = {
  posId: { ...STATISTICS_FILTERS.posId, words: "Payments of this account." },
  deviceId: { ...STATISTICS_FILTERS.terminalId, words: "Only payments on this terminal." },
  responseCode: {
    kind: "text",
    length: RESULT_LENGTHS.responseCode,
    words: "Only payments with this response code, such as 51.",
    flag: "code",
  },
  from: { ...AUDIT_FILTERS.from, words: "Only payments at or after this time." },
  to: { ...AUDIT_FILTERS.to, words: "Only payments before this time." },
} as const satisfies Filters;

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A time with Z or an offset, or a duration before `now` (epoch milliseconds), in the form that the gateway accepts;
 * null if it is neither.
 */
export function instant(given: string, now: number): string | null {
  const [, count, unit] = /^([0-9]{1,6})([mhd])$/.exec(given) ?? [];
  if (unit !== undefined) return new Date(now - Number(count) * (UNITS[unit] ?? 0)).toISOString();
  return /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(given) && Number.isFinite(Date.parse(given)) ? given : null;
}

const TIME_WORDS = "a time such as 2026-11-20T10:15:00Z, or a duration up to now: 30m, 12h, 7d";

export function filterFlags(filters: Filters): Record<string, Flag<string>> {
  return Object.fromEntries(
    Object.values(filters).flatMap(({ kind, flag, words }) => {
      if (flag === undefined) return [];
      if (kind !== "time") return [[flag, text("TEXT", words)]];
      return [[flag, { value: "TIME", does: words, must: TIME_WORDS, read: (given) => instant(given, Date.now()) }]];
    }),
  );
}

const FILTERS = {
  ...TERMINAL_FILTERS,
  ...ACCOUNT_FILTERS,
  ...AUDIT_FILTERS,
  ...STATISTICS_FILTERS,
  amount: SEARCH_FILTERS.amount,
  cardLastFour: SEARCH_FILTERS.cardLastFour,
  ...PAYMENT_FILTERS,
};

type FilterFlag = Extract<(typeof FILTERS)[keyof typeof FILTERS], { flag: string }>["flag"];

export const FLAGS = {
  // A name means the same in every list.
  ...(filterFlags(FILTERS) as Record<FilterFlag, Flag<string>>),
  unbound: toggle("only terminals that no account has"),
  offline: toggle("only terminals that are not connected"),
  connected: toggle("only terminals that are"),
  limit: number(/^[1-9][0-9]{0,5}$/, "a number of rows", "NUMBER", "rows, 1000 by default"),
  currency: text("CODE", "of all its payments: MYR"),
  timezone: text("NAME", "its day's: Asia/Kuala_Lumpur"),
  region: text("NAME", "where its data is; near its time zone by default"),
  force: toggle("even if payments are open"),
  "revoke-previous": toggle("ends the previous keys at once"),
  csv: text("FILE", "the terminals"),
  "secrets-to": text("FILE", "the file for their secrets"),
  yes: toggle("does not ask before a change"),
  json: toggle("one line of JSON"),
  ...SHELL_FLAGS,
};

export type FlagName = keyof typeof FLAGS;
export type Flags = Values<typeof FLAGS>;

export const OF_EVERY_COMMAND: readonly FlagName[] = ["json", "url", "env", "help", "version"];

export function flagsNamed(names: readonly FlagName[]): Record<string, Flag<unknown>> {
  return Object.fromEntries(names.map((name) => [name, FLAGS[name]]));
}

export function filtersOf(filters: Filters, flags: Flags): Query {
  const given: Record<string, unknown> = flags;
  const values = Object.entries(filters).map(([name, { flag = "" }]) => [name, given[flag]] as const);
  return Object.fromEntries(values.filter((value): value is [string, string] => typeof value[1] === "string"));
}

/** Rows of a list by default. */
export const ROWS = 1_000;

export const EXIT = { done: 0, nothing: 1, failed: 3, usage: WRONG_USAGE };

/** Asks a person before a final change. Without a person, `--yes` is required. */
export async function confirmed(question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) throw new UsageError(`${question} Add --yes to do it.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
