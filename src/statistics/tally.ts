/**
 * Sums of an hour or a day: numbers by key, and sums of sums have the same form. A key of `counts` says what a
 * transaction was, or names a currency whose turnover it has; a key of `times` names a part of its time and a bucket.
 * Beside them, an hour in D1 has how many accounts told it last at which time (`countedUntil`).
 */
import { type TimeName, TIMES } from "../protocol/statistics.ts";
import { hundredths } from "../protocol/amounts.ts";
import type { StatusCode } from "../protocol/status-codes.ts";
import { type TransactionType, TRANSACTION_TYPES, turnoverFactor } from "../protocol/transfer-types.ts";
import { CODES_COUNTED, MAY_LACK, OTHER_CODES, SEND_EVERY } from "./limits.ts";
import { HOUR } from "../time/units.ts";

type CompletedBy = "terminal" | "gateway" | "operator";

export interface Kind {
  statusCode: Exclude<StatusCode, "22">;
  completedBy: CompletedBy;
  transType: TransactionType;
  responseCode: string;
}

/** What a completed transaction adds to the turnover of its currency, in hundredths; a void is negative. */
export interface Turnover {
  currency: string;
  amount: number;
}

interface Priced extends Pick<Kind, "statusCode" | "transType"> {
  currency: string;
  transAmt: string | null;
}

/** null: no money moved, or nobody knows how much. The cash of a cashOut is no turnover. */
export function turnoverOf({ statusCode, transType, currency, transAmt }: Priced): Turnover | null {
  if (statusCode !== "00" || transAmt === null) return null;
  return { currency, amount: turnoverFactor(transType) * hundredths(transAmt) };
}

/** Milliseconds; a missing part did not happen or is unknown. */
export type MeasuredTimes = Partial<Record<TimeName, number>>;

export interface Tally {
  counts: Map<string, number>;
  times: Map<string, number>;
}

export function emptyTally(): Tally {
  return { counts: new Map(), times: new Map() };
}

export function count(
  { counts, times }: Tally,
  kind: Kind,
  measured: MeasuredTimes,
  turnover: Turnover | null = null,
): void {
  increase(counts, keyIn(counts, kind), 1);
  if (turnover !== null) increase(counts, `${AMOUNT}${turnover.currency}`, turnover.amount);
  for (const name of TIMES) {
    const milliseconds = measured[name];
    if (milliseconds !== undefined) increase(times, `${name} ${bucketOf(milliseconds)}`, 1);
  }
}

/** Adds an empty tally if there was none. */
export function tallyAt<Key>(tallies: Map<Key, Tally>, key: Key): Tally {
  const tally = tallies.get(key) ?? emptyTally();
  tallies.set(key, tally);
  return tally;
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const all = emptyTally();
  for (const { counts, times } of tallies) {
    addTo(all.counts, counts);
    addTo(all.times, times);
  }
  return all;
}

function addTo(sums: Map<string, number>, numbers: Iterable<readonly [string, number]>): void {
  for (const [key, number] of numbers) increase(sums, key, number);
}

function increase(sums: Map<string, number>, key: string, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by);
}

/** `OTHER_CODES` replaces the code where too many are counted already. */
function keyIn(counted: ReadonlyMap<string, unknown>, kind: Kind): string {
  const key = keyOf(kind);
  return counted.has(key) || counted.size < CODES_COUNTED ? key : keyOf({ ...kind, responseCode: OTHER_CODES });
}

/** Begins the key of a currency's turnover. No kind begins like this. */
export const AMOUNT = "amount ";

