/**
 * Judges the journal of a run again, by the checker as it is now, and prints the report. Ends with status 1 if a promise was
 * broken, 2 if the journal cannot be read, and 3 if some sentence was not checked at all.
 *
 *     node test/chaos/check/command.ts JOURNAL [--publish]
 *
 * `--publish` puts the report of a run that kept every promise on the page /docs/chaos-report. Format it afterwards.
 */
import { writeFile } from "node:fs/promises";
import { EXIT } from "../summary.ts";
import { judge, readJournal } from "./judge.ts";
import { report } from "./report.ts";

const HEAD =
  "# Report of a run under faults\n\nThe last published run of `npm run chaos`, as its checker wrote it.\n\n";

const PAGE = new URL("../../../src/docs/chaos-report.md", import.meta.url).pathname;

const [path = "", flag] = process.argv.slice(2);
try {
  const verdict = judge(await readJournal(path));
  console.log(report(verdict));
  process.exitCode = EXIT[verdict.outcome];
  if (flag === "--publish" && verdict.outcome === "held") await writeFile(PAGE, HEAD + report(verdict));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
