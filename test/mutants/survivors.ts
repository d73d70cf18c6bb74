/** The mutants that may survive, each with its reason: survivors.json. A test holds the list to the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MutantName } from "./mutants.ts";
import type { Numbered } from "./rooms.ts";

export interface Survivor extends MutantName {
  /** Why no test catches it: what makes it equal to the code, or why a test would prove nothing. */
  reason: string;
}

export function readSurvivors(): Survivor[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "survivors.json"), "utf8")) as Survivor[];
}

/** A text that is equal for the same mutant. Equal changes of equal lines of a file share it. */
export function keyOf({ file, line, change }: MutantName): string {
  return [file, line, change].join("\n");
}

export type Outcome = "killed" | "survived" | "not reached";

/** @param reasons the keys of the listed survivors */
export function figuresOf(run: ReadonlyMap<Numbered, Outcome>, reasons: ReadonlySet<string>) {
  const isListed = (mutant: Numbered): boolean => reasons.has(keyOf(mutant));
  const { killed = [], survived = [] } = Object.groupBy(run.keys(), (mutant) =>
    run.get(mutant) === "killed" ? "killed" : "survived",
  );
  const unexplained = survived.filter((mutant) => !isListed(mutant));
  const judged = killed.length + unexplained.length;
  return {
    unexplained,
    /** Listed, but killed. */
    outdated: killed.filter((mutant) => isListed(mutant) && !survived.some((other) => keyOf(other) === keyOf(mutant))),
    /** Of the mutants that are not listed, the share that was killed. */
    share: judged === 0 ? 1 : killed.length / judged,
  };
}
