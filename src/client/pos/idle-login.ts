import { LOGIN_SPREAD } from "../limits.ts";

/**
 * When a till that nobody uses logs in after midnight: milliseconds from now.
 *
 * All tills of a chain would log in with the first payment after midnight, and together. So each takes a time of its own.
 *
 * @param left milliseconds until midnight, when its tokens end
 * @param random from 0 to 1
 */
export function idleLoginIn(left: number, random: () => number): number {
  return left + random() * LOGIN_SPREAD;
}
