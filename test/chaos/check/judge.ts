/** Judges a run by its journal alone. It knows the contract and nothing of the code. */
import type { Entry } from "../journal.ts";
import { askingAgain } from "./asking-again.ts";
import { atMostOnce } from "./at-most-once.ts";
import type { Check } from "./check.ts";
import { History } from "./history.ts";
import { nothingLeaks } from "./nothing-leaks.ts";
import { nothingLost } from "./nothing-lost.ts";
import { nothingMissed } from "./nothing-missed.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { operatorsDecisions } from "./operators-decisions.ts";
import { statusIsAPromise } from "./status-is-a-promise.ts";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

export interface Verdict {
  /** `not checked`: nothing was violated, but the run did not reach its end, or gave no chance to contradict some sentence. */
  outcome: "held" | "violated" | "not checked";
  isComplete: boolean;
  unchecked: readonly Check[];
  checks: readonly Check[];
  history: History;
}

const CHECKS = [
  atMostOnce,
  statusIsAPromise,
  operatorsDecisions,
  askingAgain,
  nothingLost,
  oneAtATime,
  nothingLeaks,
  nothingMissed,
].flat();

export function judge(entries: Iterable<Entry>): Verdict {
  const history = new History(entries);
  const checks = CHECKS.map((check) => check(history));
  const unchecked = checks.filter(({ made }) => made === 0);
  const isViolated = checks.some(({ violations }) => violations.length > 0);
  const { isComplete } = history;
  return {
    outcome: isViolated ? "violated" : unchecked.length > 0 || !isComplete ? "not checked" : "held",
    isComplete,
    unchecked,
    checks,
    history,
  };
}

/**
 * The entries of a journal, one a line. A last line that was cut off, because the run was killed while it wrote, is left out;
 * any other line that is not JSON throws an error with its number.
 */
export async function readJournal(path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let broken: number | null = null;
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Infinity })) {
    number += 1;
    if (broken !== null) throw new Error(`${path}:${broken} is not JSON.`);
    try {
      entries.push(JSON.parse(text) as Entry);
    } catch {
      broken = number;
    }
  }
  return entries;
}
