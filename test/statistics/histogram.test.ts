import * as fc from "fast-check";
import { describe, it } from "vitest";
import { bucketOf, percentile } from "../../src/statistics/tally.ts";

const HOUR = 3_600_000;

function bucketsOf(values: readonly number[]): Map<number, number> {
  const buckets = new Map<number, number>();
  for (const value of values) buckets.set(bucketOf(value), (buckets.get(bucketOf(value)) ?? 0) + 1);
  return buckets;
}

/** The nearest rank: the value itself. */
function exact(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(values.length * share) - 1] ?? NaN;
}

const durations = fc.array(fc.oneof(fc.nat(50), fc.nat(5_000), fc.nat(HOUR)), { minLength: 1, maxLength: 300 });

describe("a histogram of durations", () => {
  it("gives a percentile between the exact one and a tenth above it", ({ expect }) => {
    fc.assert(
      fc.property(durations, fc.constantFrom(0.01, 0.5, 0.95, 0.99, 1), (values, share) => {
        const [wanted, given] = [exact(values, share), percentile(bucketsOf(values), share)];
        expect(given).toBeGreaterThanOrEqual(wanted);
        // A millisecond is the smallest bucket.
        expect(given).toBeLessThanOrEqual(Math.max(wanted * 1.1, 1));
      }),
    );
  });

  it("gives the percentile of all values when the counts of its parts are summed", ({ expect }) => {
    fc.assert(
      fc.property(durations, durations, (one, other) => {
        const sum = bucketsOf(one);
        for (const [bucket, count] of bucketsOf(other)) sum.set(bucket, (sum.get(bucket) ?? 0) + count);
        expect(percentile(sum, 0.95)).toBe(percentile(bucketsOf([...one, ...other]), 0.95));
      }),
    );
  });

  it("counts anything longer than an hour as an hour, and what is negative as nothing", ({ expect }) => {
    expect(percentile(bucketsOf([HOUR * 5]), 0.5)).toBe(HOUR);
    expect(percentile(bucketsOf([-3]), 0.5)).toBe(1);
  });

  it("has no percentile without a value", ({ expect }) => {
    expect(percentile(new Map(), 0.5)).toBeNull();
  });

  it("needs fewer than 170 buckets from a millisecond to an hour", ({ expect }) => {
    expect(bucketOf(0)).toBe(0);
    expect(bucketOf(HOUR)).toBeLessThan(170);
    expect(bucketOf(HOUR * 5)).toBe(bucketOf(HOUR));
  });
});
