/** When a receiver is told again what it did not take. */
import { describe, it } from "vitest";
import { OWING } from "../../src/objects/storage/untold.ts";
import { D1, isOwed, notTold, owe, toldAgainAt } from "../../src/objects/untold/teller.ts";
import { HOUR, MINUTE, SECOND } from "../../src/time/units.ts";

const NOW = 1_790_000_000_000;

describe("what a receiver did not take", () => {
  it.for([
    [D1, "failed", 0, 15 * SECOND, 30 * SECOND],
    [D1, "failed", MINUTE, 30 * SECOND, MINUTE],
    [D1, "failed", HOUR, 5 * MINUTE, 10 * MINUTE],
    ["terminal T-1", "failed", 0, SECOND / 2, SECOND],
    ["terminal T-1", "failed", HOUR, 2.5 * MINUTE, 5 * MINUTE],
    ["terminal T-1", "later", 0, 5 * SECOND, 5 * SECOND],
    ["terminal T-1", "later", HOUR, 5 * MINUTE, 5 * MINUTE],
  ] as const)(
    "is told again (%s, %s, owed for %i ms) after %i to %i ms",
    ([receiver, answer, age, least, most], { expect }) => {
      const row = { receiver, topic: "any", version: 1, since: NOW - age, notBefore: NOW, body: null };
      expect([0, 1].map((random) => toldAgainAt(row, answer, NOW, random))).toEqual([NOW + least, NOW + most]);
    },
  );

  it.for(["taken", "refused"] as const)("is not told again if it is %s", (answer, { expect }) => {
    const row = { receiver: D1, topic: "any", version: 1, since: NOW, notBefore: NOW, body: null };
    expect(toldAgainAt(row, answer, NOW, 0)).toBeNull();
  });
});

describe("a state that D1 did not take", () => {
  it("is owed under a version of its own from then on, unless nothing is owed", ({ expect }) => {
    const owed = owe(OWING.initial, NOW, 0);
    const again = notTold(owed, NOW, NOW, 0);
    expect(again.version).toBeGreaterThan(owed.version);
    expect([isOwed(again), again.owed, again.since]).toEqual([true, again.version, NOW]);
    expect(isOwed(notTold(OWING.initial, NOW, NOW, 0))).toBe(false);
  });
});
