/** When a call to an object that broke is made again, and a write to D1 that failed. */
import { NOTE_RETRY, NOTE_RETRY_AT_MOST, RETRY_FIRST_WAIT, RETRY_LONGEST_WAIT } from "./limits.ts";

/** The pauses before one try and the next, in milliseconds, without end. */
export function* pauses(): Generator<number, never> {
  for (let pause = RETRY_FIRST_WAIT; ; pause = Math.min(pause * 2, RETRY_LONGEST_WAIT)) yield pause;
}

/** An overloaded object is not helped by more calls. */
export function isOverload(error: unknown): boolean {
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}

/**
 * The delay before a failed write to D1 is retried, in whole milliseconds: between half of its bound and all of it.
 *
 * It grows with the age of the news, and not with a count of tries, as an object that sleeps in between forgets those.
 *
 * @param age milliseconds since there is something to tell; 0: the retry must not grow later
 * @param random from 0 to 1
 */
export function noteRetryIn(age: number, random: () => number): number {
  const bound = Math.min(Math.max(age, NOTE_RETRY), NOTE_RETRY_AT_MOST);
  // A whole number, as alarms have: one that fired a moment too early would be set again at once, and again.
  return Math.ceil((bound / 2) * (1 + random()));
}
