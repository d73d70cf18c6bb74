/** One sentence that a run must not contradict, and how often the run gave a chance to. */
import type { Line } from "./lines.ts";

/** The promises of the README, in its order. */
export const PROMISES = {
  I1: "At most once",
  I2: "The status is a promise",
  I3: "Asking again is sending again",
  I4: "Nothing acknowledged is lost",
  I5: "One at a time",
  I6: "Nothing leaks",
  I7: "Nothing is missed",
} as const;
export type PromiseId = keyof typeof PROMISES;

/** What contradicts a sentence. */
export interface Violation {
  says: string;
  /** The entries of the journal that show it, in their order. */
  lines: readonly Line[];
}

export interface CheckResult {
  promise: PromiseId;
  /** The sentence. */
  says: string;
  /** How often the run was held against it. 0: not checked. */
  made: number;
  /** Where it could not be judged or is not promised, by reason. */
  left: Readonly<Record<string, number>>;
  violations: readonly Violation[];
}

export class Check {
  readonly #promise: PromiseId;
  readonly #says: string;
  #made = 0;
  readonly #left = new Map<string, number>();
  readonly #violations: Violation[] = [];

  constructor(promise: PromiseId, says: string) {
    this.#promise = promise;
    this.#says = says;
  }

  /** Holds the run against the sentence once. `lines` may contain absent ones. */
  holds(isTrue: boolean, says: () => string, lines: () => readonly (Line | null | undefined)[]): void {
    this.#made += 1;
    if (isTrue) return;
    const shown = new Map(lines().flatMap((line) => (line ? [[line.line, line]] : [])));
    this.#violations.push({ says: says(), lines: [...shown.values()].toSorted((a, b) => a.line - b.line) });
  }

  /** Notes a case that is left out, and why. */
  leaves(why: string): void {
    this.#left.set(why, (this.#left.get(why) ?? 0) + 1);
  }

  get result(): CheckResult {
    return {
      promise: this.#promise,
      says: this.#says,
      made: this.#made,
      left: Object.fromEntries(this.#left),
      violations: this.#violations,
    };
  }
}
