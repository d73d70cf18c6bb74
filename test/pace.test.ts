import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { Pace } from "../src/pace.ts";

const LIMITS = { apart: 10, longestWait: 30 };

let now: number;
/** How long each caller waited, in milliseconds. */
let waits: number[];

beforeEach(() => {
  now = performance.now();
  waits = [];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.spyOn(scheduler, "wait").mockImplementation(async (milliseconds) => void waits.push(milliseconds));
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function turns(pace: Pace, count: number): Promise<boolean[]> {
  return Promise.all(Array.from({ length: count }, () => pace.turn()));
}

describe("a pace", () => {
  it("lets the first start at once, and each of the others later than the one before", async ({ expect }) => {
    expect(await turns(new Pace(LIMITS), 4)).toEqual([true, true, true, true]);
    expect(waits).toEqual([10, 20, 30]);
  });

  it("refuses at once what would wait longer than the limit, and gives its start to a later one", async ({
    expect,
  }) => {
    const pace = new Pace(LIMITS);
    expect(await turns(pace, 6)).toEqual([true, true, true, true, false, false]);
    expect(waits).toEqual([10, 20, 30]);
    now += 20;
    expect(await turns(pace, 3)).toEqual([true, true, false]);
    expect(waits.slice(3)).toEqual([20, 30]);
  });

  it("lets nobody wait who comes when nothing else has started for a while", async ({ expect }) => {
    const pace = new Pace(LIMITS);
    for (let time = 0; time < 3; time++) {
      expect(await pace.turn()).toBe(true);
      now += LIMITS.apart;
    }
    expect(waits).toEqual([]);
  });

  it("keeps its distance after a quiet time, too", async ({ expect }) => {
    const pace = new Pace(LIMITS);
    await turns(pace, 1);
    now += 1_000;
    expect(await turns(pace, 3)).toEqual([true, true, true]);
    expect(waits).toEqual([10, 20]);
  });
});
