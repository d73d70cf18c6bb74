/** When a call to an object that broke is made again. */
import { RETRY_FIRST_WAIT, RETRY_LONGEST_WAIT } from "./limits.ts";

/** The pauses before one try and the next, in milliseconds, without end. */
export function* pauses(): Generator<number, never> {
  for (let pause = RETRY_FIRST_WAIT; ; pause = Math.min(pause * 2, RETRY_LONGEST_WAIT)) yield pause;
}

/** An overloaded object is not helped by more calls. */
export function isOverload(error: unknown): boolean {
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}
