/** The hours and days that a question about statistics covers. */
import { STATISTICS_LIFE } from "../../../statistics/limits.ts";
import { dayOf, HOURS_A_DAY } from "../../../statistics/counted-day.ts";
import type { Period } from "../../../storage/statistics.ts";
import { DAY, HOUR } from "../../../time/units.ts";

/** Without `from`: the hours before the current one. */
const USUAL_HOURS = 24;

/** Longer periods of the whole service are added up by days, which reads fewer rows. */
const LONGEST_IN_HOURS = 2 * DAY;

/** The cron deletes what is too old once a day. */
const CLEANED_UP_WITHIN = DAY;

/** @param from by default 24 hours before the current one @param to by default now */
export function hoursOf(from: number | undefined, to: number | undefined, now: number): Period {
  const last = Math.ceil((to ?? now + 1) / HOUR) - 1;
  return { from: from === undefined ? last - USUAL_HOURS : hourOf(from), to: last };
}

/**
 * The part of a period for which anything can be stored: a question about all times must not look for each hour since the
 * year 1. Nothing is stored of it if `from` is then after `to`.
 */
export function storedPart({ from, to }: Period, now: number): Period {
  return { from: Math.max(from, hourOf(now - STATISTICS_LIFE - CLEANED_UP_WITHIN)), to: Math.min(to, hourOf(now)) };
}

export function hourOf(time: number): number {
  return Math.floor(time / HOUR);
}

export function daysOf({ from, to }: Period): Period {
  return { from: dayOf(from), to: dayOf(to) };
}

/** All hours of days. */
export function hoursOfDays({ from, to }: Period): Period {
  return { from: from * HOURS_A_DAY, to: (to + 1) * HOURS_A_DAY - 1 };
}

/** Whether a period is added up by hours. */
export function isByHours({ from, to }: Period): boolean {
  return (to - from + 1) * HOUR <= LONGEST_IN_HOURS + HOUR;
}

/** The newest `limit` hours or days of a period, and the one before them: where the next page begins. */
export function newest({ from, to }: Period, limit: number): { page: Period; next: number | null } {
  const first = Math.max(from, to - limit + 1);
  return { page: { from: first, to }, next: first > from ? first - 1 : null };
}
