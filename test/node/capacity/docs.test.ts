/** The documentation's page about capacity has the numbers that the code computes. */
import { readFileSync } from "node:fs";
import { describe, it } from "vitest";
import { DOCS_FIGURES, docsFigures } from "../../capacity/docs-figures.ts";
import { storm, stormLimits } from "../../capacity/storm.ts";

describe("the page about capacity", () => {
  it("has the figures of the computation", async ({ expect }) => {
    const figures: unknown = JSON.parse(readFileSync(DOCS_FIGURES, "utf8"));
    const again = "If the code is right, run npm run capacity -- --docs, and read src/docs/capacity.md again.";
    expect(figures, again).toEqual(await docsFigures());
  });

  it("says of each storm which limit it keeps", ({ expect }) => {
    const { calmUpTo, inTimeUpTo } = stormLimits();
    expect(calmUpTo).toBeLessThan(100_000);
    expect(storm(100_000).whole).toBeLessThan(15 * 60);
    expect(storm(inTimeUpTo).whole).toBeCloseTo(15 * 60, 6);
    expect(storm(1_000_000).logins).toBeGreaterThan(15 * 60);
  });
});
