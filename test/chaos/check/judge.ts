/** Judges a run by its journal alone. It knows the contract and nothing of the code. */
import type { Entry } from "../journal.ts";
import { answerTimes } from "./answer-times.ts";
import { askingAgain } from "./asking-again.ts";
import { atMostOnce } from "./at-most-once.ts";
import type { CheckResult } from "./check.ts";
import { contraryResults } from "./contrary-results.ts";
import { figuresOf, type Figures } from "./figures.ts";
import { History } from "./history.ts";
import { nothingLeaks } from "./nothing-leaks.ts";
import { nothingLost } from "./nothing-lost.ts";
import { nothingMissed } from "./nothing-missed.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { operatorsDecisions } from "./operators-decisions.ts";
import { statusIsAPromise } from "./status-is-a-promise.ts";
import { webhooks } from "./webhooks.ts";

export interface Verdict {
  /** `not checked`: nothing was violated, but the run did not reach its end, or gave no chance to contradict some sentence. */
  outcome: "held" | "violated" | "not checked";
  /** Whether the journal goes to the run's end. */
  isComplete: boolean;
  /** Sentences that nothing was held against. */
  unchecked: readonly CheckResult[];
  checks: readonly CheckResult[];
  figures: Figures;
}

const CHECKS = [
  atMostOnce,
  statusIsAPromise,
  operatorsDecisions,
  contraryResults,
  askingAgain,
  answerTimes,
  nothingLost,
  oneAtATime,
  nothingLeaks,
  nothingMissed,
  webhooks,
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
    figures: figuresOf(history),
  };
}
