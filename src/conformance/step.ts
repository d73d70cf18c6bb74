/** The duties that a conformance kit tests. */
import type { Result } from "../outcomes/result.ts";

/** What a person reads about a duty. */
export interface Words {
  /** The name for `--only` and in JSON: lower case, with dashes. */
  name: string;
  /** What the tested side does, as a sentence without a subject: "Signs its login". */
  title: string;
  /** The rule. */
  duty: string;
  /** What it costs a shop if the duty is broken. */
  harm: string;
  /** How the maker fixes it. */
  fix: string;
}

/** One duty of a terminal or a POS. */
export interface Step<Scene> extends Words {
  /** Tests the duty. Never rejects because of what the tested side does: that is a verdict. */
  run: (scene: Scene) => Promise<Verdict>;
}

export type Verdict =
  | { kind: "kept"; note?: string }
  /** `expected` and `seen` are sentences or clauses for a person. They never contain a secret. */
  | { kind: "broken"; expected: string; seen: string }
  /** Not tested because an earlier step failed: unknown whether the duty is kept. */
  | { kind: "blocked"; why: string }
  /** Skipped without a fault of the tested side: nobody to ask, no time given. */
  | { kind: "left-out"; why: string };

/** A step's outcome. */
export interface Outcome {
  step: Words;
  verdict: Verdict;
  /** Its duration in milliseconds. */
  took: number;
}

export const KEPT: Verdict = { kind: "kept" };

export function broken(expected: string, seen: string): Verdict {
  return { kind: "broken", expected, seen };
}

export function blocked(why: string): Verdict {
  return { kind: "blocked", why };
}

export function leftOut(why: string): Verdict {
  return { kind: "left-out", why };
}

export function keptIf(isKept: boolean, expected: string, seen: string): Verdict {
  return isKept ? KEPT : broken(expected, seen);
}

/** What is wrong, as clauses for a person; `false` for what is right. */
export type Problems = readonly (string | false)[];

export function problemsIn(problems: Problems): string[] {
  return problems.filter((problem) => problem !== false);
}

/** Kept without problems; otherwise broken, with all of them. */
export function keptUnless(problems: Problems, expected: string): Verdict {
  const found = problemsIn(problems);
  return keptIf(found.length === 0, expected, found.join("; "));
}

/** As `keptUnless`, for problems that repeat themselves: the first five different ones. */
export function keptThroughout(problems: Problems, expected: string): Verdict {
  return keptUnless([...new Set(problemsIn(problems))].slice(0, 5), expected);
}

/** Makes steps that judge what `prepare` brings about. Where it cannot, its verdict is the step's. */
export function stepsWith<Scene, Given>(prepare: (scene: Scene) => Promise<Result<Given, Verdict>>) {
  return ({ judge, ...words }: Words & { judge: (given: Given) => Verdict | Promise<Verdict> }): Step<Scene> => ({
    ...words,
    async run(scene) {
      const given = await prepare(scene);
      return given.ok ? judge(given.value) : given.error;
    },
  });
}

export interface RunOptions<Scene> {
  steps: readonly Step<Scene>[];
  /** Names of the steps to run; null for all. */
  only: readonly string[] | null;
  /** Why no further step can run, or null. Called before each step. */
  hopeless: () => string | null;
  /** Brings the tested side back to idle after a step. */
  tidy?: () => Promise<void>;
  onOutcome: ((outcome: Outcome) => void) | undefined;
}

/** Runs the steps one after the other. */
export async function runSteps<Scene>(scene: Scene, options: RunOptions<Scene>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { run, ...step } of options.steps) {
    if (options.only?.includes(step.name) === false) continue;
    const begun = performance.now();
    const hopeless = options.hopeless();
    const verdict = hopeless === null ? await run(scene) : blocked(hopeless);
    const outcome: Outcome = { step, verdict, took: Math.round(performance.now() - begun) };
    outcomes.push(outcome);
    options.onOutcome?.(outcome);
    if (hopeless === null) await options.tidy?.();
  }
  return outcomes;
}
