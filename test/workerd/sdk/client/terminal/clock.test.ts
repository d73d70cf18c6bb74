import { describe, it } from "vitest";
import { GatewayClock } from "../../../../../src/sdk/client/terminal/clock.ts";

describe("the gateway's clock at a terminal", () => {
  it.for([
    ["both clocks run", 5_000, 5_000, 5_000],
    ["the machine slept", 5_000, 65_000, 65_000],
    ["the wall clock was set back", 5_000, -3_600_000, 5_000],
    ["the wall clock was set forward", 5_000, 3_600_000, 3_600_000],
  ] as const)("believes the one that says more time has passed when %s", ([, monotonic, wall, passed], { expect }) => {
    const now = { monotonic: 700, wall: 9_000 };
    const clock = new GatewayClock(1_000_000, { monotonic: () => now.monotonic, wall: () => now.wall });
    now.monotonic += monotonic;
    now.wall += wall;
    expect(clock.now()).toBe(1_000_000 + passed);
    expect(clock.disagreement()).toBe(Math.abs(monotonic - wall));
  });
});
