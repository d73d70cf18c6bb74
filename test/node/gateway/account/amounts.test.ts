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
  ] as const)("of %s is %d hundredths, and the other way round", ([text, amount], { expect }) => {
    expect(hundredths(text)).toBe(amount);
    expect(decimal(amount)).toBe(text);
  });

  it("that is missing stays missing", ({ expect }) => {
    expect(hundredths(null)).toBeNull();
  });
});
