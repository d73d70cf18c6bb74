/** `npm run chaos`. See `--help`. */
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JournalFile } from "./journal-file.ts";
import { readOptions, USAGE } from "./options.ts";
import { run } from "./run.ts";

const options = readOptions(process.argv.slice(2));
if (options === "help") {
  console.log(USAGE);
  process.exit(0);
}
if ("mistake" in options) {
  console.error(options.mistake);
  process.exit(2);
}

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
say(`The journal is ${journal.path}.`);
process.exit(0);
