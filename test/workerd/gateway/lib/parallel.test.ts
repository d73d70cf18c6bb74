import { describe, it } from "vitest";
import { mapConcurrently } from "../../../../src/protocol/map-concurrently.ts";

describe("working in parallel", () => {
  it("stays within its limit, and returns results in order", async ({ expect }) => {
    let running = 0;
    let most = 0;
    const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
      most = Math.max(most, ++running);
      // Later items finish earlier.
      for (let turn = 0; turn < item * 3; turn++) await Promise.resolve();
      running--;
      return item * 10;
    });
    expect(results).toEqual([50, 10, 40, 20, 30]);
    expect(most).toBe(2);
  });

  it("begins nothing more after an error", async ({ expect }) => {
    const begun: number[] = [];
    const work = async (item: number): Promise<void> => {
      begun.push(item);
      await Promise.resolve();
      if (item === 1) throw new Error("broken");
    };
    await expect(mapConcurrently([1, 2, 3, 4, 5], 2, work)).rejects.toThrow("broken");
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(begun).toEqual([1, 2]);
  });

  it("does nothing if there is nothing to do", async ({ expect }) => {
    expect(await mapConcurrently([], 2, () => Promise.reject(new Error("called")))).toEqual([]);
  });
});
