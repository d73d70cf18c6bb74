import { describe, it, vi } from "vitest";
import { HashGate } from "../../src/keys/hash-gate.ts";

/** Work that ends when the test says so. */
function heldWork() {
  const ends: (() => void)[] = [];
  let begun = 0;
  const work = () => {
    begun++;
    return new Promise<string>((resolve) => ends.push(() => resolve("hashed")));
  };
  return {
    work,
    endOne: () => {
      const end = ends.shift();
      end?.();
      return end !== undefined;
    },
    begun: () => begun,
  };
}

const broken = (): Promise<never> => Promise.reject(new Error("broken on purpose"));

describe("the gate of password hashes", () => {
  it("lets two begin, four wait, and refuses the seventh", async ({ expect }) => {
    const gate = new HashGate();
    const { work, begun } = heldWork();
    const first = [1, 2, 3, 4, 5, 6].map(() => gate.run(work));
    expect(await gate.run(work)).toEqual({ ok: false, error: "busy" });
    expect(begun()).toBe(2);
    expect(first).toHaveLength(6);
  });

  it("lets the next begin after each that ends, until all have been hashed", async ({ expect }) => {
    const gate = new HashGate();
    const { work, endOne } = heldWork();
    const all = [1, 2, 3, 4, 5, 6].map(() => gate.run(work));
    for (const one of all) {
      // The slots of those before stay empty for a moment.
      while (!endOne()) await scheduler.wait(5);
      expect(await one).toEqual({ ok: true, value: "hashed" });
    }
    const next = gate.run(work);
    await scheduler.wait(200);
    endOne();
    expect(await next).toEqual({ ok: true, value: "hashed" });
  });

  it("leaves a slot empty for a moment after each hash: what the hash held up goes first", async ({ expect }) => {
    const gate = new HashGate();
    const hash = () => gate.run(async () => "hashed");
    await Promise.all([hash(), hash()]);
    const begun = performance.now();
    await hash();
    expect(performance.now() - begun).toBeGreaterThan(50);
  });

  it("forgets hashes, and logins that wait, whose requests the platform has dropped", async ({ expect }) => {
    const gate = new HashGate();
    const { work } = heldWork();
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    // None of them ever goes on: the clock stands still, and with it whoever looks.
    const lost = [1, 2, 3, 4, 5, 6].map(() => gate.run(work));
    expect(await gate.run(work)).toEqual({ ok: false, error: "busy" });
    now += 11_000;
    expect(await gate.run(async () => "hashed")).toEqual({ ok: true, value: "hashed" });
    expect(lost).toHaveLength(6);
    clock.mockRestore();
  });

  it("is free again after work that failed", async ({ expect }) => {
    const gate = new HashGate();
    for (let time = 0; time < 2; time++) await expect(gate.run(broken)).rejects.toThrow("broken on purpose");
    await scheduler.wait(300);
    expect(await gate.run(async () => "hashed")).toEqual({ ok: true, value: "hashed" });
  });
});
