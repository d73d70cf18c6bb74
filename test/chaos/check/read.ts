/** Reads a journal from its file. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Entry } from "../journal.ts";

/**
 * The entries of a journal, one a line. A last line that was cut off, because the run was killed while it wrote, is left out;
 * any other line that is not JSON throws an error with its number.
 */
export async function readJournal(path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let broken: number | null = null;
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity })) {
    number += 1;
    if (broken !== null) throw new Error(`${path}:${broken} is not JSON.`);
    try {
      entries.push(JSON.parse(text) as Entry);
    } catch {
      broken = number;
    }
  }
  return entries;
}
