/**
 * The sums of transactions: numbers by key. A key is the kind of a transaction (`00 terminal sale 00`), the currency of
 * a turnover (`amount EUR`), or a part of its time and a bucket (`gateway 250`) or its sum (`gateway sum`). Sums of sums
 * have the same form.
 */
import { BUCKETS, OTHER_CODES, type TimeName, TIMES } from "../../protocol/statistics.ts";
import { GATEWAY_CODES, RESOLVED } from "../../protocol/gateway-codes.ts";
import { hasWords } from "../../protocol/response-codes.ts";
import { hundredths } from "../../protocol/amounts.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import { type TransactionType, TRANSACTION_TYPES, turnoverFactor } from "../../protocol/transfer-types.ts";
import { DAY } from "../../protocol/time/units.ts";

/**
 * An account's hour keeps at most this many keys apart, so at most this many combinations of type, status and
 * `responseCode`; the rest counts as `OTHER_CODES`. A code is a terminal's text: a terminal that sends other texts
 * there must not make statistics grow without end.
 */
export const CODES_COUNTED = 150;

/** D1 keeps the service's hours for this time, and each object its account's own. */
export const STATISTICS_LIFE = 400 * DAY;

/** D1 keeps an account's hours for two months. */
export const ACCOUNT_HOURS_LIFE = 62 * DAY;

type CompletedBy = "terminal" | "gateway" | "operator";

export interface OutcomeKind {
  statusCode: Exclude<StatusCode, "22">;
  completedBy: CompletedBy;
  transType: TransactionType;
  responseCode: string;
}

/** The amount that a completed transaction adds to the turnover of its currency, in hundredths; a void is negative. */
export interface Turnover {
  currency: string;
  amount: number;
}

interface Priced extends Pick<OutcomeKind, "statusCode" | "transType"> {
  currency: string;
  transAmt: string | null;
}

/** Returns null if no money moved, or the amount is unknown. The cash of a cashOut is no turnover. */
export function computeTurnover({ statusCode, transType, currency, transAmt }: Priced): Turnover | null {
  if (statusCode !== "00" || transAmt === null) return null;
  return { currency, amount: turnoverFactor(transType) * hundredths(transAmt) };
}

/** A part is missing if it did not happen or is unknown. */
export type MeasuredTimes = Partial<Record<TimeName, number>>;

export type Tally = Map<string, number>;

export function count(
  tally: Tally,
  kind: OutcomeKind,
  measured: MeasuredTimes,
  turnover: Turnover | null = null,
): void {
  increase(tally, keyIn(tally, kind), 1);
  if (turnover !== null) increase(tally, `${TURNOVER_KEY}${turnover.currency}`, turnover.amount);
  for (const name of TIMES) {
    const milliseconds = measured[name];
    if (milliseconds === undefined) continue;
    increase(tally, bucketKey(name, findBucket(milliseconds)), 1);
    increase(tally, sumKey(name), Math.max(milliseconds, 0));
  }
}

/** The key of how many times are in the bucket below this bound. */
export function bucketKey(name: TimeName, bound: number): string {
  return `${name} ${bound}`;
}

/** The key of the sum of all times. */
export function sumKey(name: TimeName): string {
  return `${name} sum`;
}

/** Returns the least bound that the duration does not exceed; a longer one is in the bucket without a bound. */
export function findBucket(milliseconds: number): number {
  return BUCKETS.find((bound) => milliseconds <= bound) ?? Infinity;
}

/** Returns the tally of the key, which is added if it is missing. */
export function tallyAt<Key>(tallies: Map<Key, Tally>, key: Key): Tally {
  const tally = tallies.get(key) ?? new Map<string, number>();
  tallies.set(key, tally);
  return tally;
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  const all: Tally = new Map();
  for (const tally of tallies) for (const [key, number] of tally) increase(all, key, number);
  return all;
}

function increase(tally: Tally, key: string, by: number): void {
  tally.set(key, (tally.get(key) ?? 0) + by);
}

/** `OTHER_CODES` replaces the code where too many are counted already. */
function keyIn(tally: Tally, kind: OutcomeKind): string {
  const key = formatOutcomeKey(kind);
  return tally.has(key) || tally.size < CODES_COUNTED ? key : formatOutcomeKey({ ...kind, responseCode: OTHER_CODES });
}

/** Begins the key of a currency's turnover. No kind begins like this. */
export const TURNOVER_KEY = "amount ";

/** Returns hundredths by currency. */
export function turnoversIn(tally: Tally): [currency: string, amount: number][] {
  return [...tally]
    .filter(([key]) => key.startsWith(TURNOVER_KEY))
    .map(([key, amount]): [string, number] => [key.slice(TURNOVER_KEY.length), amount])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Only the last part may contain a space. */
function formatOutcomeKey({ statusCode, completedBy, transType, responseCode }: OutcomeKind): string {
  return `${statusCode} ${completedBy} ${transType} ${responseCode}`;
}

const KEY = new RegExp(`^(00|11) (terminal|gateway|operator) (${TRANSACTION_TYPES.join("|")}) (.*)$`, "s");

/** Returns null for the key of a turnover or a time, or one that newer code wrote. */
export function parseOutcomeKey(key: string): OutcomeKind | null {
  const [, statusCode, completedBy, transType, responseCode] = KEY.exec(key) ?? [];
  if (responseCode === undefined) return null;
  return { statusCode, completedBy, transType, responseCode } as OutcomeKind;
}

/**
 * The same with a bounded number of keys, however many codes the terminals have: `OTHER_CODES` replaces those that neither
 * ISO 8583 nor the gateway has. Turnovers, which do not only grow, are left out.
 */
export function boundedTally(tally: Tally): Tally {
  const bounded: Tally = new Map();
  for (const [key, number] of tally) {
    if (key.startsWith(TURNOVER_KEY)) continue;
    const kind = parseOutcomeKey(key);
    const isKnown = kind === null || isKnownCode(kind.responseCode);
    increase(bounded, isKnown ? key : formatOutcomeKey({ ...kind, responseCode: OTHER_CODES }), number);
  }
  return bounded;
}

function isKnownCode(code: string): boolean {
  return hasWords(code) || Object.hasOwn(GATEWAY_CODES, code) || code === RESOLVED;
}

/** The tallies of a day (UTC) by hour, 0 to 23. Days are numbered since 1970. */
export interface CountedDay {
  /** The number of the newest event that is counted. */
  event: number;
  hours: Map<number, Tally>;
}

export const HOURS_A_DAY = 24;

/** @param hour since 1970, UTC */
export function toUtcDay(hour: number): number {
  return Math.floor(hour / HOURS_A_DAY);
}

export function hoursToText(hours: CountedDay["hours"]): string {
  return JSON.stringify(Object.fromEntries([...hours].map(([hour, tally]) => [hour, Object.fromEntries(tally)])));
}

export function hoursFromText(text: string): CountedDay["hours"] {
  const stored = Object.entries(JSON.parse(text) as Record<string, Record<string, number>>);
  return new Map(stored.map(([hour, numbers]) => [Number(hour), new Map(Object.entries(numbers))]));
}
