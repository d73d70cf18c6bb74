/** The figures of a run, one line per room, and the survivors that no reason is known for. */
import type { Numbered } from "./plugin.ts";
import { keyOf } from "./survivors.ts";

export type Outcome = "killed" | "survived" | "not reached";

export interface Result {
  /** Of the room. */
  name: string;
  /** How many mutants the files have. */
  all: number;
  run: readonly { mutant: Numbered; outcome: Outcome }[];
  seconds: number;
}

export interface Figures {
  run: number;
  killed: number;
  /** Survivors with a reason. */
  listed: number;
  unexplained: Numbered[];
  /** Listed, but killed. */
  outdated: Numbered[];
  /** Of the mutants that are not listed, the share that was killed. */
  share: number;
}

/** @param reasons the keys of the listed survivors */
export function figuresOf({ run }: Pick<Result, "run">, reasons: ReadonlySet<string>): Figures {
  const isListed = (mutant: Numbered): boolean => reasons.has(keyOf(mutant));
  const survived = run.filter(({ outcome }) => outcome !== "killed").map(({ mutant }) => mutant);
  const killed = run.filter(({ outcome }) => outcome === "killed").map(({ mutant }) => mutant);
  const unexplained = survived.filter((mutant) => !isListed(mutant));
  const judged = killed.length + unexplained.length;
  const share = judged === 0 ? 1 : killed.length / judged;
  return {
    run: run.length,
    killed: killed.length,
    listed: survived.length - unexplained.length,
    unexplained,
    outdated: killed.filter((mutant) => isListed(mutant) && !survived.some((other) => keyOf(other) === keyOf(mutant))),
    share,
  };
}

/** What a person reads about a room. */
export function linesAbout({ name, all, seconds }: Result, figures: Figures): string[] {
  const { run, killed, listed, unexplained, outdated, share } = figures;
  return [
    ...unexplained.map((mutant) => `survived: ${nameOf(mutant)}`),
    ...outdated.map((mutant) => `listed as a survivor, but killed: ${nameOf(mutant)}`),
    `${name}: ${run} of ${all} mutants run in ${Math.round(seconds)} s, ${killed} killed, ${listed} survived with a reason, ` +
      `${unexplained.length} without. Killed of those without a reason to survive: ${(share * 100).toFixed(1)} %`,
  ];
}

export function nameOf({ file, lineNumber, change }: Numbered): string {
  return `${file}:${lineNumber}  ${change}`;
}
