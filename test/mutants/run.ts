/** `npm run mutants`: which small faults in the code do the tests not notice? See `--help`. */
import { globSync } from "node:fs";
import { randomOf } from "../model/random.ts";
import { readOptions, USAGE } from "./options.ts";
import { numberedMutants, type Numbered } from "./plugin.ts";
import { figuresOf, linesAbout, type Result } from "./report.ts";
import { keyOf, readSurvivors } from "./survivors.ts";
import { TARGETS, type Target } from "./targets.ts";
import { play } from "./play.ts";

const options = readOptions(process.argv.slice(2));
if (options === "help") {
  console.log(USAGE);
  process.exit(0);
}
if ("mistake" in options) {
  console.error(`${options.mistake}\n\n${USAGE}`);
  process.exit(2);
}

const root = new URL("../..", import.meta.url).pathname;
const { files, sample, seed } = options;
const reasons = new Set(readSurvivors().map(keyOf));
const wanted = files === null ? null : new Set(globSync(files, { cwd: root }));

/** Each with the same chance. */
function drawn(mutants: readonly Numbered[]): Numbered[] {
  const random = randomOf(seed);
  const order = new Map(mutants.map((mutant) => [mutant, random.next()]));
  return mutants.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)).slice(0, sample ?? mutants.length);
}

async function resultOf(name: string, target: Target): Promise<Result | null> {
  const paths = globSync([...target.files], { cwd: root, exclude: [...(target.without ?? [])] })
    .filter((path) => wanted === null || wanted.has(path))
    .toSorted();
  const mutants = numberedMutants(root, paths);
  if (mutants.length === 0) return null;
  const chosen = drawn(mutants);
  const from = Date.now();
  const outcomes = await play(root, target, mutants, new Set(chosen.map(({ number }) => number)));
  const run = chosen.map((mutant) => {
    const outcome = outcomes.get(mutant.number);
    if (outcome === undefined) throw new Error(`mutant ${mutant.number} of ${mutant.file} was not run`);
    return { mutant, outcome };
  });
  return { target: name, all: mutants.length, run, seconds: (Date.now() - from) / 1000 };
}

let played = 0;
for (const [name, target] of Object.entries(TARGETS)) {
  const result = await resultOf(name, target);
  if (result === null) continue;
  const figures = figuresOf(result, reasons);
  for (const line of linesAbout(result, figures)) console.log(line);
  if (!figures.isEnough || figures.outdated.length > 0) process.exitCode = 1;
  played++;
}
if (played === 0) {
  console.error(`No target has a file that matches ${files ?? "**"}. See test/mutants/targets.ts.`);
  process.exitCode = 2;
}
