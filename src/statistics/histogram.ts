/**
 * A histogram of durations that can be added up: each value is counted in a bucket, and the counts of any accounts and
 * hours can be summed. A bucket's greatest value is at most a tenth above its least. A percentile is therefore never
 * below the exact value, and at most a tenth above it.
 */
import { HOUR } from "../time/units.ts";

/** How many times a bucket's greatest value may be that of the bucket before. */
const GROWTH = 1.1;

/** Longer durations count as this long. */
const LONGEST = HOUR;

/** The greatest value of each bucket, in milliseconds. The first one holds 0 and 1. */
const BOUNDS: readonly number[] = bounds();

function bounds(): number[] {
  const found = [1];
  for (let bound = 1; bound < LONGEST;) {
    // Below ten, every millisecond has a bucket of its own.
    bound = Math.min(Math.max(bound + 1, Math.floor(bound * GROWTH)), LONGEST);
    found.push(bound);
  }
  return found;
}

/** The bucket of a duration. @param milliseconds negative if a clock was set back, which counts as 0 */
export function bucketOf(milliseconds: number): number {
  let [low, high] = [0, BOUNDS.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (milliseconds <= (BOUNDS[middle] ?? LONGEST)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How many values each bucket has; a bucket without any may be missing. */
export type Buckets = ReadonlyMap<number, number>;

/**
 * The duration that a share of the values does not exceed (the nearest rank): milliseconds, at most a tenth above the
 * exact value. null if there is no value.
 *
 * @param share above 0, at most 1
 */
export function percentile(buckets: Buckets, share: number): number | null {
  const sorted = [...buckets].toSorted(([one], [other]) => one - other);
  const all = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return null;
  let left = Math.ceil(all * share);
  for (const [bucket, count] of sorted) {
    left -= count;
    if (left <= 0) return BOUNDS[bucket] ?? LONGEST;
  }
  return LONGEST;
}
