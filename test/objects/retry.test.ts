import { describe, it } from "vitest";
import { noteRetryIn } from "../../src/objects/retry.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe("a write to D1 that failed is retried", () => {
  it.for([
    [0, 30 * SECOND],
    [29 * SECOND, 30 * SECOND],
    [2 * MINUTE, 2 * MINUTE],
    [3 * 60 * MINUTE, 10 * MINUTE],
  ] as const)("%i ms after there was something to tell: after half to all of %i ms", ([age, bound], { expect }) => {
    expect([0, 0.5, 1].map((random) => noteRetryIn(age, () => random))).toEqual([bound / 2, (bound / 4) * 3, bound]);
  });
});
