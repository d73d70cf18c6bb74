import { describe, it } from "vitest";
import { ago, counted, duration, money, percent, time } from "../../../src/console/operator/words.ts";

const NOW = Date.UTC(2026, 10, 20, 12);

describe("a duration", () => {
  it("has the unit that a person would use, and at most two of them", ({ expect }) => {
    const words = [0, 250, 1_000, 1_250, 59_999, 60_000, 3_599_000, 3_600_000, 12_000_000, 86_400_000, 188_000_000];
    expect(words.map(duration)).toEqual([
      "0 ms",
      "250 ms",
      "1.0 s",
      "1.3 s",
      "59 s",
      "1 min",
      "59 min",
      "1 h",
      "3 h 20 min",
      "1 d",
      "2 d 4 h",
    ]);
  });

  it("is never negative, as clocks differ", ({ expect }) => {
    expect([duration(-5), ago(new Date(NOW + 900).toISOString(), NOW)]).toEqual(["0 ms", "just now"]);
    expect(ago(new Date(NOW - 185_000).toISOString(), NOW)).toBe("3 min ago");
  });
});

describe("a share", () => {
  it("has one decimal, and is 100 % only if nothing is missing", ({ expect }) => {
    expect([0, 0.5, 0.9467, 0.9999, 1].map(percent)).toEqual(["0 %", "50 %", "94.7 %", "99.9 %", "100 %"]);
  });
});

describe("a number of things", () => {
  it("has the right word, and a mark between thousands", ({ expect }) => {
    expect([counted(1, "terminal"), counted(0, "terminal"), counted(1_532, "terminal")]).toEqual([
      "1 terminal",
      "0 terminals",
      "1,532 terminals",
    ]);
  });
});

describe("what is not known", () => {
  it("is a dash", ({ expect }) => {
    expect([money(null, "MYR"), time(null), time(undefined), money("12.50", "MYR")]).toEqual([
      "–",
      "–",
      "–",
      "12.50 MYR",
    ]);
  });
});
