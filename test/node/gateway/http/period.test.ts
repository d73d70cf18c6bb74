/** Which hours and days a question about statistics is about. */
import { describe, it } from "vitest";
import {
  dayIn,
  wholeHours,
  newest,
  newestDays,
  storedPart,
} from "../../../../src/gateway/http/operator/statistics/period.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The hour of a time, numbered since 1970. */
const hour = (iso: string): number => Date.parse(iso) / HOUR;
const NOW = Date.parse("2026-11-20T10:30:00Z");
const PRESENT = hour("2026-11-20T10:00:00Z");

describe("the hours of a question", () => {
  it("are by default the current one and the 23 before", ({ expect }) => {
    expect(wholeHours(undefined, undefined, NOW)).toEqual({ from: PRESENT - 23, to: PRESENT });
    expect(wholeHours(undefined, undefined, PRESENT * HOUR)).toEqual({ from: PRESENT - 23, to: PRESENT });
    expect(wholeHours(NOW - 2 * HOUR, undefined, NOW)).toEqual({ from: PRESENT - 2, to: PRESENT });
    expect(wholeHours(undefined, NOW - 5 * HOUR, NOW)).toEqual({ from: PRESENT - 28, to: PRESENT - 5 });
  });

  it("include the hour of its beginning, but none at its end", ({ expect }) => {
    const at = (PRESENT - 3) * HOUR;
    expect(wholeHours(at, at + 1, NOW)).toEqual({ from: PRESENT - 3, to: PRESENT - 3 });
    expect(wholeHours(at, at, NOW)).toEqual({ from: PRESENT - 3, to: PRESENT - 4 });
    expect(wholeHours(at + 1, at + HOUR, NOW)).toEqual({ from: PRESENT - 3, to: PRESENT - 3 });
  });

  it("are looked up only from 401 days ago until now", ({ expect }) => {
    expect(storedPart({ from: -1e7, to: 1e7 }, NOW)).toEqual({ from: PRESENT - 401 * 24, to: PRESENT });
    const inside = { from: PRESENT - 401 * 24 + 1, to: PRESENT - 1 };
    expect(storedPart(inside, NOW)).toEqual(inside);
  });
});

describe("a page of hours or days", () => {
  it("has the newest, and the beginning of the next one", ({ expect }) => {
    expect(newest({ from: 10, to: 19 }, 10)).toEqual({ page: { from: 10, to: 19 }, next: null });
    expect(newest({ from: 10, to: 19 }, 9)).toEqual({ page: { from: 11, to: 19 }, next: 10 });
    expect(newest({ from: 10, to: 19 }, 99)).toEqual({ page: { from: 10, to: 19 }, next: null });
  });

  it.for([
    ["UTC", "2026-11-20T00:00:00Z", 24],
    ["Asia/Kuala_Lumpur", "2026-11-19T16:00:00Z", 24],
    ["America/New_York", "2026-11-20T05:00:00Z", 24],
    // An hour belongs to the day in which it begins.
    ["Asia/Kathmandu", "2026-11-19T19:00:00Z", 24],
    ["Pacific/Kiritimati", "2026-11-19T10:00:00Z", 24],
    ["Pacific/Pago_Pago", "2026-11-20T11:00:00Z", 24],
  ] as const)("has whole days of the zone: %s", ([timezone, begin, long], { expect }) => {
    const from = hour(begin);
    const day = Date.parse("2026-11-20") / DAY;
    const within = [from - 1, from, from + long - 1, from + long].map((at) => dayIn(timezone, at) - day);
    expect(within).toEqual([-1, 0, 0, 1]);
    const { page, next } = newestDays({ from: from - 40, to: from + 5 }, 1, timezone);
    expect([page, next]).toEqual([{ from, to: from + long - 1 }, from - 1]);
    expect(newestDays({ from: from - 5, to: from + 5 }, 2, timezone)).toEqual({
      page: { from: from - 24, to: from + long - 1 },
      next: null,
    });
  });

  it.for([
    ["2026-03-29", "2026-03-28T23:00:00Z", 23],
    ["2026-10-25", "2026-10-24T22:00:00Z", 25],
  ] as const)("has the hours of %s in Berlin", ([, begin, long], { expect }) => {
    const from = hour(begin);
    const { page } = newestDays({ from: from + 2, to: from + 2 }, 1, "Europe/Berlin");
    expect(page).toEqual({ from, to: from + long - 1 });
  });
});
