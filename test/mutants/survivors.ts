/** The mutants that may survive, each with its reason: survivors.json. A test holds the list to the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MutantName } from "./mutants.ts";

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
