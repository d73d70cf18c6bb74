/** One sentence that a run must not contradict, and how often the run gave a chance to. */
import type { History, Line } from "./history.ts";
import type { Reference } from "./references.ts";

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

export interface Violation {
  says: string;
  lines: readonly Line[];
}

export class Check {
  readonly promise: PromiseId;
  readonly says: string;
  /** How often the run was held against it. 0: not checked. */
  made = 0;
  /** Where it could not be judged or is not promised, by reason. */
  readonly left: Record<string, number> = {};
  readonly violations: Violation[] = [];

  constructor(promise: PromiseId, says: string) {
    this.promise = promise;
    this.says = says;
  }

  /** Holds the run against the sentence once. `lines` may contain absent ones. */
  holds(isTrue: boolean, says: string, lines: readonly (Line | null | undefined)[]): void {
    this.made += 1;
    if (isTrue) return;
    const shown = new Map(lines.flatMap((line) => (line ? [[line.line, line]] : [])));
    this.violations.push({ says, lines: [...shown.values()].toSorted((a, b) => a.line - b.line) });
  }

  /** Notes a case that is left out, and why. */
  leaves(why: string): true {
    this.left[why] = (this.left[why] ?? 0) + 1;
    return true;
  }
}

export type Sentence = (history: History) => Check;

/** Sentences of a promise, each with what holds a whole run against it. */
export function sentences(
  promise: PromiseId,
  all: Readonly<Record<string, (check: Check, history: History) => void>>,
): Sentence[] {
  return Object.entries(all).map(([says, hold]) => (history) => {
    const check = new Check(promise, says);
    hold(check, history);
    return check;
  });
}

/** Sentences about each reference by itself. */
export function perReference(
  promise: PromiseId,
  all: Readonly<Record<string, (check: Check, reference: Reference, history: History) => void>>,
): Sentence[] {
  return Object.entries(all).map(([says, hold]) => (history) => {
    const check = new Check(promise, says);
    for (const reference of history.references.values()) hold(check, reference, history);
    return check;
  });
}
