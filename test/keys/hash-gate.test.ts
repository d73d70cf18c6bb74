import { afterEach, describe, it, vi } from "vitest";
import { HashGate } from "../../src/keys/passwords.ts";

const SOMEBODY = { address: "an address", name: "a till", until: Infinity };

/** Counts turns of the event loop, in which other work would run. */
function rounds() {
  let count = 0;
  const timer = setInterval(() => count++, 1);
  return { count: () => count, stop: () => clearInterval(timer) };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the gate of password hashes", () => {
  it("lets everything else run between two pieces, even between pieces of two hashes", async ({ expect }) => {
    const gate = new HashGate();
    const { count, stop } = rounds();
    const pieces: number[] = [];
    const hash = () =>
      gate.run(SOMEBODY, async (rest) => {
        for (let piece = 0; piece < 5; piece++) {
          pieces.push(count());
          await rest();
        }
        return "hashed";
      });
    // The second hash starts while the first one pauses, and computes a piece in that time.
    await Promise.all([hash(), hash()]);
    stop();
    expect(pieces).toHaveLength(10);
    const between = pieces.slice(2).map((round, index) => round - (pieces[index + 1] ?? 0));
    expect(Math.min(...between)).toBeGreaterThan(0);
  });

  it("pauses for two milliseconds of a clock that stands still while code runs", async ({ expect }) => {
    let now = 1_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    vi.stubGlobal("scheduler", { wait: async (milliseconds: number) => void (now += milliseconds) });
    const pause = new HashGate().run(SOMEBODY, async (rest) => {
      await rest();
      return now - 1_000;
    });
    expect(await pause).toEqual({ ok: true, value: 2 });
  });

  it("lets two begin and twelve wait, and is full for an address that has sent more", async ({ expect }) => {
    const gate = new HashGate();
    let begun = 0;
    const held = () =>
      gate.run(SOMEBODY, () => {
        begun++;
        return new Promise<string>(() => {});
      });
    const first = Array.from({ length: 14 }, held);
    expect([gate.isFullFor(SOMEBODY.address), gate.isFullFor("another address")]).toEqual([true, false]);
    expect(await held()).toEqual({ ok: false, error: "busy" });
    expect([begun, first.length]).toEqual([2, 14]);
  });

  it("continues after a hash whose request was dropped while it paused", async ({ expect }) => {
    const gate = new HashGate();
    void gate.run(SOMEBODY, async (rest) => {
      void rest();
      return new Promise<string>(() => {});
    });
    expect(
      await gate.run(SOMEBODY, async (rest) => {
        await rest();
        return "hashed";
      }),
    ).toEqual({ ok: true, value: "hashed" });
  });
});
