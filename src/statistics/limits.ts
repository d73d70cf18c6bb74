/** Limits of statistics. Times are in milliseconds unless the name says otherwise. */
import { DAY, HOUR, MINUTE } from "../time/units.ts";

/**
 * How many combinations of type, status and `responseCode` an account's hour keeps apart. The rest is counted as
 * `OTHER_CODES`: a code is a terminal's text, and a terminal that sends other texts there must not make statistics grow
 * without end.
 */
export const CODES_AN_HOUR = 100;
export const OTHER_CODES = "(other)";

/** How many response codes one answer lists; the rest is counted as `OTHER_CODES`. */
export const CODES_SHOWN = 50;

/** How long D1 keeps hours, and how long it keeps days. */
export const HOURS_LIFE = 35 * DAY;
export const DAYS_LIFE = 400 * DAY;

/**
 * A completion that is recorded later than this counts in the hour of its recording. With a day to spare, D1 gets no
 * hour that it may already have added up and deleted.
 */
export const RECORDED_WITHIN = 30 * DAY;
export const SENT_WITHIN = 34 * DAY;

/**
 * How often an account's hours are sent to D1. Each time costs a row in D1 and one in the object. So a busy account,
 * which has `BUSY_EVENTS` to send, pays at most a tenth of a row with each payment, and a quiet one pays by the hour. A
 * quiet account may use at once what it has saved in the last hours, at most `SENT_AT_ONCE`, so its first payments
 * appear immediately.
 */
export const SEND_EVERY = 5 * MINUTE;
export const BUSY_EVENTS = 20;
export const SEND_EVERY_QUIET = HOUR;
export const SENT_AT_ONCE = 3;

/**
 * Hours are sent to D1 with a transaction. An alarm, which costs a row when it is set and one when it fires, is only
 * for the last ones. It comes this many times later, when other transactions usually have followed.
 */
export const ALARM_AFTER = 2;

/** How many hours are sent to D1 at a time. */
export const HOURS_A_NOTE = 50;
