/**
 * Judges the journal of a run: prints the report, and ends with status 1 if a promise was broken, 2 if the journal cannot be
 * read, and 3 if some sentence was not checked at all.
 *
 *     node test/chaos/check/command.ts JOURNAL
 */
import { EXIT } from "../summary.ts";
import { judge, readJournal } from "./judge.ts";
import { report } from "./report.ts";

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error("Usage: node test/chaos/check/command.ts JOURNAL");
  process.exitCode = 2;
} else {
  try {
    const verdict = judge(await readJournal(path));
    console.log(report(verdict, { versions: {} }));
    process.exitCode = EXIT[verdict.outcome];
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}
