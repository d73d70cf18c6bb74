/**
 * When business days begin, end and close. A day is a date in the account's time zone, `YYYY-MM-DD`; dates compare as
 * strings. Instants are epoch milliseconds. A day may have 23 or 25 hours, a zone may skip a date, and an account may
 * change its zone, so a day is never derived from another by adding hours.
 */
import { DAY_GRACE } from "../protocol/limits/days.ts";
import { DAY } from "../time/units.ts";
import { localDate, nextMidnight } from "../time/zone.ts";

export function dayAfter(day: string): string {
  return otherDay(day, DAY);
}

/**
 * The day that a completion counts for: its local date, or the first open day if that date is closed.
 *
 * @param closedDay the newest closed day; "" if none is closed
 */
export function dayOf(completedAt: number, timezone: string, closedDay: string): string {
  const date = localDate(completedAt, timezone);
  return date > closedDay ? date : dayAfter(closedDay);
}

/** The newest day that is due to be closed. */
export function dueDay(now: number, timezone: string): string {
  // Both dates: if clocks go back over midnight, a date occurs twice.
  const [before, today] = [localDate(now - DAY_GRACE, timezone), localDate(now, timezone)];
  return otherDay(before < today ? before : today, -DAY);
}

/** The first instant at which a day is due to be closed. */
export function closingTime(day: string, timezone: string): number {
  // Before the end of the day in every zone: none is further ahead of UTC than 14 hours.
  let at = Date.parse(day);
  while (dueDay(at, timezone) < day) {
    at = localDate(at, timezone) > day ? at + DAY_GRACE : nextMidnight(at, timezone);
  }
  return at;
}

function otherDay(day: string, milliseconds: number): string {
  return new Date(Date.parse(day) + milliseconds).toISOString().slice(0, 10);
}
