import { describe, it, vi } from "vitest";
import { Gate } from "../src/gate.ts";

const LIMITS = { atOnce: 2, waiting: 4, longestWait: 2_000, pollInterval: 5, abandonedAfter: 10_000 };

/** Work that ends when the test says so. */
function heldWork() {
  const ends: (() => void)[] = [];
  let begun = 0;
  const work = () => {
    begun++;
    return new Promise<string>((resolve) => ends.push(() => resolve("done")));
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

describe("a gate", () => {
  it("lets two begin and four wait, and refuses the seventh", async ({ expect }) => {
    const gate = new Gate(LIMITS);
    const { work, begun } = heldWork();
    const first = [1, 2, 3, 4, 5, 6].map(() => gate.run(work));
    expect(gate.isFull).toBe(true);
    expect(await gate.run(work)).toEqual({ ok: false, error: "busy" });
    expect(begun()).toBe(2);
    expect(first).toHaveLength(6);
  });

  it("lets the next begin after each that ends, until all are done", async ({ expect }) => {
    const gate = new Gate(LIMITS);
    const { work, endOne } = heldWork();
    const all = [1, 2, 3, 4, 5, 6].map(() => gate.run(work));
    for (const one of all) {
      while (!endOne()) await scheduler.wait(5);
      expect(await one).toEqual({ ok: true, value: "done" });
    }
    expect(await gate.run(async () => "done")).toEqual({ ok: true, value: "done" });
  });

  it("refuses what has waited too long, and keeps no place for it", async ({ expect }) => {
    const gate = new Gate({ ...LIMITS, longestWait: 50 });
    const { work, begun } = heldWork();
    const held = [1, 2].map(() => gate.run(work));
    for (let time = 0; time < 2; time++) {
      const waiting = await Promise.all([1, 2, 3, 4].map(() => gate.run(work)));
      expect(waiting.map((result) => result.ok)).toEqual([false, false, false, false]);
    }
    expect(begun()).toBe(2);
    expect(held).toHaveLength(2);
  });

  it("forgets running and waiting work whose requests the platform has dropped", async ({ expect }) => {
    const gate = new Gate({ ...LIMITS, longestWait: Infinity });
    const { work } = heldWork();
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    // None of them ever goes on: the clock stands still, and with it every waiter.
    const lost = [1, 2, 3, 4, 5, 6].map(() => gate.run(work));
    expect(await gate.run(work)).toEqual({ ok: false, error: "busy" });
    now += LIMITS.abandonedAfter + 1;
    expect(await gate.run(async () => "done")).toEqual({ ok: true, value: "done" });
    expect(lost).toHaveLength(6);
    clock.mockRestore();
  });

  it("keeps the slot of work that is active, however long it takes", async ({ expect }) => {
    const gate = new Gate({ ...LIMITS, atOnce: 1, longestWait: -1 });
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const { work } = heldWork();
    const begun = Promise.withResolvers<() => void>();
    const held = gate.run((goesOn) => {
      begun.resolve(goesOn);
      return work();
    });
    const goOn = await begun.promise;
    for (let time = 0; time < 3; time++) {
      now += LIMITS.abandonedAfter - 1;
      goOn();
      expect(await gate.run(work)).toEqual({ ok: false, error: "busy" });
    }
    expect(held).toBeInstanceOf(Promise);
    clock.mockRestore();
  });

  it("is free again after work that failed", async ({ expect }) => {
    const gate = new Gate({ ...LIMITS, atOnce: 1, waiting: 1 });
    for (let time = 0; time < 2; time++) await expect(gate.run(broken)).rejects.toThrow("broken on purpose");
    expect(await gate.run(async () => "done")).toEqual({ ok: true, value: "done" });
  });
});
