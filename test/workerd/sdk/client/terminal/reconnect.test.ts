import { describe, it } from "vitest";
import { askedWait, reconnectWait } from "../../../../../src/sdk/client/terminal/link.ts";

const BACKOFF = { first: 100, longest: 1_000 };

describe("the wait before a terminal connects again", () => {
  it("is random below a limit that doubles with every failure", ({ expect }) => {
    expect([0, 1, 2, 3, 4, 5, 6].map((failed) => reconnectWait(failed, 0, BACKOFF, () => 1))).toEqual([
      100, 100, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(reconnectWait(3, 0, BACKOFF, () => 0)).toBe(0);
  });

  it("is at least as long as the required minimum", ({ expect }) => {
    expect(reconnectWait(1, 700, BACKOFF, () => 1)).toBe(700);
    expect(reconnectWait(5, 700, BACKOFF, () => 1)).toBe(1_000);
  });

  it("is spread out beyond the wait that the gateway asks for", ({ expect }) => {
    expect([0, 0.5, 1].map((random) => askedWait(60_000, () => random))).toEqual([60_000, 67_500, 75_000]);
  });
});
