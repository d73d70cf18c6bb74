/** What an account's day (UTC) adds up to, by hour: as its object keeps it, and as D1 has it. Counts only. */
import { keyIn, type Kind, type Tally, tallyAt } from "./tally.ts";

/** By key (`tally.ts`), and then by the hour of the day, 0 to 23. */
export type CountedHours = Map<string, Map<number, number>>;

/** Days are numbered since 1970, UTC. */
export interface CountedDay {
  /** The newest event that is counted in it. */
  event: number;
  hours: CountedHours;
}

export const HOURS_A_DAY = 24;

export function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_A_DAY);
}

/** Counts a completed transaction by changing the day. @param hour since 1970, UTC */
export function countInDay({ hours }: CountedDay, hour: number, kind: Kind): void {
  const key = keyIn(hours, kind);
  const counts = hours.get(key) ?? new Map<number, number>();
  hours.set(key, counts);
  const hourOfDay = hour % HOURS_A_DAY;
  counts.set(hourOfDay, (counts.get(hourOfDay) ?? 0) + 1);
}

export function toText(hours: CountedHours): string {
  return JSON.stringify(Object.fromEntries([...hours].map(([key, counts]) => [key, Object.fromEntries(counts)])));
}

export function fromText(text: string): CountedHours {
  const kept = Object.entries(JSON.parse(text) as Record<string, Record<string, number>>);
  return new Map(
    kept.map(([key, counts]) => [key, new Map(Object.entries(counts).map(([hour, count]) => [Number(hour), count]))]),
  );
}

/** The hours of a day, each by itself. */
export function talliesOf(day: number, hours: CountedHours): { unit: number; tally: Tally }[] {
  const tallies = new Map<number, Tally>();
  for (const [key, counts] of hours) {
    for (const [hourOfDay, count] of counts) {
      tallyAt(tallies, hourOfDay).counts.set(key, count);
    }
  }
  return [...tallies].map(([hourOfDay, tally]) => ({ unit: day * HOURS_A_DAY + hourOfDay, tally }));
}
