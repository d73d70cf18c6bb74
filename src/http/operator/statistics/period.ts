/** Which hours and days a question about statistics is about. */
import { HOURS_LIFE } from "../../../statistics/limits.ts";
import { DAY, HOUR } from "../../../time/units.ts";

/** Without `from`: the hours before the present one. */
const USUAL_HOURS = 24;

/** What is longer is added up by days: fewer rows are read. */
const LONGEST_IN_HOURS = 2 * DAY;

/** Hours or days since 1970, UTC, from one to another, both included. */
export interface Period {
  from: number;
  to: number;
}

/** @param from the present hour and the 24 before unless it is given @param to until now unless it is given */
export function hoursOf(from: number | undefined, to: number | undefined, now: number): Period {
  const last = Math.ceil((to ?? now + 1) / HOUR) - 1;
  return { from: from === undefined ? last - USUAL_HOURS : Math.floor(from / HOUR), to: last };
}

export function daysOf({ from, to }: Period): Period {
  const hours = DAY / HOUR;
  return { from: Math.floor(from / hours), to: Math.floor(to / hours) };
}

/** Whether a period can be asked for by the hour: the hours are there, and not too many. */
export function isByHours({ from, to }: Period, now: number): boolean {
  return (to - from + 1) * HOUR <= LONGEST_IN_HOURS + HOUR && from * HOUR >= now - HOURS_LIFE;
}
