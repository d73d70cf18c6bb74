/**
 * What the transactions of an hour or a day add up to: numbers by key, the same form as the sums of several of them.
 * A key of `counts` says what a transaction was; a key of `times` names a part of its time and a bucket.
 */
import { type TimeName, TIMES } from "../protocol/statistics.ts";
import type { StatusCode } from "../protocol/status-codes.ts";
import { type TransactionType, TRANSACTION_TYPES } from "../protocol/transfer-types.ts";
import { type Buckets, bucketOf } from "./histogram.ts";
import { CODES_COUNTED, OTHER_CODES } from "./limits.ts";

export type CompletedBy = "terminal" | "gateway" | "operator";

/** The properties by which a completed transaction is counted. */
export interface Kind {
  statusCode: Exclude<StatusCode, "22">;
  completedBy: CompletedBy;
  transType: TransactionType;
  responseCode: string;
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

/** Counts a completed transaction by changing the tally. */
export function count({ counts, times }: Tally, kind: Kind, measured: MeasuredTimes): void {
  increase(counts, keyIn(counts, kind), 1);
  for (const name of TIMES) {
    const milliseconds = measured[name];
    if (milliseconds !== undefined) increase(times, `${name} ${bucketOf(milliseconds)}`, 1);
  }
}

/** The tally under a key; an empty one, which is put there, if there was none. */
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

/** Adds each number to the sum with the same key. */
function addTo(sums: Map<string, number>, numbers: Iterable<readonly [string, number]>): void {
  for (const [key, number] of numbers) increase(sums, key, number);
}

function increase(sums: Map<string, number>, key: string, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by);
}

/** The key under which a transaction counts: that of `OTHER_CODES` where there are too many of their own. */
export function keyIn(counted: ReadonlyMap<string, unknown>, kind: Kind): string {
  const key = keyOf(kind);
  return counted.has(key) || counted.size < CODES_COUNTED ? key : keyOf({ ...kind, responseCode: OTHER_CODES });
}

/** Only the last part may contain a space. */
function keyOf({ statusCode, completedBy, transType, responseCode }: Kind): string {
  return `${statusCode} ${completedBy} ${transType} ${responseCode}`;
}

const KEY = new RegExp(`^(00|11) (terminal|gateway|operator) (${TRANSACTION_TYPES.join("|")}) (.*)$`, "s");

/** What a key of `counts` stands for; null if newer code wrote it. */
export function kindOf(key: string): Kind | null {
  const [, statusCode, completedBy, transType, responseCode] = KEY.exec(key) ?? [];
  if (responseCode === undefined) return null;
  return { statusCode, completedBy, transType, responseCode } as Kind;
}

/** The buckets of one part of the time. */
export function bucketsOf({ times }: Pick<Tally, "times">, name: TimeName): Buckets {
  const beginning = `${name} `;
  const own = [...times].filter(([key]) => key.startsWith(beginning));
  return new Map(own.map(([key, number]) => [Number(key.slice(beginning.length)), number]));
}
