/** Limits of statistics. Times are in milliseconds unless the name says otherwise. */
import { DAY, HOUR, MINUTE } from "../time/units.ts";

/**
 * Combinations of type, status and `responseCode` that an account's hour tells apart. The rest is counted as `OTHER_CODES`: a
 * code is text of a terminal, and one that puts something else there must not make statistics grow without end.
 */
export const CODES_AN_HOUR = 100;
export const OTHER_CODES = "(other)";

/** Response codes that one answer lists; the rest is counted as `OTHER_CODES`. */
export const CODES_SHOWN = 50;

/** How long D1 keeps hours, and how long days. */
export const HOURS_LIFE = 35 * DAY;
export const DAYS_LIFE = 400 * DAY;

/**
 * A settlement that is recorded later than this counts in the hour in which it is recorded. With a day to spare, D1 is told
 * of no hour that it may have added up and deleted.
 */
export const RECORDED_WITHIN = 30 * DAY;
export const TOLD_WITHIN = 34 * DAY;

/**
 * How often D1 is told what an account's hours add up to: a busy account, which has `BUSY_EVENTS` to tell, and any other.
 * Each time is a row in D1 and one in the object, and in a quiet account an alarm; so a payment of a busy account costs a
 * tenth of a row at most, and a quiet shop pays by the hour.
 */
export const TOLD_EVERY = 5 * MINUTE;
export const TOLD_EVERY_QUIET = HOUR;
export const BUSY_EVENTS = 20;

/** Hours that D1 is told at a time. */
export const HOURS_TOLD = 50;

/** The delay before hours or transactions that D1 was not told are told again. */
export const TOLD_RETRY = 5 * MINUTE;
