/**
 * Judges the journal of a run again, by the checker as it is now, and publishes the report on the page /docs/chaos-report:
 *
 *     node test/chaos/check/publish.ts FOLDER && npm run format
 *
 * FOLDER is the run's. A run that broke a promise is not published: fix what it found first.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { judge, readJournal } from "./judge.ts";
import { aboutOf, report } from "./report.ts";

const HEAD =
  "# Report of a run under faults\n\nThe last published run of `npm run chaos`, as its checker wrote it.\n\n";

const PAGE = new URL("../../../src/docs/chaos-report.md", import.meta.url).pathname;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Usage: node test/chaos/check/publish.ts FOLDER");
  process.exitCode = 2;
} else {
  const about = aboutOf(await readFile(join(folder, "report.md"), "utf8"));
  const verdict = judge(await readJournal(join(folder, "journal.jsonl")));
  if (verdict.outcome === "held") await writeFile(PAGE, HEAD + report(verdict, about));
  else {
    console.error("This run broke a promise, or did not check one. Its report is not published.");
    process.exitCode = 1;
  }
}
