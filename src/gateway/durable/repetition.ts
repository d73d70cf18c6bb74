import { log } from "../lib/log.ts";
import { isOverload } from "./sockets.ts";
import { type Milliseconds, SECOND } from "../../protocol/time/units.ts";

/** The longest pause before the first retry of a call to an object. It doubles up to `RETRY_LONGEST_WAIT`. */
const RETRY_FIRST_WAIT = 250;
const RETRY_LONGEST_WAIT = 2 * SECOND;

/** One call is retried at most this often. */
const RETRIES = 3;

/** Errors of which the platform does not say that they may be retried are retried at most this often. */
const RETRIES_OF_UNKNOWN = 1;

/** The object was reset while the Worker waited on its socket, or the connection to it broke. */
export class BrokenWait extends Error {
  readonly retryable = true;
}

/** Whether the platform says that the call may be made again (error-handling, see `Repetition`). */
function isRetryable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "retryable" in error && error.retryable === true;
}

/**
 * Decides whether a failed call to an object is made again, as the platform asks: only if the error says `retryable` and
 * not `overloaded`, a few times, after a random pause, with a new stub
 * (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/). What never reached the object, the
 * runtime itself repeats for ten seconds (https://developers.cloudflare.com/durable-objects/best-practices/automatic-retries/).
 *
 * An error without any mark is repeated once: a reset in the middle of a call gives such a one
 * (`test/workerd/platform/calls.test.ts`), and every call that is repeated here joins what the first one began. More would hide
 * a fault of our own, which fails each time.
 *
 * Every failure is logged with its cause.
 */
export class Repetition {
  readonly #facts: Record<string, unknown>;
  #retries = 0;
  #unknown = 0;

  /** @param facts for the log: which call, for whom */
  constructor(facts: Record<string, unknown>) {
    this.#facts = facts;
  }

  /**
   * @param error what the call threw, or a `BrokenWait`
   * @returns the wait before the next call, or null if there is none
   */
  pauseAfter(error: unknown): Milliseconds | null {
    const pause = this.#mayRepeat(error) ? Math.random() * this.#longest() : null;
    const event = pause === null ? "object_call_failed" : "object_call_repeated";
    log("warning", event, { ...this.#facts, attempt: this.#retries, detail: String(error) });
    return pause;
  }

  #mayRepeat(error: unknown): boolean {
    if (isOverload(error) || this.#retries >= RETRIES) return false;
    if (!isRetryable(error) && ++this.#unknown > RETRIES_OF_UNKNOWN) return false;
    this.#retries += 1;
    return true;
  }

  /** Full jitter: the pause is random, and at most this, so that callers of one object spread out. */
  #longest(): number {
    return Math.min(RETRY_FIRST_WAIT * 2 ** (this.#retries - 1), RETRY_LONGEST_WAIT);
  }
}
