/** What `npm run mutants` takes. */
import { parseArgs } from "node:util";

export interface Options {
  /** Only these files: a glob from the project's root. */
  files: string | null;
  /** Run this many mutants of each target, chosen by `seed`; null: the target's own number. */
  sample: number | null;
  /** Run every mutant of each target. */
  all: boolean;
  seed: number;
}

export function optionsFrom(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: "string" },
      sample: { type: "string" },
      all: { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
    },
  });
  const { files = null, sample, all, seed } = values;
  return { files, sample: sample === undefined ? null : wholeNumber(sample), all, seed: wholeNumber(seed) };
}

function wholeNumber(text: string): number {
  if (!/^[0-9]{1,9}$/u.test(text)) throw new Error(`${text} is not a whole number`);
  return Number(text);
}
