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
 * How often D1 is told what an account's hours add up to. Each time is a row in D1 and one in the object. So a busy account,
 * which has `BUSY_EVENTS` to tell, pays for a tenth of a row with each payment at most, and a quiet one by the hour. What a
 * quiet one has not used of the last hours, `TOLD_AT_ONCE` at most, it may use at once: its first payments are seen
 * immediately.
 */
export const TOLD_EVERY = 5 * MINUTE;
export const BUSY_EVENTS = 20;
export const TOLD_EVERY_QUIET = HOUR;
export const TOLD_AT_ONCE = 3;

/**
 * D1 is told with a transaction. An alarm, which costs a row when it is set and one when it has fired, is for the last ones
 * alone: it comes so many times later, when others usually have followed.
 */
export const ALARM_AFTER = 2;

/** Hours that D1 is told at a time. */
export const HOURS_TOLD = 50;
