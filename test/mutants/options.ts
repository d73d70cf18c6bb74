import { parseArgs } from "node:util";

export interface Options {
  /** Only these files: a glob from the project's root. */
  files: string | null;
  /** Run this many mutants of all rooms together, chosen by `seed`; null: all of them, room by room. */
  sample: number | null;
  seed: number;
}

export const USAGE = `npm run mutants -- [flags]

Puts small faults into the code, one at a time, and lists those that no test notices. The exit status is 1 if too many
survive without a reason in test/mutants/survivors.json, or if one that is listed there is noticed.

  --files GLOB    only faults in these files, from the project's root
  --sample 50     this many faults of all rooms together, drawn at random. Without it: all of them, room by room
  --seed 1        decides which ones are drawn
  --help          prints this text`;

/** Reads the command line. Returns a message if it is invalid. */
export function readOptions(args: string[]): Options | { mistake: string } | "help" {
  const text = { type: "string" } as const;
  const options = { files: text, sample: text, seed: { ...text, default: "1" }, help: { type: "boolean" } } as const;
  try {
    const { files = null, sample, seed, help } = parseArgs({ args, options }).values;
    if (help === true) return "help";
    return {
      files,
      sample: sample === undefined ? null : wholeNumber("sample", sample),
      seed: wholeNumber("seed", seed),
    };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

function wholeNumber(name: string, value: string): number {
  if (!/^\d{1,9}$/u.test(value)) throw new Error(`Use --${name} with a whole number.`);
  return Number(value);
}
