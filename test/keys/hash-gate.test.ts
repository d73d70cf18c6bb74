import { describe, it } from "vitest";
import { HashGate } from "../../src/keys/hash-gate.ts";

/** Counts turns of the event loop, in which other work would run. */
function rounds() {
  let count = 0;
  const timer = setInterval(() => count++, 1);
  return { count: () => count, stop: () => clearInterval(timer) };
}

describe("the gate of password hashes", () => {
  it("lets everything else run between two pieces, even between pieces of two hashes", async ({ expect }) => {
    const gate = new HashGate();
    const { count, stop } = rounds();
    const pieces: number[] = [];
    const hash = () =>
      gate.run(async (rest) => {
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

  it("lets two begin and four wait, and refuses the seventh", async ({ expect }) => {
    const gate = new HashGate();
    let begun = 0;
    const held = () =>
      gate.run(() => {
        begun++;
        return new Promise<string>(() => {});
      });
    const first = [1, 2, 3, 4, 5, 6].map(held);
    expect(await held()).toEqual({ ok: false, error: "busy" });
    expect(begun).toBe(2);
    expect(first).toHaveLength(6);
  });

  it("continues after a hash whose request was dropped while it paused", async ({ expect }) => {
    const gate = new HashGate();
    void gate.run(async (rest) => {
      void rest();
      return new Promise<string>(() => {});
    });
    expect(
      await gate.run(async (rest) => {
        await rest();
        return "hashed";
      }),
    ).toEqual({ ok: true, value: "hashed" });
  });
});
