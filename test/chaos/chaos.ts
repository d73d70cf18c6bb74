/** `npm run chaos`. See `--help`. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge } from "./check/judge.ts";
import { readJournal } from "./check/read.ts";
import { report } from "./check/report.ts";
import { JournalFile } from "./journal-file.ts";
import { commandOf, readOptions, USAGE } from "./options.ts";
import { run } from "./run.ts";
import { summaryOf } from "./summary.ts";
import { versions } from "./versions.ts";

const options = readOptions(process.argv.slice(2));
if (options === "help") {
  console.log(USAGE);
  process.exit(0);
}
if ("mistake" in options) {
  console.error(options.mistake);
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

const began = performance.now();
const say = (sentence: string): void => {
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`${String(seconds).padStart(5)} s  ${sentence}`);
};

const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "chaos-")));
await mkdir(folder, { recursive: true });
const journal = new JournalFile(join(folder, "journal.jsonl"));
await run(options, folder, journal, say);
journal.close();

const verdict = judge(await readJournal(journal.path));
const reportPath = join(folder, "report.md");
const about = { versions: await versions(), command: commandOf(options), date: new Date().toISOString().slice(0, 10) };
await writeFile(reportPath, report(verdict, about));
say(summaryOf(verdict));
say(`The report is ${reportPath}, and the journal ${journal.path}.`);
process.exit(verdict.outcome === "violated" ? 1 : 0);
