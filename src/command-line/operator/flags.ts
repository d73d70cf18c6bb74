import { createInterface } from "node:readline/promises";
import {
  ACCOUNT_FILTERS,
  AUDIT_FILTERS,
  type Filters,
  SHOP_FILTERS,
  STATISTICS_FILTERS,
  TERMINAL_FILTERS,
  UNRESOLVED_FILTERS,
} from "../../protocol/operator-filters.ts";
import { UsageError, WRONG_USAGE } from "../invocation.ts";
import type { Query } from "./client.ts";

const TEXT = { type: "string" } as const;
const SWITCH = { type: "boolean" } as const;

const FILTERS = [
  ...Object.values(TERMINAL_FILTERS),
  ...Object.values(ACCOUNT_FILTERS),
  ...Object.values(SHOP_FILTERS),
  ...Object.values(AUDIT_FILTERS),
  ...Object.values(UNRESOLVED_FILTERS),
  ...Object.values(STATISTICS_FILTERS),
];

type FilterFlag = Extract<(typeof FILTERS)[number], { flag: string }>["flag"];

const FILTER_FLAGS = Object.fromEntries(
  FILTERS.flatMap((filter) => ("flag" in filter ? [[filter.flag, TEXT]] : [])),
) as Record<FilterFlag, typeof TEXT>;

export const FLAGS = {
  ...FILTER_FLAGS,
  unbound: SWITCH,
  code: TEXT,
  offline: SWITCH,
  connected: SWITCH,
  limit: TEXT,
  csv: TEXT,
  "secrets-to": TEXT,
  yes: SWITCH,
  json: SWITCH,
  url: TEXT,
  env: TEXT,
  help: SWITCH,
  version: SWITCH,
};

export type Flags = {
  [Name in keyof typeof FLAGS]?: (typeof FLAGS)[Name]["type"] extends "string" ? string : boolean;
};

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A point in time in the form that the gateway accepts: a time with Z or an offset, or a duration before `now` (epoch
 * milliseconds).
 */
export function instant(name: string, given: string, now: number): string {
  const [, count, unit] = /^([0-9]{1,6})([mhd])$/.exec(given) ?? [];
  if (unit !== undefined) return new Date(now - Number(count) * (UNITS[unit] ?? 0)).toISOString();
  if (/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(given) && Number.isFinite(Date.parse(given))) return given;
  throw new UsageError(`--${name} must be a time such as 2026-11-20T10:15:00Z, or a duration up to now: 30m, 12h, 7d.`);
}

/** What the flags say about these filters at `now`, epoch milliseconds. */
export function filtersOf(filters: Filters, flags: Flags, now: number): Query {
  const given = flags as Record<string, string | boolean | undefined>;
  const query: Query = {};
  for (const [name, { kind, flag = "" }] of Object.entries(filters)) {
    const text = given[flag];
    if (typeof text === "string") query[name] = kind === "time" ? instant(flag, text, now) : text;
  }
  return query;
}

/** The most rows that a list shows. */
export function limitOf(given: string | undefined): number {
  if (given === undefined) return 1_000;
  if (!/^[1-9][0-9]{0,5}$/.test(given)) throw new UsageError("--limit must be a number of rows.");
  return Number(given);
}

/** The exit status of an operator's command. */
export const EXIT = { done: 0, nothing: 1, failed: 3, usage: WRONG_USAGE };

/** Asks a person before a change that is final. Without a person, `--yes` is required. */
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
