/** Where statistics come from: D1; for a terminal, and for an account's older hours, its object. */
import { accountStub } from "../../../account/rpc.ts";
import { toUtcDay, HOURS_A_DAY, STATISTICS_LIFE, ACCOUNT_HOURS_LIFE } from "../../../statistics/tally.ts";
import { accountExists } from "../../../d1/accounts.ts";
import { pickHours, readAccountHours, type Period, type Summed, type Whose } from "../../../d1/statistics.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import { DAY, HOUR, MINUTE, type EpochMs } from "../../../../protocol/time/units.ts";
import { localDate, nextMidnight, offsetAt } from "../../../../protocol/time/zone.ts";

/** The cron deletes what is too old once a day. */
const CLEANED_UP_WITHIN = DAY;

/**
 * @param from by default the current hour and the 23 before
 * @param to by default now
 */
export function wholeHours(from: number | undefined, to: number | undefined, now: EpochMs): Period {
  const last = Math.ceil((to ?? now + 1) / HOUR) - 1;
  return { from: from === undefined ? last - HOURS_A_DAY + 1 : hourOf(from), to: last };
}

/**
 * The part of a period that can have stored hours: a question about all times must not look for each hour since the
 * year 1. If there is none, `from` is after `to`.
 */
export function storedPart({ from, to }: Period, now: EpochMs): Period {
  return { from: Math.max(from, hourOf(now - STATISTICS_LIFE - CLEANED_UP_WITHIN)), to: Math.min(to, hourOf(now)) };
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR);
}

/** The day in which an hour begins, numbered since 1970. */
export function dayIn(timezone: string, hour: number): number {
  return Date.parse(localDate(hour * HOUR, timezone)) / DAY;
}

/** All hours of a day that begin in it. */
function hoursOfDay(timezone: string, day: number): Period {
  const noon = (day + 1 / 2) * DAY;
  const begin = nextMidnight(noon - offsetAt(noon, timezone) * MINUTE - DAY, timezone);
  return { from: Math.ceil(begin / HOUR), to: Math.ceil(nextMidnight(begin, timezone) / HOUR) - 1 };
}

/** The hours of the newest `limit` days, and the last hour of the next page; null on the last page. */
export function newestDays(
  { from, to }: Period,
  limit: number,
  timezone: string,
): { page: Period; next: number | null } {
  const { page, next } = newest({ from: dayIn(timezone, from), to: dayIn(timezone, to) }, limit);
  const first = hoursOfDay(timezone, page.from).from;
  return { page: { from: first, to: hoursOfDay(timezone, page.to).to }, next: next === null ? null : first - 1 };
}

/** The newest `limit` hours or days, and where the next page begins; null on the last page. */
export function newest({ from, to }: Period, limit: number): { page: Period; next: number | null } {
  const first = Math.max(from, to - limit + 1);
  return { page: { from: first, to }, next: first > from ? first - 1 : null };
}

/** D1 has the hours of two months; the object of an account that exists has all. */
export async function hoursOfAccounts(
  env: Env,
  whose: Whose,
  period: Period,
  now: EpochMs,
): Promise<Summed[] | "too-many"> {
  const { posId } = whose;
  const isInD1 = posId === undefined || period.from >= hourOf(now - ACCOUNT_HOURS_LIFE + DAY);
  if (isInD1 || !(await accountExists(env.DATABASE, posId))) {
    return readAccountHours(env.DATABASE, whose, period);
  }
  return pickHours(posId, await accountStub(env, posId).statistics(toUtcDay(period.from), toUtcDay(period.to)), period);
}

/**
 * Reads them from the terminal's own journal.
 *
 * @param terminalId the terminal that the operator has named: only its object is asked
 */
export async function hoursOfTerminal(
  env: Env,
  terminalId: string,
  { from, to }: Period,
  posId: string | undefined,
): Promise<Summed[]> {
  const groups = await terminalStub(env, terminalId).statistics(from * HOUR, (to + 1) * HOUR);
  return groups
    .filter((group) => posId === undefined || group.posId === posId)
    .map(({ hour, tally, ...group }) => ({ unit: hour, posId: group.posId, tally: new Map(tally) }));
}
