import { describe, it } from "vitest";
import { GatewayClock } from "../../../src/client/terminal/clock.ts";

describe("the gateway's clock at a terminal", () => {
  it.for([
    ["both clocks run", 5_000, 5_000, 5_000],
    ["the machine slept", 5_000, 65_000, 65_000],
    ["the wall clock was set back", 5_000, -3_600_000, 5_000],
    ["the wall clock was set forward", 5_000, 3_600_000, 3_600_000],
  ] as const)("believes the one that says more time has passed when %s", ([, steady, wall, passed], { expect }) => {
    const now = { steady: 700, wall: 9_000 };
    const clock = new GatewayClock(1_000_000, { steady: () => now.steady, wall: () => now.wall });
    now.steady += steady;
    now.wall += wall;
    expect(clock.now()).toBe(1_000_000 + passed);
    expect(clock.disagreement()).toBe(Math.abs(steady - wall));
  });
});
