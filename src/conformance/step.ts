/** What a conformance kit is made of: duties, each with a way to find out whether it is kept. */

/** One duty of a terminal or a POS. */
export interface Step<Scene> {
  /** For `--only`, and in JSON: lower case, with dashes. */
  name: string;
  /** What whoever is tested does, as a sentence without a subject: "Signs its login". */
  title: string;
  /** The rule. */
  duty: string;
  /** What a shop would suffer from it. */
  harm: string;
  /** What its maker can do about it. */
  mend: string;
  /** Finds out. Never rejects for what the tested side does; whatever it does is a verdict. */
  run(scene: Scene): Promise<Verdict>;
}

/** `expected` and `seen` are sentences or clauses for a person; no secret is ever in them. */
export type Broken = { kind: "broken"; expected: string; seen: string };

/** It could not be tried, as something before it did not work: whether the duty is kept is not known. */
export type Blocked = { kind: "blocked"; why: string };

export type Verdict =
  | { kind: "kept"; note?: string }
  | Broken
  | Blocked
  /** It was not tried, for a reason that is nobody's fault: nobody to ask, no time given. */
  | { kind: "left-out"; why: string };

/** A step's outcome. */
export interface Outcome {
  step: Pick<Step<never>, "name" | "title" | "duty" | "harm" | "mend">;
  verdict: Verdict;
  /** Milliseconds that it took. */
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

/** Kept where nothing is wrong; else broken, with everything that is. */
export function keptUnless(problems: readonly string[], expected: string): Verdict {
  return problems.length === 0 ? KEPT : broken(expected, problems.join("; "));
}

/** Milliseconds as a person says them: "31 ms", "1.5 s", "12 s", "15 min", "2 h". */
export function seconds(milliseconds: number): string {
  const value = milliseconds / 1_000;
  if (value < 1) return `${Math.round(milliseconds)} ms`;
  if (value < 10) return `${value.toFixed(1).replace(/\.0$/u, "")} s`;
  if (value < 2 * 60) return `${Math.round(value)} s`;
  return value < 2 * 3_600 ? `${Math.round(value / 60)} min` : `${Math.round(value / 3_600)} h`;
}
