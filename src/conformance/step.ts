/** The duties that a conformance kit tests. */

/** One duty of a terminal or a POS. */
export interface Step<Scene> {
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
  /** Tests the duty. Never rejects because of what the tested side does: that is a verdict. */
  run(scene: Scene): Promise<Verdict>;
}

/** `expected` and `seen` are sentences or clauses for a person. They never contain a secret. */
export type Broken = { kind: "broken"; expected: string; seen: string };

/** Not tested because an earlier step failed: unknown whether the duty is kept. */
export type Blocked = { kind: "blocked"; why: string };

export type Verdict =
  | { kind: "kept"; note?: string }
  | Broken
  | Blocked
  /** Skipped without a fault of the tested side: nobody to ask, no time given. */
  | { kind: "left-out"; why: string };

/** A step's outcome. */
export interface Outcome {
  step: Pick<Step<never>, "name" | "title" | "duty" | "harm" | "fix">;
  verdict: Verdict;
  /** Its duration in milliseconds. */
  took: number;
}

export const KEPT: Verdict = { kind: "kept" };

export function broken(expected: string, seen: string): Broken {
  return { kind: "broken", expected, seen };
}

export function blocked(why: string): Blocked {
  return { kind: "blocked", why };
}

export function leftOut(why: string): Verdict {
  return { kind: "left-out", why };
}

/** Kept without problems; otherwise broken, with all of them. */
export function keptUnless(problems: readonly string[], expected: string): Verdict {
  return problems.length === 0 ? KEPT : broken(expected, problems.join("; "));
}
