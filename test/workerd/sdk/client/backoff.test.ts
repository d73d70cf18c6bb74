import { describe, it } from "vitest";
import { fullJitter, halfJitter, sleep } from "../../../../src/sdk/client/backoff.ts";

const BACKOFF = { first: 100, longest: 1_000 };

describe("waits between attempts", () => {
  it("have a limit that doubles up to the longest wait", ({ expect }) => {
    expect([0, 1, 2, 3, 4, 5, 1_000].map((tries) => fullJitter(tries, BACKOFF, () => 1))).toEqual([
      100, 200, 400, 800, 1_000, 1_000, 1_000,
    ]);
  });

  it("are anywhere below the limit, or in its upper half", ({ expect }) => {
    expect(fullJitter(2, BACKOFF, () => 0)).toBe(0);
    expect(halfJitter(2, BACKOFF, () => 0)).toBe(200);
    expect(halfJitter(2, BACKOFF, () => 0.5)).toBe(300);
  });

  it("end early when they are aborted, before or while they last", async ({ expect }) => {
    await sleep(60_000, AbortSignal.abort());
    const stopping = new AbortController();
    const sleeping = sleep(60_000, stopping.signal);
    stopping.abort();
    await sleeping;
    expect(stopping.signal.aborted).toBe(true);
  });
});
