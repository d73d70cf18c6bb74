import { describe, it } from "vitest";
import { duration, shortDuration } from "../../../../src/protocol/time/duration.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../src/protocol/time/units.ts";

describe("a duration in a sentence", () => {
  it.for([
    [500, "500 milliseconds"],
    [SECOND, "1 second"],
    [90 * SECOND, "90 seconds"],
    [2 * MINUTE, "120 seconds"],
    [3 * MINUTE, "3 minutes"],
    [15 * MINUTE, "15 minutes"],
    [2 * HOUR, "120 minutes"],
    [60 * HOUR, "60 hours"],
    [DAY, "24 hours"],
    [2 * DAY, "2 days"],
    [1_200 * DAY, "1,200 days"],
  ] as const)("has a text for %i ms: “%s”", ([milliseconds, text], { expect }) => {
    expect(duration(milliseconds)).toBe(text);
  });
});

describe("a short duration", () => {
  it.for([
    [-5, "0 ms"],
    [31.4, "31 ms"],
    [999, "999 ms"],
    [SECOND, "1 s"],
    [1_250, "1.3 s"],
    [9_940, "9.9 s"],
    [10_600, "10 s"],
    [59_999, "59 s"],
    [MINUTE, "1 min"],
    [90 * SECOND, "1 min 30 s"],
    [150 * SECOND, "2 min"],
    [3_599_000, "59 min"],
    [HOUR, "1 h"],
    [12_000_000, "3 h 20 min"],
    [DAY, "1 d"],
    [188_000_000, "2 d 4 h"],
  ] as const)("has at most two natural units for %i ms: “%s”", ([milliseconds, text], { expect }) => {
    expect(shortDuration(milliseconds)).toBe(text);
  });
});
