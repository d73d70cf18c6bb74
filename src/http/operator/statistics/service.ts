/** Statistics of all accounts or one of them, as D1 has them. */
import { addTo, emptyTally, type Tally } from "../../../statistics/tally.ts";
import { rolledUpDay, sum, type Grouping, type Summed } from "../../../storage/statistics.ts";
import { DAY, HOUR } from "../../../time/units.ts";
import { daysOf, isByHours, storedHours, type Period } from "./period.ts";

const HOURS = DAY / HOUR;

export interface ServiceQuestion {
  hours: Period;
  posId: string | undefined;
  now: number;
}

/** By hour, newest first, at most `limit` hours back from the newest. */
export async function byHour(
  db: D1Database,
  { hours, posId, now }: ServiceQuestion,
  limit: number,
): Promise<{ groups: Summed[]; next: number | null }> {
  const { from, to } = storedHours(hours, now);
  const first = Math.max(from, to - limit + 1);
  const groups = await sum(db, { table: "hours", from: first, to, posId, grouping: "unit" });
  return { groups: newestFirst(groups), next: first > from ? first - 1 : null };
}

/** By day (UTC), newest first. Whole days; the last may not have ended. */
export async function byDay(
  db: D1Database,
  question: ServiceQuestion,
  limit: number,
): Promise<{ groups: Summed[]; next: number | null }> {
  const { from, to } = daysOf(question.hours);
  const first = Math.max(from, to - limit + 1);
  const groups = await sumDays(db, { from: first, to }, question.posId, "unit");
  return { groups: newestFirst(groups), next: first > from ? first - 1 : null };
}

/** By account, in the order of the posIds. */
export async function byAccount(
  db: D1Database,
  question: ServiceQuestion,
  after: string,
  limit: number,
): Promise<{ groups: Summed[]; next: string | null }> {
  const groups = await sumPeriod(db, question, "account", after, limit + 1);
  const sorted = groups.toSorted((one, other) => ((one.posId ?? "") < (other.posId ?? "") ? -1 : 1));
  const shown = sorted.slice(0, limit);
  return { groups: shown, next: sorted.length > limit ? (shown.at(-1)?.posId ?? null) : null };
}

/** All accounts together. */
export async function together(db: D1Database, question: ServiceQuestion): Promise<Tally> {
  const [summed] = await sumPeriod(db, question, "all");
  return summed?.tally ?? emptyTally();
}

function sumPeriod(
  db: D1Database,
  { hours, posId, now }: ServiceQuestion,
  grouping: Grouping,
  after = "",
  limit = -1,
): Promise<Summed[]> {
  return isByHours(hours, now)
    ? sum(db, { table: "hours", ...hours, posId, grouping, after, limit })
    : sumDays(db, daysOf(hours), posId, grouping, after, limit);
}

/** Days that are added up, and the hours of days that are not yet. */
async function sumDays(
  db: D1Database,
  { from, to }: Period,
  posId: string | undefined,
  grouping: Grouping,
  after = "",
  limit = -1,
): Promise<Summed[]> {
  const rolledUp = await rolledUpDay(db);
  const days = { table: "days", from, to: Math.min(to, rolledUp), posId, grouping, after, limit } as const;
  const firstHour = Math.max(from, rolledUp + 1) * HOURS;
  const hours = { ...days, table: "hours", from: firstHour, to: (to + 1) * HOURS - 1 } as const;
  const summed = await Promise.all([
    days.from <= days.to ? sum(db, days) : [],
    hours.from <= hours.to ? sum(db, hours) : [],
  ]);
  const [ofDays, ofHours] = [summed[0], summed[1].map((one) => ({ ...one, unit: dayOfHour(one.unit) }))];
  const groups = new Map<number | string | null, Summed>();
  for (const { unit, posId: account, tally } of [...ofDays, ...ofHours]) {
    const key = unit ?? account;
    const group = groups.get(key) ?? { unit, posId: account, tally: emptyTally() };
    addTo(group.tally.counts, tally.counts);
    addTo(group.tally.times, tally.times);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function dayOfHour(hour: number | null): number | null {
  return hour === null ? null : Math.floor(hour / HOURS);
}

function newestFirst(groups: readonly Summed[]): Summed[] {
  return groups.toSorted((one, other) => (other.unit ?? 0) - (one.unit ?? 0));
}
