/**
 * Publishes the report of a run on the page /docs/chaos:
 *
 *     node test/chaos/check/publish.ts FOLDER/report.md && npm run format
 *
 * A report with a violation is not published: fix what it found first.
 */
import { readFile, writeFile } from "node:fs/promises";

const PAGE = new URL("../../../src/docs/chaos-report.md", import.meta.url).pathname;

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error("Usage: node test/chaos/check/publish.ts FOLDER/report.md");
  process.exitCode = 2;
} else {
  const report = await readFile(path, "utf8");
  if (report.startsWith("**All promises held**")) await writeFile(PAGE, report);
  else {
    console.error("This run broke a promise, or did not check one. Its report is not published.");
    process.exitCode = 1;
  }
}
