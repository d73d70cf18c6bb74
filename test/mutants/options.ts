import { parseArgs } from "node:util";

export interface Options {
  /** From the project's root; null: all files of the rooms. */
  glob: string | null;
  /** How many mutants; null: all. */
  sample: number | null;
  seed: number;
}

export const USAGE = `npm run mutants -- [GLOB] [flags]

Puts small faults into the code, one at a time, and lists those that no test notices. With a glob from the project's root, such as
'src/keeper/**/*.ts', only in these files. All takes many hours, a sample of 100 some minutes.

The exit status is 1 if the tests notice too few: less than 95 % of each room, or of a sample of what a glob names, and less than
90 % of a sample of all. Those that test/mutants/survivors.json lists with a reason do not count; without --sample, the status is
also 1 if one of them is noticed.

  --sample NUMBER   only so many mutants, drawn from all of them together
  --seed 1          decides which are drawn
  --help            prints this text`;

/** Reads the command line. Returns a message if it is invalid. */
export function readOptions(args: string[]): Options | { mistake: string } | "help" {
  const text = { type: "string" } as const;
  try {
    const options = { sample: text, seed: text, help: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help === true) return "help";
    const { sample = null, seed = "1" } = values;
    for (const [name, value] of Object.entries({ sample, seed })) {
      if (value !== null && !/^[1-9]\d{0,5}$/u.test(value)) {
        return { mistake: `Use --${name} with a number from 1 to 999999.` };
      }
    }
    if (positionals.length > 1) return { mistake: "Use one glob, and put it in quotes." };
    return { glob: positionals[0] ?? null, sample: sample === null ? null : Number(sample), seed: Number(seed) };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}
