import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDatetime, parseDatetime } from "../../../../src/protocol/time/datetime.ts";

describe("a datetime", () => {
  it.each([
    ["20261120T021500", "2026-11-20T02:15:00Z"],
    ["20261120021500", "2026-11-20T02:15:00Z"],
    ["20240229T235959", "2024-02-29T23:59:59Z"],
    ["20000229000000", "2000-02-29T00:00:00Z"],
    ["00260101T000000", "0026-01-01T00:00:00Z"],
  ])("is read from %s as %s", (text, instant) => {
    expect(parseDatetime(text)).toBe(Date.parse(instant));
  });

  it.each([
    ["that does not exist", ["20260230T000000", "20250229T000000", "20260431T000000", "19000229T000000"]],
    ["without such a month or day", ["20260001T000000", "20261301T000000", "20260100T000000", "20260132T000000"]],
    ["without such an hour, minute or second", ["20261120T240000", "20261120T006000", "20261120T235960"]],
    ["in another form", ["2026-11-20T02:15:00", "20261120 021500", "20261120t021500", "20261120T021500Z"]],
    ["too short or too long", ["", "2026112002150", "202611200215000", "20261120T0215", "20261120"]],
    ["with more around it", [" 20261120T021500", "20261120T021500\n", "+20261120T021500", "20261120T021500.000"]],
    ["in other digits", ["２０２６１１２０Ｔ０２１５００", "٢٠٢٦١١٢٠٠٢١٥٠٠"]],
  ])("is refused: %s", (_, texts) => {
    for (const text of texts) expect(parseDatetime(text)).toBeNull();
  });

  it("is written with the T, its milliseconds cut off", () => {
    expect(formatDatetime(Date.parse("2026-11-20T02:15:00.999Z"))).toBe("20261120T021500");
  });

  it("is read back as written, at any second", () => {
    const seconds = fc.integer({ min: Date.UTC(1000, 0) / 1000, max: Date.UTC(9999, 11, 31, 23, 59, 59) / 1000 });
    fc.assert(
      fc.property(seconds, (second) => {
        const text = formatDatetime(second * 1000);
        expect(parseDatetime(text)).toBe(second * 1000);
        expect(parseDatetime(text.replace("T", ""))).toBe(second * 1000);
      }),
    );
  });
});
