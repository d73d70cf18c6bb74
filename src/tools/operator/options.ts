/** The operator's options, many of which are the filters of the operator's API. */
import type { Command, Option } from "commander";
import { InvalidArgumentError } from "commander";
import { createInterface } from "node:readline/promises";
import type { Filters } from "../../protocol/operator-filters.ts";
import type { EpochMs } from "../../protocol/time/units.ts";
import { UsageError } from "../../sdk/command-line/invocation.ts";
import { type GatewayOptions, option, parseWholeNumber } from "../../sdk/command-line/program.ts";
import type { OperatorClient, OperatorQuery } from "../../sdk/command-line/operator-client.ts";

/** Those that commands use besides the filters, which have the names of their flags. */
export interface OperatorFlags extends GatewayOptions {
  limit: number;
  json?: true;
  yes?: true;
  [filter: string]: unknown;
}

export interface OperatorCall {
  operator: OperatorClient;
  args: string[];
  flags: OperatorFlags;
}

/** What a command prints, and its exit status. */
export interface OperatorReport {
  data: unknown;
  /** The outcome in a sentence, which a person reads first. */
  title?: string;
  status: number;
}

export type RunOperator = (call: OperatorCall, ...args: string[]) => Promise<OperatorReport>;

/** Runs the command that was given, and sets the exit status. */
export type PerformOperator = (command: Command, run: RunOperator) => Promise<void>;

export const OPERATOR_EXIT = { done: 0, nothing: 1, failed: 3 };

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A time with Z or an offset, or a duration before `now`, in the form that the gateway accepts; null if it is
 * neither.
 */
export function instant(given: string, now: EpochMs): string | null {
  const [, count, unit] = /^([0-9]{1,6})([mhd])$/.exec(given) ?? [];
  if (unit !== undefined) return new Date(now - Number(count) * (UNITS[unit] ?? 0)).toISOString();
  return /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(given) && Number.isFinite(Date.parse(given)) ? given : null;
}

function readTime(given: string): string {
  const read = instant(given, Date.now());
  if (read !== null) return read;
  throw new InvalidArgumentError("Use a time such as 2026-11-20T10:15:00Z, or a duration up to now: 30m, 12h, 7d.");
}

export function filterOptions(filters: Filters): Option[] {
  return Object.values(filters).flatMap(({ kind, flag, words }) => {
    if (flag === undefined) return [];
    const does = formatHelp(words);
    return [kind === "time" ? option(`--${flag} <TIME>`, does, readTime) : option(`--${flag} <TEXT>`, does)];
  });
}

/** Writes the contract's sentence in the style of a help text: no capital, no full stop, no Markdown. */
function formatHelp(words: string): string {
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`.replaceAll("`", "").replace(/\.$/u, "");
}

export const LIMIT = option("--limit <NUMBER>", "how many rows are shown", parseWholeNumber(1, 999_999)).default(1_000);
export const YES = option("--yes", "makes the change without asking");

/** The parts of a query that the filters' flags give. */
export function readFilters(filters: Filters, flags: OperatorFlags): OperatorQuery {
  const values = Object.entries(filters).map(([name, { flag = "" }]) => [name, flags[flag]] as const);
  return Object.fromEntries(values.filter((value): value is [string, string] => typeof value[1] === "string"));
}

/** Asks a person before a final change. Without a person, `--yes` is required. */
export async function isConfirmed(question: string, { yes }: OperatorFlags): Promise<boolean> {
  if (yes === true) return true;
  if (!process.stdin.isTTY) throw new UsageError(`${question} Add --yes to do it.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
