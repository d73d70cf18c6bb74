import { describe, it } from "vitest";
import { ago, countText, money, percent, timeText } from "../../../../src/pages/operator/words.ts";

const NOW = Date.UTC(2026, 10, 20, 12);

describe("how long ago", () => {
  it("is never in the future, as clocks differ", ({ expect }) => {
    expect(ago(new Date(NOW + 900).toISOString(), NOW)).toBe("just now");
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
    expect([countText(1, "terminal"), countText(0, "terminal"), countText(1_532, "terminal")]).toEqual([
      "1 terminal",
      "0 terminals",
      "1,532 terminals",
    ]);
  });
});

describe("what is not known", () => {
  it("is shown as a dash", ({ expect }) => {
    expect([money(null, "MYR"), timeText(null), timeText(undefined), money("12.50", "MYR")]).toEqual([
      "–",
      "–",
      "–",
      "MYR 12.50",
    ]);
  });
});
