/** `npm run chaos`. See `--help`. */
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../src/sdk/command-line/invocation.ts";
import { newProgram, choiceOption, runProgram, parseWholeNumber } from "../../src/sdk/command-line/program.ts";
import { Journal, ROOT } from "./journal.ts";
import { EXIT, judge } from "./judge/judge.ts";
import { report } from "./report.ts";
import { run, type Size } from "./run.ts";
import { FAULT_NAMES, type FaultName, INSERTED, projectWith, selfTest } from "./self-test.ts";

const ABOUT =
  "Runs the gateway with POSes, terminals, webhook receivers and an operator, and disturbs everything: the gateway is " +
  "killed and stopped, connections are cut, delayed and lose what they carry, terminals lose power and memory, the database " +
  "hangs. Then all is quiet, and every promise of the gateway is judged by the run's journal.";

interface Options extends Size {
  folder?: string;
  judge?: string;
  selfTest?: true;
  fault?: FaultName;
}

const began = performance.now();

function say(sentence: string): void {
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`${String(seconds).padStart(5)} s  ${sentence}`);
}

/** Resolves to the exit status. */
async function main({ seconds, terminals, accounts, seed, ...options }: Options): Promise<number> {
  if (accounts > terminals) throw new UsageError("Use at least as many terminals as accounts.");
  const { fault } = options;
  let path = options.judge;
  if (path === undefined) {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "chaos-")));
    await mkdir(folder, { recursive: true });
    const names = fault === undefined ? FAULT_NAMES : [fault];
    if (options.selfTest === true) return (await selfTest(names, folder, say)) ? 0 : 1;
    path = join(folder, "journal.jsonl");
    if (fault !== undefined) say(`A broken gateway. ${INSERTED[fault][0]}`);
    const root = fault === undefined ? ROOT : await projectWith(fault, folder);
    await run({ seconds, terminals, accounts, seed }, root, folder, new Journal(path), say);
    say(`The journal is ${path}.`);
  }
  const verdict = judge(await readFile(path, "utf8"));
  console.log(report(verdict));
  return EXIT[verdict.outcome];
}

const whole = parseWholeNumber(1, 999_999);
const statuses = { 0: "all are kept", 1: "one is broken", 3: "the run gave no chance to break some", 5: "wrong usage" };
const program = newProgram("npm run chaos --", ABOUT, { statuses })
  .option("--seconds <NUMBER>", "how long there are faults. Clearing up takes some minutes more", whole, 300)
  .option("--terminals <NUMBER>", "terminals, and twice as many POSes", whole, 12)
  .option("--accounts <NUMBER>", "accounts, each with a webhook and a reader of its events", whole, 4)
  .option("--seed <NUMBER>", "decides who does what, and which fault comes when", whole, 1)
  .option("--folder <PATH>", "for the journal, the log and the gateway's data (a new folder among the temporary files)")
  .option("--judge <JOURNAL>", "judges the journal of an earlier run")
  .option("--self-test", "puts ten faults into the gateway, one at a time; status 1 if a run does not report one")
  .addOption(
    choiceOption(
      "--fault <NAME>",
      "runs a gateway with this fault; with --self-test, tests only this one",
      FAULT_NAMES,
    ),
  )
  .action(async (options: Options) => process.exit(await main(options)));

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
await runProgram(program);
