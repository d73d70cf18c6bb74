/** The hours and days that a question about statistics covers. */
import { DAYS_LIFE, HOURS_LIFE } from "../../../statistics/limits.ts";
import { DAY, HOUR } from "../../../time/units.ts";

/** Without `from`: the hours before the current one. */
const USUAL_HOURS = 24;

/** Longer periods are added up by days, which reads fewer rows. */
const LONGEST_IN_HOURS = 2 * DAY;

/** The cron deletes what is too old once a day. */
const CLEANED_UP_WITHIN = DAY;

/** Hours or days since 1970, UTC, from one to another, both included. */
export interface Period {
  from: number;
  to: number;
}

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
  return { from: Math.max(from, hourOf(now - DAYS_LIFE - CLEANED_UP_WITHIN)), to: Math.min(to, hourOf(now)) };
}

/** The part of a period whose hours can be stored. */
export function storedHours({ from, to }: Period, now: number): Period {
  return { from: Math.max(from, hourOf(now - HOURS_LIFE - CLEANED_UP_WITHIN)), to };
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR);
}

export function daysOf({ from, to }: Period): Period {
  const hours = DAY / HOUR;
  return { from: Math.floor(from / hours), to: Math.floor(to / hours) };
}

/** Whether hours can answer for a period: they are still stored, and there are not too many. */
export function isByHours({ from, to }: Period, now: number): boolean {
  return (to - from + 1) * HOUR <= LONGEST_IN_HOURS + HOUR && from * HOUR >= now - HOURS_LIFE;
}
