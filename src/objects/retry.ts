/** When a failed call to an object is retried. */
import { RETRY_FIRST_WAIT, RETRY_LONGEST_WAIT } from "./limits.ts";

/** The pauses between attempts, in milliseconds, without end. */
export function* pauses(): Generator<number, never> {
  for (let pause = RETRY_FIRST_WAIT; ; pause = Math.min(pause * 2, RETRY_LONGEST_WAIT)) yield pause;
}

/** More calls do not help an overloaded object. */
export function isOverload(error: unknown): boolean {
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}
