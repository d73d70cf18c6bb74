/** The documentation's page about capacity has the numbers that the code computes. */
import { describe, it } from "vitest";
import { docsFigures, stormLimits, stormOf } from "../../capacity/capacity.ts";
import written from "../../../src/docs/capacity.json" with { type: "json" };

describe("the page about capacity", () => {
  it("has the figures of the computation", async ({ expect }) => {
    const again = "If the code is right, run npm run capacity -- --docs, and read src/docs/capacity.md again.";
    expect(written, again).toEqual(await docsFigures());
  });

  it("says that D1 keeps at most 40 KB of an account with one terminal and 50 sales a day, after 400 days", ({
    expect,
  }) => {
    const { account, terminal, service } = written.kept;
    expect(account + terminal).toBeLessThanOrEqual(40_000);
    // 10 GB hold 240,000 of them.
    expect(service + 240_000 * (account + terminal)).toBeLessThan(10e9);
  });

  it("says of each storm which limit it keeps", ({ expect }) => {
    const { calmUpTo, inTimeUpTo } = stormLimits();
    expect(calmUpTo).toBeLessThan(100_000);
    expect(stormOf(100_000).whole).toBeLessThan(15 * 60);
    expect(stormOf(inTimeUpTo).whole).toBeCloseTo(15 * 60, 6);
    expect(stormOf(1_000_000).logins).toBeGreaterThan(15 * 60);
  });
});
