/** Amounts as the object adds them up, and as answers write them. */
import { describe, it } from "vitest";
import { decimal, hundredths } from "../../../../src/protocol/amounts.ts";

describe("an amount", () => {
  it.for([
    ["0.00", 0],
    ["0.05", 5],
    ["12.50", 1_250],
    ["1000.00", 100_000],
    ["-0.05", -5],
    ["-12.50", -1_250],
  ] as const)("converts %s to %d hundredths, and back", ([text, amount], { expect }) => {
    expect(hundredths(text)).toBe(amount);
    expect(decimal(amount)).toBe(text);
  });

  it("stays missing if it is missing", ({ expect }) => {
    expect(hundredths(null)).toBeNull();
  });
});
