/** Terminals after an outage: the simulation and the client's waits match what can be computed by hand. */
import { describe, it } from "vitest";
import { TERMINAL_RECONNECT } from "../../../src/client/limits.ts";
import { isCalm, largest, storm } from "../../capacity/scenarios.ts";
import type { Storm, TerminalWait } from "../../capacity/simulation/terminals.ts";

const FLEET = { terminals: 8_000, perDay: 50, perAccount: 1, perAddress: 1, outage: 5, seed: 1 };
const { longest } = TERMINAL_RECONNECT;

function tries(played: Storm): number[] {
  return played.series.of("tries", played.steps).map((count) => (count * 1_000) / played.series.step);
}

/** No fleet may ask more of D1 at once than one whose terminals are spread evenly over their longest wait. */
function isSpread(played: Storm, terminals: number): boolean {
  const afterwards = tries(played).slice((FLEET.outage * 60_000) / played.series.step);
  return Math.max(...afterwards) <= (1.2 * terminals) / (longest / 2 / 1_000);
}

function numbers(seed: number): number[] {
  return tries(storm({ ...FLEET, seed }));
}

describe("a storm of reconnects", () => {
  it("ends with every terminal connected once, and known to D1", ({ expect }) => {
    for (const terminals of [1, 100, 40_000]) {
      const played = storm({ ...FLEET, terminals });
      expect(played).toMatchObject({ connected: terminals, unlisted: 0 });
      expect(played.series.total("connects")).toBe(terminals);
    }
  });

  it("is the same for the same seed, and different for another", ({ expect }) => {
    expect(numbers(3)).toEqual(numbers(3));
    expect(numbers(4)).not.toEqual(numbers(3));
  });

  it("has as many attempts during the outage as waits from 0 to the longest allow", ({ expect }) => {
    const played = storm(FLEET);
    // The first minutes have shorter waits. A try fails after 100 ms.
    const rate = FLEET.terminals / ((longest / 2 + 100) / 1_000);
    const late = tries(played).slice(15, 30);
    const mean = late.reduce((sum, count) => sum + count, 0) / late.length;
    expect(mean / rate).toBeGreaterThan(0.97);
    expect(mean / rate).toBeLessThan(1.03);
  });

  it("of few terminals is over when the last wait is", ({ expect }) => {
    const played = storm(FLEET);
    expect(isCalm(played)).toBe(true);
    expect(played.backAfter(1)).toBeLessThan(longest + 1_000);
    // The time that is left of a wait in progress: 1 - sqrt(1/2) of the longest for half of them.
    expect((played.backAfter(0.5) ?? 0) / (longest * (1 - Math.SQRT1_2))).toBeCloseTo(1, 1);
  });

  it("of many lasts at least as long as D1's work for them, and reports the refusals", ({ expect }) => {
    const terminals = 100_000;
    const played = storm({ ...FLEET, terminals });
    expect(isCalm(played)).toBe(false);
    // Of each terminal at least the read of its login, which takes a millisecond.
    expect(played.backAfter(1)).toBeGreaterThan(terminals);
    expect(played.backAfter(0.99)).toBeLessThan(3 * terminals);
  });

  it("is about the same if each simulated terminal stands for ten", ({ expect }) => {
    const whole = storm({ ...FLEET, terminals: 50_000 }).backAfter(0.99) ?? 0;
    const sampled = storm({ ...FLEET, terminals: 50_000 }, { sample: 10 }).backAfter(0.99) ?? 0;
    expect(sampled / whole).toBeGreaterThan(0.9);
    expect(sampled / whole).toBeLessThan(1.1);
  });

  it("meets the limit of logins from one address, and all come back", ({ expect }) => {
    const played = storm({ ...FLEET, terminals: 4_000, perAddress: 2_000 });
    expect(played.series.total("limited")).toBeGreaterThan(0);
    expect(played.connected).toBe(4_000);
    // 300 of 2,000 in each minute.
    expect(played.backAfter(1)).toBeGreaterThan(6 * 60_000);
  });
});

describe("the waits of the terminal client", () => {
  it("spread a fleet over the longest wait", ({ expect }) => {
    expect(isSpread(storm(FLEET), FLEET.terminals)).toBe(true);
  });

  it.for<[string, TerminalWait]>([
    ["at once", () => 0],
    ["after a fixed time", () => longest],
    ["after a random time that does not grow", (_, atLeast, random) => Math.max(atLeast, random() * 10_000)],
    ["after a time that grows without being random", (failed) => Math.min(longest, 10_000 * 2 ** failed)],
  ])("would make a storm if they ended %s", ([, wait], { expect }) => {
    // With no wait at all, the outage alone would be millions of tries.
    const fleet = { ...FLEET, terminals: 200 };
    expect(isSpread(storm(fleet, { wait }), fleet.terminals)).toBe(false);
  });
});

describe("the largest fleet for which something holds", () => {
  it("is found to two digits", ({ expect }) => {
    expect(largest((terminals) => terminals <= 12_345, 100_000)).toBe(12_000);
    expect(largest((terminals) => terminals <= 7, 100)).toBe(7);
    expect(largest(() => true, 100)).toBeNull();
  });
});