/** Hundredths by currency. */
export function turnoversIn({ counts }: Pick<Tally, "counts">): [currency: string, amount: number][] {
  return [...counts]
    .filter(([key]) => key.startsWith(AMOUNT))
    .map(([key, amount]): [string, number] => [key.slice(AMOUNT.length), amount])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Only the last part may contain a space. */
function keyOf({ statusCode, completedBy, transType, responseCode }: Kind): string {
  return `${statusCode} ${completedBy} ${transType} ${responseCode}`;
}

const KEY = new RegExp(`^(00|11) (terminal|gateway|operator) (${TRANSACTION_TYPES.join("|")}) (.*)$`, "s");

/** null: the key of a turnover, or one that newer code wrote. */
export function kindOf(key: string): Kind | null {
  const [, statusCode, completedBy, transType, responseCode] = KEY.exec(key) ?? [];
  if (responseCode === undefined) return null;
  return { statusCode, completedBy, transType, responseCode } as Kind;
}

/** Begins the keys under which an hour counts accounts by their last telling, in buckets of `SEND_EVERY`. */
export const TOLD = "told";

/** @param at epoch milliseconds */
export function toldBucket(at: number): number {
  return Math.floor(at / SEND_EVERY);
}

/**
 * Up to when everything is counted that its account had recorded, epoch milliseconds. An account whose last telling is
 * older than `MAY_LACK` has nothing to tell.
 *
 * @param toldAt when accounts told D1 last
 */
export function countedUntil(toldAt: readonly number[], now: number): number {
  return Math.min(now, ...toldAt.filter((at) => at > now - MAY_LACK));
}

/** The last tellings of all accounts, from the hours of the last day. Rounded down. */
export function tellingsIn(hours: readonly Tally[]): number[] {
  return [...bucketsOf(sumOf(hours), TOLD)]
    .filter(([, accounts]) => accounts > 0)
    .map(([bucket]) => bucket * SEND_EVERY);
}

export function bucketsOf({ times }: Pick<Tally, "times">, name: TimeName | typeof TOLD): Buckets {
  const beginning = `${name} `;
  const own = [...times].filter(([key]) => key.startsWith(beginning));
  return new Map(own.map(([key, number]) => [Number(key.slice(beginning.length)), number]));
}

/** Key (`keyOf`, or of a turnover), then hour of the day, 0 to 23. Of a day in UTC, without times. */
export type CountedHours = Map<string, Map<number, number>>;

/** Days are numbered since 1970, UTC. */
export interface CountedDay {
  /** The newest event that is counted. */
  event: number;
  hours: CountedHours;
}

export const HOURS_A_DAY = 24;

export function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_A_DAY);
}

/** @param hour since 1970, UTC */
export function countInDay({ hours }: CountedDay, hour: number, kind: Kind, turnover: Turnover | null = null): void {
  const add = (key: string, number: number): void => {
    const numbers = hours.get(key) ?? new Map<number, number>();
    const hourOfDay = hour % HOURS_A_DAY;
    hours.set(key, numbers.set(hourOfDay, (numbers.get(hourOfDay) ?? 0) + number));
  };
  add(keyIn(hours, kind), 1);
  if (turnover !== null) add(`${AMOUNT}${turnover.currency}`, turnover.amount);
}

export function toText(hours: CountedHours): string {
  return JSON.stringify(Object.fromEntries([...hours].map(([key, counts]) => [key, Object.fromEntries(counts)])));
}

export function fromText(text: string): CountedHours {
  const kept = Object.entries(JSON.parse(text) as Record<string, Record<string, number>>);
  return new Map(
    kept.map(([key, counts]) => [key, new Map(Object.entries(counts).map(([hour, value]) => [Number(hour), value]))]),
  );
}

export function talliesOf(day: number, hours: CountedHours): { unit: number; tally: Tally }[] {
  const tallies = new Map<number, Tally>();
  for (const [key, counts] of hours) {
    for (const [hourOfDay, value] of counts) tallyAt(tallies, hourOfDay).counts.set(key, value);
  }
  return [...tallies].map(([hourOfDay, tally]) => ({ unit: day * HOURS_A_DAY + hourOfDay, tally }));
}

/**
 * A histogram of durations: the counts of any accounts and hours can be summed. A bucket's greatest value is at most a
 * tenth above its least, so a percentile is never below the exact value, and at most a tenth above it.
 */

/** Ratio of a bucket's greatest value to that of the previous bucket. */
const GROWTH = 1.1;

/** Longer durations count as this long. */
const LONGEST = HOUR;

/** The greatest value of each bucket, in milliseconds. The first bucket holds 0 and 1. */
const BOUNDS: readonly number[] = bounds();

function bounds(): number[] {
  const found = [1];
  for (let bound = 1; bound < LONGEST;) {
    // Below ten, every millisecond has a bucket of its own.
    bound = Math.min(Math.max(bound + 1, Math.floor(bound * GROWTH)), LONGEST);
    found.push(bound);
  }
  return found;
}

/** @param milliseconds negative if a clock was set back, which counts as 0 */
export function bucketOf(milliseconds: number): number {
  let [low, high] = [0, BOUNDS.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (milliseconds <= (BOUNDS[middle] ?? LONGEST)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A bucket without values may be missing. */
type Buckets = ReadonlyMap<number, number>;

/**
 * The nearest rank, in milliseconds: at most a tenth above the exact value. null: no values.
 *
 * @param share above 0, at most 1
 */
export function percentile(buckets: Buckets, share: number): number | null {
  const sorted = [...buckets].toSorted(([one], [other]) => one - other);
  const all = sorted.reduce((sum, [, values]) => sum + values, 0);
  if (all === 0) return null;
  let left = Math.ceil(all * share);
  for (const [bucket, values] of sorted) {
    left -= values;
    if (left <= 0) return BOUNDS[bucket] ?? LONGEST;
  }
  return LONGEST;
}
