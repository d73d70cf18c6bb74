/** Waves: far more declines than usual, or far more of one response code. */
import { codeWithWords } from "../protocol/response-codes.ts";
import { OTHER_CODES } from "./limits.ts";
import { emptyTally, HOURS_A_DAY, kindOf, sumOf, type Tally } from "./tally.ts";
import { HOUR } from "../time/units.ts";

export interface Wave {
  /** Null: declines of several codes. */
  responseCode: string | null;
  /** Such as `51 insufficient funds` or `declined`. */
  words: string;
  count: number;
  /** Of all payments in that time, from 0 to 1. */
  share: number;
  /** The share in the time before; null: it had too few payments. */
  usual: number | null;
}

export interface Waves {
  /** The greatest first. */
  found: readonly Wave[];
  /** The beginning of the time that was searched, epoch milliseconds. */
  since: number;
}

/**
 * In the current hour and the one before, compared with the hours before.
 *
 * @param tallies of the last day, by hour since 1970
 */
export function wavesNow(tallies: ReadonlyMap<number, Tally>, present: number): Waves {
  const of = (hour: number): Tally => tallies.get(hour) ?? emptyTally();
  const earlier = Array.from({ length: HOURS_A_DAY - 1 }, (_, index) => of(present - HOURS_A_DAY + index));
  const found = wavesOf(sumOf([of(present - 1), of(present)]), sumOf(earlier));
  return { found, since: (present - 1) * HOUR };
}

const LEAST = 10;

/** The least number of payments in the time before. */
const ENOUGH = 20;

/** A share is a wave from twice the usual one, and this much above it. */
const ABOVE = 0.1;

/** If no share is usual: half of all payments. */
const UNKNOWN = 0.5;

/**
 * The greatest first. Declines of a code that is a wave by itself are not listed again.
 *
 * @param lately the time to judge
 * @param before the time before it
 */
export function wavesOf(lately: Tally, before: Tally): Wave[] {
  const [now, then] = [countsOf(lately), countsOf(before)];
  const wave = (responseCode: string | null, count: number, earlier: number): Wave[] => {
    const share = count / now.all;
    const usual = then.all >= ENOUGH ? earlier / then.all : null;
    const least = usual === null ? UNKNOWN : Math.max(2 * usual, usual + ABOVE);
    if (count < LEAST || share < least) return [];
    const words = responseCode === null ? "declined" : codeWithWords(responseCode);
    return [{ responseCode, words, count, share, usual }];
  };
  const ofCodes = [...now.codes].flatMap(([code, count]) => wave(code, count, then.codes.get(code) ?? 0));
  const waves = ofCodes.length > 0 ? ofCodes : wave(null, now.declined, then.declined);
  return waves.toSorted((one, other) => other.count - one.count);
}

interface Counts {
  all: number;
  /** By terminals: what the gateway or an operator ended says nothing about cards. */
  declined: number;
  /** Of transactions that are `11`. */
  codes: Map<string, number>;
}

function countsOf({ counts }: Tally): Counts {
  const found: Counts = { all: 0, declined: 0, codes: new Map() };
  for (const [key, count] of counts) {
    const kind = kindOf(key);
    if (kind === null) continue;
    found.all += count;
    if (kind.statusCode !== "11") continue;
    if (kind.completedBy === "terminal") found.declined += count;
    const { responseCode } = kind;
    if (responseCode !== OTHER_CODES) found.codes.set(responseCode, count + (found.codes.get(responseCode) ?? 0));
  }
  return found;
}
