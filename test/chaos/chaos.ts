/** `npm run chaos`. See `--help`. */
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge, readJournal } from "./check/judge.ts";
import { EXIT, publishedReport, report, summaryOf } from "./check/report.ts";
import { JournalFile } from "./journal-file.ts";
import { runProgram } from "../../src/command-line/program.ts";
import { chaosProgram, type Options } from "./options.ts";
import { run } from "./run.ts";
import { FAULT_NAMES } from "./self-test/faults.ts";
import { selfTest } from "./self-test/self-test.ts";

const PAGE = join(import.meta.dirname, "../../src/docs/chaos.md");

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

const began = performance.now();
const say = (sentence: string): void => {
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`${String(seconds).padStart(5)} s  ${sentence}`);
};

/** Resolves to the exit status. */
async function chaos(options: Options): Promise<number> {
  if (options.judge !== null) {
    const known = judge(await readJournal(options.judge));
    console.log(report(known));
    if (options.publish && known.outcome === "held") await publish(publishedReport(known));
    return EXIT[known.outcome];
  }
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "chaos-")));
  await mkdir(folder, { recursive: true });
  if (options.selfTest) {
    const names = options.fault === null ? FAULT_NAMES : [options.fault];
    return (await selfTest(names, folder, say)) ? 0 : 1;
  }
  const journal = new JournalFile(join(folder, "journal.jsonl"));
  await run(options, folder, journal, say);
  journal.close();

  const verdict = judge(await readJournal(journal.path));
  const reportPath = join(folder, "report.md");
  await writeFile(reportPath, report(verdict));
  say(`The report is ${reportPath}, and the journal ${journal.path}.`);
  console.log(summaryOf(verdict));
  return EXIT[verdict.outcome];
}

/** Format the page afterwards. */
async function publish(figures: string): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  const section = `$1\n\n${figures}\n\n$2`;
  await writeFile(PAGE, page.replace(/(^## The last published run$).*?(^## )/msu, section));
}

await runProgram(chaosProgram(chaos));
process.exit();
