/** Tills after midnight: the simulation is right where it can be computed by hand, and so is the client's spread. */
import { describe, it } from "vitest";
import { LOGIN_SPREAD } from "../../../src/client/limits.ts";
import { midnight, MIDNIGHT_STEP } from "../../capacity/scenarios.ts";

const FLEET = { terminals: 100_000, perDay: 50, perAccount: 1, perAddress: 1, outage: 5, seed: 1 };

/** Its tills have a payment every few minutes of the night, and so soon log in that D1 had refused. */
const BUSY = { ...FLEET, perDay: 2_000 };

function numbers(seed: number): number[] {
  return midnight({ ...FLEET, seed }).series.of("tries", 60);
}

describe("midnight", () => {
  it("ends with every till logged in once", ({ expect }) => {
    const played = midnight(FLEET);
    expect(played).toMatchObject({ loggedIn: FLEET.terminals, refused: 0 });
    expect(played.series.total("logins")).toBe(FLEET.terminals);
  });

  it("also ends with every till logged in if D1 refuses logins", ({ expect }) => {
    const played = midnight(BUSY, (left, random) => left + random() * 30_000);
    expect(played.refused).toBeGreaterThan(0);
    expect(played.loggedIn).toBe(FLEET.terminals);
  });

  it("is the same for the same seed, and different for another", ({ expect }) => {
    expect(numbers(3)).toEqual(numbers(3));
    expect(numbers(4)).not.toEqual(numbers(3));
  });

  it("keeps D1 as busy as one read per till, evenly over the client's spread", ({ expect }) => {
    const { series, steps } = midnight({ ...FLEET, perDay: 1 });
    expect(steps).toBe(LOGIN_SPREAD / MIDNIGHT_STEP);
    const share = FLEET.terminals / LOGIN_SPREAD;
    for (const busy of series.of("d1Busy", steps)) expect(busy / MIDNIGHT_STEP / share).toBeCloseTo(1, 0);
    expect(series.total("d1Busy") / LOGIN_SPREAD / share).toBeCloseTo(1, 3);
  });

  it("of a million tills stays within D1's limits with the client's spread", ({ expect }) => {
    expect(midnight({ ...FLEET, terminals: 1_000_000 }).refused).toBe(0);
  });

  it.for<[string, (left: number, random: () => number) => number]>([
    ["at once", (left) => left],
    ["within a minute", (left, random) => left + random() * 60_000],
  ])("would not stay within them for a tenth of those tills if they logged in %s", ([, idleLogin], { expect }) => {
    expect(midnight(BUSY, idleLogin).refused).toBeGreaterThan(0);
  });
});
