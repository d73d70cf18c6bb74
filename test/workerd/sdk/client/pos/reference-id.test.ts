import { describe, it } from "vitest";
import { newReferenceId } from "../../../../../src/sdk/client/pos.ts";

describe("a new referenceId", () => {
  it("has 20 letters and digits, is unique and sorts by time", ({ expect }) => {
    const ids = Array.from({ length: 500 }, () => newReferenceId());
    for (const id of ids) expect(id).toMatch(/^[0-9A-Z]{20}$/u);
    expect(new Set(ids).size).toBe(ids.length);
    // Its beginning is the time, in the digits of Crockford's base32.
    const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for (const time of [0, 31, 32, 33, 1_023, 1_024, Date.UTC(2026, 10, 20, 1, 2, 3, 4), 2 ** 45 - 1]) {
      let read = 0;
      for (const digit of newReferenceId(time).slice(0, 9)) read = read * 32 + digits.indexOf(digit);
      expect(read).toBe(time);
    }
    expect(newReferenceId(1_000) < newReferenceId(2_000)).toBe(true);
  });
});
