import { oneOf, text, toggle } from "../../src/command-line/flags.ts";
import { UsageError } from "../../src/command-line/invocation.ts";
import { readTool, whole } from "../support/tool.ts";
import { FAULT_NAMES, type FaultName } from "./self-test/faults.ts";

const ABOUT = `npm run chaos -- [flags]

Runs the gateway with tills, terminals, webhook receivers, feed readers and an operator, and disturbs everything: the
gateway is killed and stopped, connections are cut, delayed and lose what they carry, terminals lose power and memory,
clocks jump, the disk is full, the database hangs. Then all is quiet, and every promise of the gateway is checked against
what tills and terminals have seen. The exit status is 0 if all are kept, 1 if one is broken, and 3 if none is broken but
the run gave no chance to break some: a short run may not check all of them.`;

const FLAGS = {
  seconds: whole("how long there are faults (300). Starting and clearing up take some minutes more"),
  terminals: whole("terminals, and as many tills (12)"),
  accounts: whole("accounts, each with a webhook and a reader of its feed (4)"),
  seed: whole("decides who does what, and which fault comes when (1)"),
  folder: text("PATH", "for the journal, the log and the gateway's data (a new folder among the temporary files)"),
  "self-test": toggle("puts ten faults into the gateway, one at a time; status 1 if a run does not report one"),
  judge: text("JOURNAL", "judges the journal of a run again, by the checker as it is now, and prints the report"),
  publish: toggle("with --judge: puts the figures of a run that kept every promise on the page /docs/chaos"),
  fault: oneOf(
    FAULT_NAMES,
    `one of ${FAULT_NAMES.join(", ")}`,
    "NAME",
    "a run of a gateway with one of these faults; with --self-test, a test of this one alone",
  ),
};

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

export function readOptions(args: string[]): Options {
  const { values } = readTool(args, ABOUT, FLAGS);
  const { seconds = 300, terminals = 12, accounts = 4, seed = 1, folder = null, fault = null } = values;
  const { "self-test": selfTest = false, judge = null, publish = false } = values;
  if (accounts > terminals) throw new UsageError("Use at least as many terminals as accounts.");
  return { seconds, terminals, accounts, seed, folder, fault, selfTest, judge, publish };
}
