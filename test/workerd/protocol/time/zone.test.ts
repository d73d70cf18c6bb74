import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isoWithOffset,
  isTimeZone,
  localDateTime,
  nextMidnight,
  offsetAt,
} from "../../../../src/protocol/time/zone.ts";
import midnights from "./midnights.json";

function next(now: string, timeZone: string): string {
  return isoWithOffset(nextMidnight(Date.parse(now), timeZone), timeZone);
}

describe("the next midnight", () => {
  // The table: [zone, now, midnight], made second by second with Python's zoneinfo, an implementation of its own. It
  // has transitions of 1969 to 2024, and of 2026 and 2027 only those whose rules have long been completed.
  it("equals another implementation's result, around transitions of all kinds", () => {
    expect(midnights.length).toBeGreaterThan(90);
    const wrong = midnights.filter(([zone = "", now = "", midnight = ""]) => {
      return nextMidnight(Date.parse(now), zone) !== Date.parse(midnight);
    });
    expect(wrong).toEqual([]);
  });

  it("comes after 23 or 25 hours if clocks change in between", () => {
    expect(next("2026-03-28T23:00:00Z", "Europe/Berlin")).toBe("2026-03-30T00:00:00.000+02:00");
    expect(next("2026-10-24T22:00:00Z", "Europe/Berlin")).toBe("2026-10-26T00:00:00.000+01:00");
  });

  it("is the next day's at midnight itself", () => {
    expect(next("2026-11-19T16:00:00Z", "Asia/Kuala_Lumpur")).toBe("2026-11-21T00:00:00.000+08:00");
    expect(next("2026-11-20T15:59:59.999Z", "Asia/Kuala_Lumpur")).toBe("2026-11-21T00:00:00.000+08:00");
  });

  it("is 01:00 if clocks skip midnight", () => {
    expect(next("2024-04-25T12:00:00Z", "Africa/Cairo")).toBe("2024-04-26T01:00:00.000+03:00");
  });

  it("is the transition's own second if clocks go forward to it", () => {
    expect(next("2024-03-31T00:59:59.500Z", "America/Nuuk")).toBe("2024-03-31T00:00:00.000-01:00");
  });

  it("is the day after tomorrow if tomorrow is skipped", () => {
    expect(next("2011-12-30T09:00:00Z", "Pacific/Apia")).toBe("2011-12-31T00:00:00.000+14:00");
  });

  it("is the second 24:00 if clocks go back from the first one", () => {
    expect(next("2024-10-26T20:59:59Z", "Asia/Beirut")).toBe("2024-10-27T00:00:00.000+02:00");
    expect(nextMidnight(Date.parse("2024-10-26T20:59:59Z"), "Asia/Beirut")).toBe(Date.parse("2024-10-26T22:00:00Z"));
  });

  it("is the first of two if clocks go back after it", () => {
    expect(next("2005-10-30T02:29:00Z", "America/St_Johns")).toBe("2005-10-30T00:00:00.000-02:30");
    expect(next("2005-10-30T02:30:30Z", "America/St_Johns")).toBe("2005-10-31T00:00:00.000-03:30");
    expect(next("2005-10-30T02:31:00Z", "America/St_Johns")).toBe("2005-10-30T00:00:00.000-03:30");
  });

  it("is after now and at most two days away", () => {
    const zone = fc.constantFrom("Asia/Kuala_Lumpur", "Europe/Berlin", "Africa/Cairo", "America/St_Johns", "UTC");
    const now = fc.integer({ min: Date.UTC(1985, 0), max: Date.UTC(2025, 0) });
    fc.assert(
      fc.property(zone, now, (timeZone, nowMs) => {
        const midnight = nextMidnight(nowMs, timeZone);
        const date = (epochMs: number): string => localDateTime(epochMs, timeZone).slice(0, 10);
        expect(midnight).toBeGreaterThan(nowMs);
        expect(midnight - nowMs).toBeLessThanOrEqual(26 * 3_600_000);
        expect(date(midnight) > date(nowMs)).toBe(true);
        if (midnight - 1000 >= nowMs) expect(date(midnight - 1000) > date(nowMs)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a local time", () => {
  const NOW = Date.parse("2026-11-20T10:15:00.042Z");

  it.each([
    ["Asia/Kuala_Lumpur", "2026-11-20T18:15:00.042+08:00"],
    ["Asia/Kathmandu", "2026-11-20T16:00:00.042+05:45"],
    ["America/St_Johns", "2026-11-20T06:45:00.042-03:30"],
    ["Pacific/Kiritimati", "2026-11-21T00:15:00.042+14:00"],
    ["Pacific/Pago_Pago", "2026-11-19T23:15:00.042-11:00"],
    ["UTC", "2026-11-20T10:15:00.042+00:00"],
    ["Europe/London", "2026-11-20T10:15:00.042+00:00"],
  ])("is, for %s, %s", (zone, text) => {
    expect(isoWithOffset(NOW, zone)).toBe(text);
    expect(localDateTime(NOW, zone)).toBe(text.slice(0, 19));
    expect(Date.parse(text)).toBe(NOW);
  });

  it("means the same instant with its offset, even one with seconds", () => {
    const zone = fc.constantFrom("Africa/Monrovia", "Europe/Dublin", "Asia/Kathmandu", "America/Caracas", "UTC");
    fc.assert(
      fc.property(zone, fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) }), (timeZone, epochMs) => {
        const text = isoWithOffset(epochMs, timeZone);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
        expect(Date.parse(text)).toBe(epochMs);
      }),
    );
  });

  it("has an offset in minutes", () => {
    expect(offsetAt(NOW, "Asia/Kathmandu")).toBe(345);
    expect(offsetAt(NOW, "America/St_Johns")).toBe(-210);
    expect(offsetAt(NOW, "UTC")).toBe(0);
    expect(offsetAt(Date.parse("1971-06-01T00:00:00Z"), "Africa/Monrovia")).toBe(-44.5);
  });
});

describe("a time zone", () => {
  it.each(["UTC", "GMT", "Asia/Kuala_Lumpur", "America/Argentina/Buenos_Aires", "Etc/GMT+8", "Asia/Kolkata"])(
    "is %s",
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(["US/Pacific", "Asia/Calcutta", "Singapore", "America/Port-au-Prince", "Africa/Dar_es_Salaam"])(
    "is %s too",
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(["", "+08:00", "-0330", "+08", "UTC+8", "GMT+8", "Z", "IST", "PST", "EST5EDT", "SystemV/AST4", "Local"])(
    "is not %j",
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );

  it.each(["asia/tokyo", "ASIA/TOKYO", "Asia/TOKYO", "Asia/Nowhere", "Asia/Tokyo ", "Asia/Tokyo\n", "Etc/Unknown"])(
    "is not %j either",
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});
