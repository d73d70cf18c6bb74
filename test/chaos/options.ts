import { parseArgs } from "node:util";
import { INSERTED, isFaultName, type FaultName } from "./self-test/faults.ts";

export interface Options {
  /** Of faults. */
  seconds: number;
  terminals: number;
  accounts: number;
  seed: number;
  /** For the journal and the gateway's data; null: a new one among the temporary files. */
  folder: string | null;
  /** What is wrong with the gateway on purpose; null: nothing. */
  fault: FaultName | null;
  /** Whether to test that such faults are reported: that one, or all. */
  selfTest: boolean;
}

export const USAGE = `npm run chaos -- [flags]

Runs the gateway with tills, terminals, webhook receivers, feed readers and an operator, and disturbs everything: the
gateway is killed and stopped, connections are cut, delayed and lose what they carry, terminals lose power and memory,
clocks jump, the disk is full, the database hangs. Then all is quiet, and every promise of the gateway is checked against
what tills and terminals have seen. The exit status is 0 if all are kept, 1 if one is broken, and 3 if none is broken but
the run gave no chance to break some: a short run may not check all of them.

  --seconds 300     how long there are faults. Starting and clearing up take some minutes more
  --terminals 12    terminals, and as many tills
  --accounts 4      accounts, each with a webhook and a reader of its feed
  --seed 1          decides who does what, and which fault comes when
  --folder PATH     for the journal, the gateway's log and its data. Without it: a new folder among the temporary files
  --self-test       puts ten faults into the gateway, one at a time, and ends with status 1 if a run does not report one
  --fault NAME      a run of a gateway with one of these faults, or with --self-test, a test of this one alone
  --help            prints this text`;

const DEFAULTS = { seconds: "300", terminals: "12", accounts: "4", seed: "1" };

/** Reads the command line. Returns a message if it is invalid. */
export function readOptions(args: string[]): Options | { mistake: string } | "help" {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { seconds: text, terminals: text, accounts: text, seed: text, folder: text, fault: text };
  try {
    const { values } = parseArgs({ args, options: { ...options, help: flag, "self-test": flag } });
    if (values.help === true) return "help";
    const given = { ...DEFAULTS, ...values };
    const numbers = (["seconds", "terminals", "accounts", "seed"] as const).map((name) => {
      if (!/^[1-9]\d{0,5}$/u.test(given[name])) throw new Error(`Use --${name} with a number from 1 to 999999.`);
      return Number(given[name]);
    });
    const [seconds = 0, terminals = 0, accounts = 0, seed = 0] = numbers;
    if (accounts > terminals) return { mistake: "Use at least as many terminals as accounts." };
    const { fault = null, folder = null } = values;
    if (fault !== null && !isFaultName(fault))
      return { mistake: `Use --fault with one of ${Object.keys(INSERTED).join(", ")}.` };
    return { seconds, terminals, accounts, seed, folder, fault, selfTest: values["self-test"] === true };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}
