import { type Command, InvalidArgumentError } from "commander";
import { type GatewayOptions, newProgram, parseWholeNumber, withGateway } from "../../sdk/command-line/program.ts";

export interface SimulateOptions extends GatewayOptions {
  /** A host other than this machine that may be called. */
  allowHost?: string;
  terminals: number;
  minutes: number;
  salesPerMinute: number;
  seed: number;
}

/**
 * By default, so many sales begin per minute: one per terminal, but below the gateway's rate limits for one address.
 */
const MOST_SALES = 600;
const MOST_TERMINALS = 5_000;
const MOST_MINUTES = 24 * 60;

/** @param run resolves to the exit status */
export function simulateProgram(run: (options: SimulateOptions) => Promise<number>): Command {
  const does =
    "Drives simulated terminals, POS programs and customers against a running gateway: sales, voids, declines, pending " +
    "payments, lost connections, lost answers and power cuts. Checks every answer against the terminals' ledgers, and reports.";
  return withGateway(
    newProgram("npm run simulate --", does, {
      examples: [["--terminals 500 --minutes 5", "before an upgrade"]],
      statuses: {
        0: "every promise was kept",
        1: "one was broken",
        3: "it could not run or not clean up",
        5: "wrong usage",
      },
      more:
        "From the environment or the file of --env: OPERATOR_TOKEN. Without it, the token in .dev.vars for a gateway on this " +
        "machine. It creates accounts and terminals whose ids begin with SIM-, and deletes them at the end and on Ctrl-C. What a " +
        "killed run has left behind, the next run removes: let one run at a time. The gateway lists deleted accounts and retired terminals permanently, " +
        "so do not use a gateway whose lists matter.",
    }),
  )
    .option("--terminals <NUMBER>", "how many terminals sell", parseWholeNumber(1, MOST_TERMINALS), 20)
    .option("--minutes <NUMBER>", "how long they sell", minutes, 1)
    .option(
      "--sales-per-minute <NUMBER>",
      `in total (default: one per terminal, at most ${MOST_SALES})`,
      parseWholeNumber(1, 100_000),
    )
    .option("--seed <NUMBER>", "repeats the customers and faults of another run", parseWholeNumber(0))
    .option("--allow-host <HOST>", "permits a gateway on another machine: the host of --url")
    .action(async (flags: Omit<SimulateOptions, "seed" | "salesPerMinute"> & Partial<SimulateOptions>) => {
      const { salesPerMinute = Math.min(flags.terminals, MOST_SALES), seed = Math.floor(Math.random() * 1e9) } = flags;
      process.exitCode = await run({ ...flags, salesPerMinute, seed });
    });
}

function minutes(given: string): number {
  const value = Number(given);
  if (given.trim() !== "" && value >= 0.05 && value <= MOST_MINUTES) return value;
  throw new InvalidArgumentError(`Use a number from 0.05 to ${MOST_MINUTES}.`);
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
