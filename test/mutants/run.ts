/**
 * `npm run mutants [-- GLOB]` puts small faults into the code, one at a time, and lists those that no test notices. With a glob
 * from the project's root, only in these files. The exit status is 1 if too many survive without a reason in survivors.json,
 * or if one that is listed there is noticed.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { compiling } from "./compiled.ts";
import { play } from "./play.ts";
import { type Numbered, numberedMutants } from "./rooms.ts";
import { figuresOf, keyOf, readSurvivors } from "./survivors.ts";

/** The smallest share of a room's mutants without a reason that the tests must catch. */
const ENOUGH = 0.95;

const root = join(import.meta.dirname, "../..");
const [glob] = process.argv.slice(2);
const mutants = numberedMutants(root, glob === undefined ? null : new Set(globSync(glob, { cwd: root })));
if (mutants.length === 0) {
  console.error(`No room has a file that matches ${glob}. See test/mutants/rooms.ts.`);
  process.exit(2);
}

const reasons = new Set(readSurvivors().map(keyOf));
const nameOf = ({ file, lineNumber, change }: Numbered): string => `${file}:${lineNumber}  ${change}`;
let isGood = true;
for (const [room, all] of Map.groupBy(mutants, (mutant) => mutant.room)) {
  const run = await play(root, compiling(root, all));
  const { unexplained, outdated, share } = figuresOf(run, reasons);
  for (const mutant of unexplained) console.log(`survived: ${nameOf(mutant)}`);
  for (const mutant of outdated) console.log(`listed as a survivor, but killed: ${nameOf(mutant)}`);
  console.log(
    `${room}: ${run.size} mutants, ${unexplained.length} survived without a reason, ${(share * 100).toFixed(1)} % killed`,
  );
  isGood &&= share >= ENOUGH && outdated.length === 0;
}
process.exit(isGood ? 0 : 1);
