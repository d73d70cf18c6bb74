/** `npm run mutants`: which small faults in the code do the tests not notice? See `--help`. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { randomOf } from "../model/random.ts";
import { compiling } from "./compiled.ts";
import { readOptions, USAGE } from "./options.ts";
import { play } from "./play.ts";
import { numberedMutants, type Numbered } from "./plugin.ts";
import { figuresOf, linesAbout } from "./report.ts";
import { roomsOf, TestFiles } from "./rooms.ts";
import { keyOf, readSurvivors } from "./survivors.ts";

const options = readOptions(process.argv.slice(2));
if (options === "help") {
  console.log(USAGE);
  process.exit(0);
}
if ("mistake" in options) {
  console.error(`${options.mistake}\n\n${USAGE}`);
  process.exit(2);
}

const root = join(import.meta.dirname, "../..");
const { files, sample, seed } = options;
const reasons = new Set(readSurvivors().map(keyOf));
const wanted = files === null ? null : new Set(globSync(files, { cwd: root }));
const testFiles = new TestFiles(root);

/** Each with the same chance. A sample has only what compiles. */
function drawn(mutants: readonly Numbered[], count: number): Numbered[] {
  const random = randomOf(seed);
  const order = new Map(mutants.map((mutant) => [mutant, random.next()]));
  const place = (mutant: Numbered): number => order.get(mutant) ?? 0;
  const shuffled = mutants.toSorted((a, b) => place(a) - place(b));
  const good: Numbered[] = [];
  for (let from = 0; good.length < count && from < shuffled.length; from += 2 * count) {
    good.push(...compiling(root, shuffled.slice(from, from + 2 * count)));
  }
  return good.slice(0, count);
}

/** Runs mutants, and says what became of them. @returns whether it is good enough */
async function tell(name: string, mutants: readonly Numbered[], all: number, enough: number): Promise<boolean> {
  const from = Date.now();
  const outcomes = await play(root, mutants, testFiles);
  const run = mutants.map((mutant) => {
    const outcome = outcomes.get(mutant.number);
    if (outcome === undefined) throw new Error(`mutant ${mutant.number} of ${mutant.file} was not run`);
    return { mutant, outcome };
  });
  const figures = figuresOf({ run }, reasons);
  for (const line of linesAbout({ name, all, run, seconds: (Date.now() - from) / 1000 }, figures)) console.log(line);
  return figures.share >= enough && figures.outdated.length === 0;
}

/** The smallest share of mutants without a reason that the tests must catch: of each room, and of a sample of them all. */
const OF_A_ROOM = 0.95;
const OF_A_SAMPLE = 0.9;

const rooms = roomsOf(root).map(({ name, files: paths }) => ({
  name,
  files: paths.filter((path) => wanted === null || wanted.has(path)),
}));
const mutants = numberedMutants(root, rooms);
if (mutants.length === 0) {
  console.error(`No room has a file that matches ${files ?? "**"}. See test/mutants/rooms.ts.`);
  process.exit(2);
}
const isGood: boolean[] = [];
if (sample !== null) isGood.push(await tell("all rooms", drawn(mutants, sample), mutants.length, OF_A_SAMPLE));
else {
  for (const [room, own] of Map.groupBy(mutants, (mutant) => mutant.room)) {
    isGood.push(await tell(room, compiling(root, own), own.length, OF_A_ROOM));
  }
}
process.exit(isGood.every(Boolean) ? 0 : 1);
