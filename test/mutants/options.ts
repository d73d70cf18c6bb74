import { readTool, whole } from "../support/tool.ts";

const ABOUT = `npm run mutants -- [GLOB] [flags]

Puts small faults into the code, one at a time, and lists those that no test notices. With a glob from the project's root, such as
'src/keeper/**/*.ts', only in these files. All takes many hours, a sample of 100 some minutes.

The exit status is 1 if the tests notice too few: less than 95 % of each room, or of a sample of what a glob names, and less than
90 % of a sample of all. Those that test/mutants/survivors.json lists with a reason do not count, and no sample has them.
Without --sample, the status is also 1 if a test notices one of them.`;

const FLAGS = {
  sample: whole("only so many mutants, drawn from all that are not listed"),
  seed: whole("decides which are drawn (1)"),
};

/** `glob`, `sample`: null means all. */
export function readOptions(args: string[]) {
  const { values, positionals } = readTool(args, ABOUT, FLAGS, 1);
  return { glob: positionals[0] ?? null, sample: values.sample ?? null, seed: values.seed ?? 1 };
}
