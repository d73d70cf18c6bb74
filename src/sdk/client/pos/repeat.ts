import { callBack } from "../check-options.ts";
import { fullJitter, halfJitter, sleep, RETRY_SPREAD } from "../backoff.ts";
import { stageKey, type StageMessage } from "../../../protocol/stages.ts";
import { PosError, type PosProblem } from "./error.ts";
import { SECOND, type Milliseconds } from "../../../protocol/time/units.ts";

export const REPEAT_WAIT = { first: 500, longest: 10 * SECOND };

/** A display that stands still looks broken. */
const PROGRESS_EVERY = SECOND;

export type Try<T> =
  | { kind: "done"; value: T }
  /** An answer that may still change: a 22. */
  | { kind: "pending"; value: T }
  /** If `taken`, the message may have been processed. */
  | { kind: "failed"; problem: PosProblem; taken: boolean; cause?: undefined }
  | { kind: "unavailable"; problem: PosProblem; taken: boolean; retryAfter: Milliseconds; cause?: unknown };

export interface Progress<T> {
  /**
   * While `asking`, a message is in transit, or the gateway holds its answer back; `waiting` lasts until the next
   * message.
   */
  state: "asking" | "waiting";
  /** Messages sent so far, from 1, all about the same transaction. */
  attempt: number;
  /** How long ago the call began, and how long until it ends at the latest. */
  elapsed: Milliseconds;
  left: Milliseconds;
  /** The last answer, a 22; null before there was one. */
  pending: T | null;
  /** Why the last message brought no answer; null if it did, or there was none yet. */
  problem: PosProblem | null;
  /**
   * The stages that the transaction has reached, each once, newest last. They are not the outcome. Empty for a
   * cancel, and if the gateway sends none.
   */
  stages: readonly StageMessage[];
}

export interface RepeatOptions<T> {
  /** All attempts together end within it. */
  within: Milliseconds;
  signal: AbortSignal | undefined;
  random: () => number;
  onProgress?: ((progress: Progress<T>) => void) | undefined;
}

/**
 * Repeats until there is a final result, the time is over, or the caller stops it. It uses the monotonic clock, because
 * the machine's time may be set meanwhile. When the time is over, it returns the last pending answer, or throws the
 * last problem if there is none. `attempt` gets the time that is left, and a callback for the stages.
 */
export async function repeat<T>(
  attempt: (left: number, onStage: (stage: StageMessage) => void) => Promise<Try<T>>,
  options: RepeatOptions<T>,
): Promise<T> {
  const { within, signal, random } = options;
  const end = performance.now() + within;
  let pending: { value: T } | null = null;
  let maybeTaken = false;
  const reporter = new Reporter(options);
  try {
    for (let tries = 0; ; tries++) {
      if (signal?.aborted) throw new PosError({ kind: "aborted", message: "Stopped by the caller." }, maybeTaken);
      reporter.tell({ state: "asking", attempt: tries + 1 });
      const made = await attempt(Math.round(end - performance.now()), (stage) => reporter.addStage(stage));
      if (made.kind === "done") return made.value;
      const { taken, problem, retryAfter } = { taken: true, problem: null, retryAfter: 0, ...made };
      // A refusal is about this message only. An earlier one may still be in progress.
      maybeTaken ||= taken;
      const wait = waitBefore(tries, retryAfter, random);
      const isLast = performance.now() + wait >= end;
      if (made.kind === "pending") pending = made;
      else if (made.kind === "failed" || signal?.aborted || (isLast && pending === null)) {
        throw new PosError(made.problem, maybeTaken, made.cause);
      }
      if (isLast && pending !== null) return pending.value;
      reporter.tell({ state: "waiting", pending: pending?.value ?? null, problem });
      await sleep(wait, signal);
    }
  } finally {
    reporter.end();
  }
}

/**
 * The gateway's own wait is also extended at random: POS programs refused together, as after midnight, must not
 * return together.
 */
export function waitBefore(tries: number, asked: Milliseconds, random: () => number): Milliseconds {
  if (asked === 0) return halfJitter(tries, REPEAT_WAIT, random);
  return asked + Math.max(asked * RETRY_SPREAD * random(), fullJitter(tries, REPEAT_WAIT, random));
}

class Reporter<T> {
  readonly #options: RepeatOptions<T>;
  readonly #begun: number;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  readonly #stages = new Set<string>();
  #known: Omit<Progress<T>, "elapsed" | "left">;
  #ended = false;

  constructor(options: RepeatOptions<T>) {
    this.#options = options;
    this.#begun = performance.now();
    this.#known = { state: "asking", attempt: 1, pending: null, problem: null, stages: [] };
    if (options.onProgress !== undefined) this.#timer = setInterval(() => this.tell({}), PROGRESS_EVERY);
  }

  tell(changes: Partial<Progress<T>>): void {
    const { onProgress, within } = this.#options;
    this.#known = { ...this.#known, ...changes };
    const elapsed = Math.round(performance.now() - this.#begun);
    void callBack("onProgress", () => onProgress?.({ ...this.#known, elapsed, left: Math.max(0, within - elapsed) }));
  }

  /** A message sent again gets the earlier stages once more. */
  addStage(stage: StageMessage): void {
    const key = stageKey(stage);
    if (this.#ended || this.#stages.has(key)) return;
    this.#stages.add(key);
    this.tell({ stages: [...this.#known.stages, stage] });
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
  }
}
