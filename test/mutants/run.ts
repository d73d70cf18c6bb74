/** `npm run mutants`. See `--help`. */
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { join } from "node:path";
import { given } from "../support/tool.ts";
import { compiling } from "./compiled.ts";
import { readOptions } from "./options.ts";
import { play } from "./play.ts";
import { type Numbered, numberedMutants } from "./rooms.ts";
import { figuresOf, keyOf, type Outcome, readSurvivors } from "./survivors.ts";

/**
 * `enough`: the smallest share of mutants without a reason that the tests must notice, of each room, and of a sample of them all.
 * `asked`: how many files of tests that come to a mutant are asked. A room may have 45 of its own, which are asked before those of
 * others that notice it.
 */
const OF_A_ROOM = { enough: 0.95, asked: 80 };
const OF_A_SAMPLE = { enough: 0.9, asked: 20 };

/** How many run at the same time: most of a run is waiting for what a mutant keeps from coming. */
const AT_ONCE = 5;

/** How many mutants one process plays: the tests that a mutant breaks leave more and more behind. */
const OF_A_PROCESS = 150;

const root = join(import.meta.dirname, "../..");
const { glob, sample, seed } = given(readOptions);
const mutants = numberedMutants(root, glob === null ? null : new Set(globSync(glob, { cwd: root })));
if (mutants.length === 0) {
  console.error(`No room has a file that matches ${glob}. See test/mutants/rooms.ts.`);
  process.exit(2);
}

const reasons = new Set(readSurvivors().map(keyOf));
const nameOf = ({ file, lineNumber, change }: Numbered): string => `${file}:${lineNumber}  ${change}`;

/** Mutants of one file are together, because they need the same files of tests. */
async function playAll(some: readonly Numbered[], asked: number): Promise<Map<Numbered, Outcome>> {
  const left = some.toSorted((a, b) => a.number - b.number);
  const size = Math.min(Math.ceil(left.length / AT_ONCE), OF_A_PROCESS);
  const outcomes = new Map<Numbered, Outcome>();
  async function playParts(): Promise<void> {
    while (left.length > 0) {
      for (const [mutant, outcome] of await play(root, left.splice(0, size), asked)) outcomes.set(mutant, outcome);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, playParts));
  return outcomes;
}

/** Runs mutants, and says which survived. @returns whether enough were killed */
async function tell(name: string, some: readonly Numbered[], { enough, asked }: typeof OF_A_ROOM): Promise<boolean> {
  const run = await playAll(some, asked);
  const { unexplained, outdated, share } = figuresOf(run, reasons);
  for (const mutant of unexplained) console.log(`survived: ${nameOf(mutant)}`);
  for (const mutant of outdated) console.log(`listed as a survivor, but killed: ${nameOf(mutant)}`);
  console.log(
    `${name}: ${run.size} mutants, ${unexplained.length} survived without a reason, ${(share * 100).toFixed(1)} % killed`,
  );
  return share >= enough && outdated.length === 0;
}

/**
 * Where a mutant stands in the order of this seed. By what it is and not by its number: whoever changes some code has the
 * same sample of all other code.
 */
const places = new Map<string, number>();
function placeOf(mutant: Numbered): string {
  const key = keyOf(mutant);
  const nth = (places.get(key) ?? 0) + 1;
  places.set(key, nth);
  return createHash("sha256").update(`${seed} ${nth} ${key}`).digest("hex");
}

/** So many that compile and are not listed, each with the same chance. Those that are listed take longest, and do not count. */
function drawn(count: number): Numbered[] {
  const shuffled = mutants
    .filter((mutant) => !reasons.has(keyOf(mutant)))
    .map((mutant) => ({ mutant, place: placeOf(mutant) }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutant }) => mutant);
  const good: Numbered[] = [];
  // Two of three compile.
  for (let from = 0, portion = Math.ceil(1.6 * count); good.length < count && from < shuffled.length; from += portion) {
    good.push(...compiling(root, shuffled.slice(from, from + portion)));
  }
  return good.slice(0, count);
}

const isGood: boolean[] = [];
if (sample !== null) isGood.push(await tell("a sample", drawn(sample), glob === null ? OF_A_SAMPLE : OF_A_ROOM));
else {
  for (const [room, all] of Map.groupBy(mutants, (mutant) => mutant.room)) {
    isGood.push(await tell(room, compiling(root, all), OF_A_ROOM));
  }
}
process.exit(isGood.every(Boolean) ? 0 : 1);
