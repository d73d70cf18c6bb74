import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { flagLines, HELP_FLAGS, readFlags, text, toldBy, URL_FLAG, type Flag } from "../../command-line/flags.ts";
import { UsageError } from "../../command-line/invocation.ts";
import { isHolding, readLock, takeLock } from "../../command-line/lock-file.ts";

export interface SimulateOptions {
  /** Undefined: the gateway in the environment, or the one on this machine. */
  url: string | undefined;
  env: string | undefined;
  /** A host other than this machine that may be called. */
  allowHost: string | undefined;
  terminals: number;
  minutes: number;
  salesPerMinute: number;
  seed: number;
}

/** Sales begun per minute by default: one per terminal, but below the gateway's rate limits for one address. */
const MOST_SALES = 600;
const MOST_TERMINALS = 5_000;
const MOST_MINUTES = 24 * 60;

interface Range {
  least: number;
  most: number;
  whole: boolean;
}

function within({ least, most, whole }: Range, does: string): Flag<number> {
  const read = (given: string): number | null => {
    const value = Number(given);
    const isRight = given.trim() !== "" && value >= least && value <= most && (!whole || Number.isInteger(value));
    return isRight ? value : null;
  };
  return { value: "N", does, read, must: `a ${whole ? "whole " : ""}number from ${least} to ${most}` };
}

const FLAGS = {
  terminals: within(
    { least: 1, most: MOST_TERMINALS, whole: true },
    `terminals (default: 20, at most ${MOST_TERMINALS})`,
  ),
  minutes: within({ least: 0.05, most: MOST_MINUTES, whole: false }, "how long to sell (default: 1)"),
  "sales-per-minute": within(
    { least: 1, most: 100_000, whole: true },
    `in total (default: one per terminal, at most ${MOST_SALES})`,
  ),
  seed: within(
    { least: 0, most: Number.MAX_SAFE_INTEGER, whole: true },
    "repeats the customers and faults of another run",
  ),
  url: URL_FLAG,
  "allow-host": text("HOST", "permits a gateway on another machine: the host of --url"),
  env: text("FILE", "reads values that the environment lacks from lines NAME=value"),
  help: { ...HELP_FLAGS.help, does: "" },
  version: { ...HELP_FLAGS.version, does: "" },
};

const USAGE = `npm run simulate -- [flags]

Drives simulated terminals, tills and customers against a running gateway: sales, voids, declines, unresolved payments, lost
connections, lost answers and power cuts. Checks every answer against the terminals' ledgers, and reports.

${flagLines(FLAGS, 23)}

From the environment or that file: OPERATOR_TOKEN. Without it, the token in .dev.vars for a gateway on this machine.

It creates accounts and terminals whose ids begin with SIM-, and deletes them at the end and on Ctrl-C. What a killed run has
left behind, the next run removes. The gateway lists deleted accounts and retired terminals permanently, so do not use a
gateway whose lists matter.

Exit status: 0: every promise was kept; 1: one was broken; 3: it could not run or not clean up; 5: invalid usage.`;

/** Returns a text to print for `--help` or `--version`. Throws a UsageError. */
export function readOptions(args: string[]): SimulateOptions | string {
  const { values, positionals } = readFlags(args, FLAGS);
  const told = toldBy(values, () => USAGE);
  if (told !== null) return told;
  if (positionals.length > 0) throw new UsageError("There is an argument too many. Use --help.");
  const { url, env, terminals = 20, minutes = 1, seed = Math.floor(Math.random() * 1e9) } = values;
  const { "allow-host": allowHost, "sales-per-minute": salesPerMinute = Math.min(terminals, MOST_SALES) } = values;
  return { url, env, allowHost, terminals, minutes, salesPerMinute, seed };
}

/** Why the gateway may not be called; null for one on this machine or one that the user has named. */
export function hostProblem(url: string, allowHost: string | undefined): string | null {
  const { hostname } = new URL(url);
  const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);
  if (isLoopback || hostname === allowHost) return null;
  return (
    `${hostname} is not this machine. A simulation creates accounts and terminals that the gateway lists permanently. ` +
    `If that is what you want, add --allow-host ${hostname}.`
  );
}

/**
 * Each simulation has a lock file from before the set-up until everything is removed. The file of a killed process
 * tells the next run what to remove.
 */
const SUFFIX = ".simulation";

/** Returns a function that deletes the record. */
export function takeNote(folder: string, prefix: string): () => void {
  const taken = takeLock(join(folder, prefix + SUFFIX), prefix);
  // The prefix is random, so nobody else takes it.
  if (!taken.ok) throw new Error(`${prefix} is taken.`);
  return taken.value;
}

/** Prefixes of simulations whose processes ended without removing what they had set up. */
export function leftBehind(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .filter((name) => {
      const holder = readLock(join(folder, name));
      return holder === null || !isHolding(join(folder, name), holder);
    })
    .map((name) => name.slice(0, -SUFFIX.length));
}

export function deleteNote(folder: string, prefix: string): void {
  rmSync(join(folder, prefix + SUFFIX), { force: true });
}
