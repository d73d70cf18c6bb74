/** How much of D1 accounts and terminals fill. */
import { describe, it } from "vitest";
import { d1Bytes } from "../../capacity/d1-bytes.ts";

describe("D1", () => {
  it("keeps at most 40 KB of an account with one terminal and 50 sales a day, after 400 days", async ({ expect }) => {
    const { account, terminal, service } = await d1Bytes();
    expect(account + terminal).toBeLessThanOrEqual(40_000);
    // 10 GB hold 250,000 of them.
    expect(service + 250_000 * (account + terminal)).toBeLessThan(10e9);
  });
});
