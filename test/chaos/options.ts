import type { Command } from "commander";
import { UsageError } from "../../src/command-line/invocation.ts";
import { newProgram, oneOf, wholeNumber } from "../../src/command-line/program.ts";
import { FAULT_NAMES, type FaultName } from "./self-test/faults.ts";

const ABOUT =
  "Runs the gateway with tills, terminals, webhook receivers, feed readers and an operator, and disturbs everything: the " +
  "gateway is killed and stopped, connections are cut, delayed and lose what they carry, terminals lose power and memory, " +
  "clocks jump, the disk is full, the database hangs. Then all is quiet, and every promise of the gateway is checked against " +
  "what tills and terminals have seen. A short run may not check all of them.";

export interface Options {
  seconds: number;
  terminals: number;
  accounts: number;
  seed: number;
  /** Null: a new one among the temporary files. */
  folder: string | null;
  /** Null: nothing is wrong with the gateway. */
  fault: FaultName | null;
  selfTest: boolean;
  /** The journal to judge; null: of a new run. */
  judge: string | null;
  publish: boolean;
}

/** @param run resolves to the exit status */
export function chaosProgram(run: (options: Options) => Promise<number>): Command {
  const whole = wholeNumber(1, 999_999);
  return newProgram("npm run chaos --", ABOUT, {
    statuses: { 0: "all are kept", 1: "one is broken", 3: "the run gave no chance to break some", 5: "wrong usage" },
  })
    .option(
      "--seconds <NUMBER>",
      "how long there are faults. Starting and clearing up take some minutes more",
      whole,
      300,
    )
    .option("--terminals <NUMBER>", "terminals, and as many tills", whole, 12)
    .option("--accounts <NUMBER>", "accounts, each with a webhook and a reader of its feed", whole, 4)
    .option("--seed <NUMBER>", "decides who does what, and which fault comes when", whole, 1)
    .option(
      "--folder <PATH>",
      "for the journal, the log and the gateway's data (a new folder among the temporary files)",
    )
    .option("--self-test", "puts ten faults into the gateway, one at a time; status 1 if a run does not report one")
    .option(
      "--judge <JOURNAL>",
      "judges the journal of a run again, by the checker as it is now, and prints the report",
    )
    .option("--publish", "with --judge: puts the figures of a run that kept every promise on the page /docs/chaos")
    .addOption(
      oneOf(
        "--fault <NAME>",
        "a run of a gateway with one of these faults; with --self-test, a test of this one alone",
        FAULT_NAMES,
      ),
    )
    .action(async (flags: Partial<Options> & Pick<Options, "seconds" | "terminals" | "accounts" | "seed">) => {
      if (flags.accounts > flags.terminals) throw new UsageError("Use at least as many terminals as accounts.");
      const nothing = { folder: null, fault: null, selfTest: false, judge: null, publish: false };
      process.exitCode = await run({ ...nothing, ...flags });
    });
}
