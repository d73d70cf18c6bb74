/** When days begin, end and close, also where clocks and zones change. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closingTime, dayAfter, findBusinessDay, dueDay } from "../../../../src/gateway/account/tally.ts";
import { isoWithOffset, localDate } from "../../../../src/protocol/time/zone.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const closes = (day: string, zone: string): string => isoWithOffset(closingTime(day, zone), zone);
const due = (at: string, zone: string): string => dueDay(Date.parse(at), zone);
const of = (completedAt: string, zone: string, closedDay: string): string =>
  findBusinessDay(Date.parse(completedAt), zone, closedDay);

describe("a day", () => {
  it("is due a quarter of an hour after its local end", () => {
    expect(closes("2026-11-20", "Asia/Kuala_Lumpur")).toBe("2026-11-21T00:15:00.000+08:00");
    expect(due("2026-11-20T16:14:59.999Z", "Asia/Kuala_Lumpur")).toBe("2026-11-19");
    expect(due("2026-11-20T16:15:00.000Z", "Asia/Kuala_Lumpur")).toBe("2026-11-20");
  });

  it("ends with its date, even if it lasts 23 or 25 hours", () => {
    expect(closes("2027-03-28", "Europe/Berlin")).toBe("2027-03-29T00:15:00.000+02:00");
    expect(closingTime("2027-03-28", "Europe/Berlin") - closingTime("2027-03-27", "Europe/Berlin")).toBe(23 * HOUR);
    expect(closes("2027-10-31", "Europe/Berlin")).toBe("2027-11-01T00:15:00.000+01:00");
    expect(closingTime("2027-10-31", "Europe/Berlin") - closingTime("2027-10-30", "Europe/Berlin")).toBe(25 * HOUR);
  });

  it("ends with the hour before a skipped midnight", () => {
    expect(closes("2024-04-25", "Africa/Cairo")).toBe("2024-04-26T01:15:00.000+03:00");
  });

  it("is not due during the hour that is repeated in autumn", () => {
    // At 00:01 of the 30th clocks went back to 23:01 of the 29th.
    expect(due("2005-10-30T02:45:00Z", "America/St_Johns")).toBe("2005-10-28");
    expect(closes("2005-10-29", "America/St_Johns")).toBe("2005-10-30T00:15:00.000-03:30");
  });

  it("is due with the previous day if its zone skips it", () => {
    expect(closingTime("2011-12-30", "Pacific/Apia")).toBe(closingTime("2011-12-29", "Pacific/Apia"));
  });

  it("is due at its closing time in every zone, not earlier", () => {
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
  it("counts for its own date if that date is still open", () => {
    expect(of("2026-11-20T15:59:59.999Z", "Asia/Kuala_Lumpur", "2026-11-19")).toBe("2026-11-20");
    expect(of("2026-11-20T16:00:00.000Z", "Asia/Kuala_Lumpur", "2026-11-19")).toBe("2026-11-21");
    expect(of("2026-11-20T16:00:00.000Z", "Asia/Kuala_Lumpur", "")).toBe("2026-11-21");
  });

  it("counts for the first open day if its own is closed", () => {
    expect(of("2026-11-18T04:00:00.000Z", "Asia/Kuala_Lumpur", "2026-11-20")).toBe("2026-11-21");
    expect(dayAfter("2027-12-31")).toBe("2028-01-01");
  });

  it("never counts for a closed day after the account moves west", () => {
    expect(of("2026-11-20T17:00:00.000Z", "America/Los_Angeles", "2026-11-20")).toBe("2026-11-21");
  });
});
