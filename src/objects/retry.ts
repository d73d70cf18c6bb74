/** When a failed call to an object, or a failed write to D1, is retried. */
import { NOTE_RETRY, NOTE_RETRY_AT_MOST, RETRY_FIRST_WAIT, RETRY_LONGEST_WAIT } from "./limits.ts";

/** The pauses between attempts, in milliseconds, without end. */
export function* pauses(): Generator<number, never> {
  for (let pause = RETRY_FIRST_WAIT; ; pause = Math.min(pause * 2, RETRY_LONGEST_WAIT)) yield pause;
}

/** More calls do not help an overloaded object. */
export function isOverload(error: unknown): boolean {
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}

/**
 * The delay before a failed write to D1 is retried, in whole milliseconds: between half of its bound and the bound.
 *
 * It grows with the age of the news, not with a count of attempts, because an object that sleeps in between forgets the
 * count.
 *
 * @param age milliseconds since there is something to write; 0: the delay must not grow
 * @param random from 0 to 1
 */
export function noteRetryIn(age: number, random: () => number): number {
  const bound = Math.min(Math.max(age, NOTE_RETRY), NOTE_RETRY_AT_MOST);
  // A whole number, like alarms: an alarm that fired a moment too early would be set again at once, repeatedly.
  return Math.ceil((bound / 2) * (1 + random()));
}
