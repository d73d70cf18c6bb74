/** When days begin, end and close, also where clocks and zones change. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closingTime, dayAfter, dayOf, dueDay } from "../../../../src/gateway/account/tally.ts";
import { isoWithOffset, localDate } from "../../../../src/protocol/time/zone.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const closes = (day: string, zone: string): string => isoWithOffset(closingTime(day, zone), zone);
const due = (at: string, zone: string): string => dueDay(Date.parse(at), zone);
const of = (completedAt: string, zone: string, closedDay: string): string =>
  dayOf(Date.parse(completedAt), zone, closedDay);

describe("a day", () => {
  it("is due a quarter of an hour after its end, in the account's zone", () => {
    expect(closes("2026-11-20", "Asia/Kuala_Lumpur")).toBe("2026-11-21T00:15:00.000+08:00");
    expect(due("2026-11-20T16:14:59.999Z", "Asia/Kuala_Lumpur")).toBe("2026-11-19");
    expect(due("2026-11-20T16:15:00.000Z", "Asia/Kuala_Lumpur")).toBe("2026-11-20");
  });

  it("that lasts 23 or 25 hours ends when its date does", () => {
    expect(closes("2027-03-28", "Europe/Berlin")).toBe("2027-03-29T00:15:00.000+02:00");
    expect(closingTime("2027-03-28", "Europe/Berlin") - closingTime("2027-03-27", "Europe/Berlin")).toBe(23 * HOUR);
    expect(closes("2027-10-31", "Europe/Berlin")).toBe("2027-11-01T00:15:00.000+01:00");
    expect(closingTime("2027-10-31", "Europe/Berlin") - closingTime("2027-10-30", "Europe/Berlin")).toBe(25 * HOUR);
  });

  it("whose midnight is skipped ends with the hour before it", () => {
    expect(closes("2024-04-25", "Africa/Cairo")).toBe("2024-04-26T01:15:00.000+03:00");
  });

  it("that resumes for an hour when clocks go back is not due during that hour", () => {
    // At 00:01 of the 30th clocks went back to 23:01 of the 29th.
    expect(due("2005-10-30T02:45:00Z", "America/St_Johns")).toBe("2005-10-28");
    expect(closes("2005-10-29", "America/St_Johns")).toBe("2005-10-30T00:15:00.000-03:30");
  });

  it("that a zone skips is due with the previous day", () => {
    expect(closingTime("2011-12-30", "Pacific/Apia")).toBe(closingTime("2011-12-29", "Pacific/Apia"));
  });

  it("becomes due at its closing time, and not a moment before, in every zone", () => {
    const zone = fc.constantFrom(
      "Asia/Kuala_Lumpur",
      "Europe/Berlin",
      "Africa/Cairo",
      "Pacific/Apia",
      "Pacific/Kiritimati",
      "UTC",
    );
    const instant = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2026, 0) });
    fc.assert(
      fc.property(zone, instant, (timezone, at) => {
        const day = localDate(at, timezone);
        const closesAt = closingTime(day, timezone);
        expect(dueDay(closesAt, timezone) >= day).toBe(true);
        expect(dueDay(closesAt - 1, timezone) < day).toBe(true);
        expect(closesAt - at).toBeGreaterThanOrEqual(15 * MINUTE);
      }),
    );
  });
});

describe("a completion", () => {
  it("counts for the date on which it was completed if that date is still open", () => {
    expect(of("2026-11-20T15:59:59.999Z", "Asia/Kuala_Lumpur", "2026-11-19")).toBe("2026-11-20");
    expect(of("2026-11-20T16:00:00.000Z", "Asia/Kuala_Lumpur", "2026-11-19")).toBe("2026-11-21");
    expect(of("2026-11-20T16:00:00.000Z", "Asia/Kuala_Lumpur", "")).toBe("2026-11-21");
  });

  it("of a closed day counts for the first open day", () => {
    expect(of("2026-11-18T04:00:00.000Z", "Asia/Kuala_Lumpur", "2026-11-20")).toBe("2026-11-21");
    expect(dayAfter("2027-12-31")).toBe("2028-01-01");
  });

  it("never counts for a closed day after the account moves to a zone further west", () => {
    expect(of("2026-11-20T17:00:00.000Z", "America/Los_Angeles", "2026-11-20")).toBe("2026-11-21");
  });
});
