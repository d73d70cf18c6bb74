import { parseArgs } from "node:util";
import { argumentMistake } from "../../command-line/invocation.ts";

export interface SimulateOptions {
  /** The gateway; undefined: the one in the environment, or the one on this machine. */
  url: string | undefined;
  env: string | undefined;
  /** A host other than this machine that may be called. */
  allowHost: string | undefined;
  terminals: number;
  minutes: number;
  salesPerMinute: number;
  seed: number;
}

/**
 * The default number of sales begun per minute: one per terminal, but below the gateway's rate limits for one address.
 */
const MOST_SALES = 600;
const MOST_TERMINALS = 5_000;
const MOST_MINUTES = 24 * 60;

export const USAGE = `npm run simulate -- [flags]

Drives simulated terminals, tills and customers against a running gateway: sales, voids, declines, pending payments, lost
connections, lost answers and power cuts. Checks every answer against the terminals' ledgers, and reports.

  --terminals N          terminals (default: 20, at most ${MOST_TERMINALS})
  --minutes N            how long to sell (default: 1)
  --sales-per-minute N   in total (default: one per terminal, at most ${MOST_SALES})
  --seed N               repeats the customers and faults of another run
  --url URL              the gateway (default: GATEWAY_URL, or http://127.0.0.1:8787)
  --allow-host HOST      permits a gateway on another machine: the host of --url
  --env FILE             reads values that the environment lacks from lines NAME=value

From the environment or that file: OPERATOR_TOKEN. Without it, the token in .dev.vars for a gateway on this machine.

It creates accounts and terminals whose ids begin with SIM-, and deletes them at the end and on Ctrl-C. What a killed run has
left behind, the next run removes. The gateway lists deleted accounts and retired terminals permanently, so do not use a
gateway whose lists matter.

Exit status: 0: every promise was kept; 1: one was broken; 3: it could not run or not clean up; 5: invalid usage.`;

const TEXT = { type: "string" } as const;
const FLAGS = {
  terminals: TEXT,
  minutes: TEXT,
  "sales-per-minute": TEXT,
  seed: TEXT,
  url: TEXT,
  "allow-host": TEXT,
  env: TEXT,
  help: { type: "boolean" },
} as const;

/** Reads the command line. Returns a message if it is invalid. */
export function readOptions(args: string[]): SimulateOptions | { mistake: string } | "help" {
  let values;
  try {
    ({ values } = parseArgs({ args, options: FLAGS }));
  } catch (error) {
    return { mistake: argumentMistake(error) };
  }
  if (values.help === true) return "help";
  const { terminals = "20", minutes = "1", seed = String(Math.floor(Math.random() * 1e9)) } = values;
  const { "sales-per-minute": sales = String(Math.min(Number(terminals), MOST_SALES)) } = values;
  const mistake =
    wrongNumber("terminals", terminals, { least: 1, most: MOST_TERMINALS, whole: true }) ??
    wrongNumber("minutes", minutes, { least: 0.05, most: MOST_MINUTES, whole: false }) ??
    wrongNumber("sales-per-minute", sales, { least: 1, most: 100_000, whole: true }) ??
    wrongNumber("seed", seed, { least: 0, most: Number.MAX_SAFE_INTEGER, whole: true });
  if (mistake !== null) return { mistake };
  return {
    url: values.url,
    env: values.env,
    allowHost: values["allow-host"],
    terminals: Number(terminals),
    minutes: Number(minutes),
    salesPerMinute: Number(sales),
    seed: Number(seed),
  };
}

interface Range {
  least: number;
  most: number;
  whole: boolean;
}

function wrongNumber(name: string, text: string, { least, most, whole }: Range): string | null {
  const value = Number(text);
  const isRight = text.trim() !== "" && value >= least && value <= most && (!whole || Number.isInteger(value));
  return isRight ? null : `--${name} must be a ${whole ? "whole " : ""}number from ${least} to ${most}, not ${text}.`;
}

/** Why a gateway may not be called; null for one on this machine or one that the user has named. */
export function hostProblem(url: string, allowHost: string | undefined): string | null {
  const { hostname } = new URL(url);
  const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);
  if (isLoopback || hostname === allowHost) return null;
  return (
    `${hostname} is not this machine. A simulation creates accounts and terminals that the gateway lists permanently. ` +
    `If that is what you want, add --allow-host ${hostname}.`
  );
}
