import type { Result } from "../../protocol/result.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import type { ListenAddress, Listener } from "./listen.ts";
import { wrongSignature } from "./message.ts";
import type { Tester } from "./tester.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

/** A step's texts for a person. */
export interface StepWords {
  /** The name for `--only` and in JSON: lower case, with dashes. */
  name: string;
  /** What the tested side does, as a sentence without a subject: "Signs its login". */
  title: string;
  duty: string;
  /** What it costs a shop if the duty is broken. */
  harm: string;
  fix: string;
}

export interface KitStep<Scene> extends StepWords {
  /** Never rejects because of what the tested side does: that is a verdict. */
  run: (scene: Scene) => Promise<StepVerdict>;
}

export type StepVerdict =
  /** `seen`: what was right, if the step compared something. */
  | { kind: "kept"; note?: string; seen?: string }
  /** `expected` and `seen` are sentences or clauses for a person. They never contain a secret. */
  | { kind: "broken"; expected: string; seen: string }
  /** It was not tested because an earlier step failed, so nobody knows whether the duty is kept. */
  | { kind: "blocked"; why: string }
  /** Nothing that the kit sees is wrong, but what decides about the money is out of its sight. */
  | { kind: "unseen"; why: string }
  /** It was skipped for a reason outside the tested side: nobody to ask, or no time given. */
  | { kind: "left-out"; why: string };

export interface StepOutcome {
  step: StepWords;
  verdict: StepVerdict;
  took: Milliseconds;
}

export const KEPT: StepVerdict = { kind: "kept" };

export function brokenVerdict(expected: string, seen: string): StepVerdict {
  return { kind: "broken", expected, seen };
}

export function blockedVerdict(why: string): StepVerdict {
  return { kind: "blocked", why };
}

export function unseenVerdict(why: string): StepVerdict {
  return { kind: "unseen", why };
}

export function leftOutVerdict(why: string): StepVerdict {
  return { kind: "left-out", why };
}

export function keptIf(isKept: boolean, expected: string, seen: string): StepVerdict {
  return isKept ? { kind: "kept", seen: expected } : brokenVerdict(expected, seen);
}

/** Clauses for a person; `false` for what is right. */
export type PossibleProblems = readonly (string | false)[];

export function problemsIn(problems: PossibleProblems): string[] {
  return problems.filter((problem) => problem !== false);
}

export function keptUnless(problems: PossibleProblems, expected: string): StepVerdict {
  const found = problemsIn(problems);
  return keptIf(found.length === 0, expected, found.join("; "));
}

/** For problems that repeat: the first five different ones. */
export function keptThroughout(problems: PossibleProblems, expected: string): StepVerdict {
  return keptUnless([...new Set(problemsIn(problems))].slice(0, 5), expected);
}

/** @param wrong the messages among `all` that are not signed correctly */
export function keptIfSigned(all: number, wrong: readonly JsonObject[], expected: string): StepVerdict {
  const [first] = wrong;
  if (first === undefined) return { kind: "kept", seen: `${all} messages, all signed correctly` };
  return brokenVerdict(expected, `${wrong.length} of ${all} are not signed correctly: ${wrongSignature(first)}`);
}

/** Steps that judge the result of `prepare`. If it fails, its verdict is the step's. */
export function stepsWith<Scene, Given>(prepare: (scene: Scene) => Promise<Result<Given, StepVerdict>>) {
  return ({
    judge,
    ...words
  }: StepWords & { judge: (given: Given) => StepVerdict | Promise<StepVerdict> }): KitStep<Scene> => ({
    ...words,
    async run(scene) {
      const given = await prepare(scene);
      return given.ok ? judge(given.value) : given.error;
    },
  });
}

export interface KitRunOptions {
  address: ListenAddress;
  tester: Tester;
  /** Names of the steps to run; null for all. */
  only: readonly string[] | null;
  /** Also runs steps that take a minute or more. */
  patient: boolean;
  onOpen?: (url: string) => void;
  onOutcome?: (outcome: StepOutcome) => void;
}

interface Shared<Scene> {
  /** Why no further step can run, or null. */
  hopeless: string | null;
  judge(step: KitStep<Scene>): Promise<StepVerdict>;
  tidy?(): Promise<void>;
}

/** Resolves when every step has a verdict. Rejects if the kit cannot listen at its address. */
export async function runKit<Scene extends Shared<Scene>>(
  gateway: Listener,
  scene: Scene,
  steps: readonly KitStep<Scene>[],
  { only, onOpen, onOutcome }: KitRunOptions,
): Promise<StepOutcome[]> {
  const url = await gateway.open();
  try {
    onOpen?.(url);
    const outcomes: StepOutcome[] = [];
    for (const step of steps) {
      if (only?.includes(step.name) === false) continue;
      const begun = performance.now();
      const { hopeless } = scene;
      const verdict = hopeless === null ? await scene.judge(step) : blockedVerdict(hopeless);
      const { run: _run, ...words } = step;
      const outcome: StepOutcome = { step: words, verdict, took: Math.round(performance.now() - begun) };
      outcomes.push(outcome);
      onOutcome?.(outcome);
      if (hopeless === null) await scene.tidy?.();
    }
    return outcomes;
  } finally {
    await gateway.close();
  }
}
