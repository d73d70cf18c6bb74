/** The documentation's page about capacity has the numbers that the code computes. */
import { readFileSync } from "node:fs";
import { describe, it } from "vitest";
import type { CapacityFigures } from "../../../src/docs/build/capacity-figures.ts";
import { isInTime } from "../../capacity/computed.ts";
import {
  billFigures,
  cheapFigures,
  DOCS_FIGURES,
  fleetOf,
  midnightFigures,
  stormFigures,
} from "../../capacity/docs-figures.ts";

const AGAIN = "If the code is right, run npm run capacity -- --docs, and read src/docs/capacity.md again.";

const figures = JSON.parse(readFileSync(DOCS_FIGURES, "utf8")) as CapacityFigures;

function turnedAway(terminals: number): number {
  return stormFigures(terminals).turnedAway;
}

describe("the page about capacity", () => {
  it("has the parts, the bill and the latencies of the computation", async ({ expect }) => {
    const { midnight: _midnight, storms: _storms, stormLimits: _limits, bills, ...cheap } = figures;
    expect(cheap, AGAIN).toEqual(await cheapFigures());
    expect(bills, AGAIN).toEqual(await billFigures());
  });

  it("has the midnight of the simulation", ({ expect }) => {
    expect(figures.midnight, AGAIN).toEqual(midnightFigures());
  });

  it("has the storms of the simulation", ({ expect }) => {
    const most = Number(process.env["STORM_TERMINALS"]);
    const played = figures.storms.filter(({ terminals }) => terminals <= most);
    expect(played.length).toBeGreaterThan(0);
    for (const found of played) expect(found, AGAIN).toEqual(stormFigures(found.terminals));
  });

  it("has the largest fleets whose storm D1 can handle, and that are back in time", ({ expect }) => {
    const { calmUpTo, inTimeUpTo } = figures.stormLimits;
    expect([turnedAway(calmUpTo ?? 0), turnedAway((calmUpTo ?? 0) * 1.1) > 0], AGAIN).toEqual([0, true]);
    const fleet = fleetOf(inTimeUpTo ?? 0);
    expect(
      [1, 1.1].map((times) => isInTime(fleet, (inTimeUpTo ?? 0) * times)),
      AGAIN,
    ).toEqual([true, false]);
  });

  it("gives the numbers of each storm", ({ expect }) => {
    const [town, country] = figures.storms;
    expect([town?.terminals, country?.terminals]).toEqual([100_000, 1_000_000]);
    expect(figures.midnight.refused).toBe(0);
    expect(town?.back.most).toBeLessThan(15 * 60);
    expect(country?.back.most).toBeGreaterThan(15 * 60);
    expect(country?.turnedAway).toBeGreaterThan(0);
  });
});
