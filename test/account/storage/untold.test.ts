/** What an object has told D1 is kept, in case that D1 is restored to an earlier time. */
import { describe, it } from "vitest";
import { D1 } from "../../../src/objects/untold/teller.ts";
import { AccountParts } from "../parts.ts";

const { untold } = new AccountParts();

function tell(now: number): void {
  for (const row of untold.of(D1)) untold.answered(row, "taken", now);
}

describe("a block of numbers that a terminal still uses", () => {
  it("goes to D1 again with the next block, and once in its newest form after a restore", ({ expect }) => {
    for (const now of [1, 2]) {
      untold.put(D1, "block:1000000000", `told at ${now}`, now);
      tell(now);
      expect(untold.of(D1)).toEqual([]);
    }
    untold.put(D1, "block:1000000000", "owed", 3);
    untold.put(D1, "block:1000000100", "told at 4", 4);
    tell(4);
    untold.put(D1, "block:1000000100", "owed, too", 5);
    expect(untold.retell("restored", 6)).toBe(true);
    expect(untold.of(D1).map(({ body }) => body)).toEqual(["owed", "owed, too"]);
  });
});
