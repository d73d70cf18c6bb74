/**
 * Judges the journal of a run again, by the checker as it is now, and prints the report. Ends with status 1 if a promise was
 * broken, 2 if the journal cannot be read, and 3 if some sentence was not checked at all.
 *
 *     node test/chaos/check/command.ts JOURNAL [--publish]
 *
 * `--publish` puts the figures of a run that kept every promise on the page /docs/chaos. Format it afterwards.
 */
import { readFile, writeFile } from "node:fs/promises";
import { judge, readJournal } from "./judge.ts";
import { EXIT, publishedReport, report } from "./report.ts";

const PAGE = new URL("../../../src/docs/chaos.md", import.meta.url).pathname;

const [path = "", flag] = process.argv.slice(2);
try {
  const verdict = judge(await readJournal(path));
  console.log(report(verdict));
  process.exitCode = EXIT[verdict.outcome];
  if (flag === "--publish" && verdict.outcome === "held") {
    const page = await readFile(PAGE, "utf8");
    const section = `$1\n\n${publishedReport(verdict)}\n\n$2`;
    await writeFile(PAGE, page.replace(/(^## The last published run$).*?(^## )/msu, section));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
