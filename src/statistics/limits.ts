/** Milliseconds unless the name says otherwise. */
import { DAY, HOUR, MINUTE } from "../time/units.ts";

/**
 * How many combinations of type, status and `responseCode` an account's day keeps apart; the rest counts as
 * `OTHER_CODES`. A code is a terminal's text: a terminal that sends other texts there must not make statistics grow
 * without end.
 */
export const CODES_COUNTED = 100;

/** Per hour and day of the whole service; fewer if codes are long. */
export const SERVICE_CODES = 500;

export const OTHER_CODES = "(other)";

/** Response codes in one answer; the rest counts as `OTHER_CODES`. */
export const CODES_SHOWN = 50;

/** The service's hours and days in D1, and an account's own in its object. */
export const STATISTICS_LIFE = 400 * DAY;

/** In D1: two months. */
export const ACCOUNT_HOURS_LIFE = 62 * DAY;

/** A completion that is recorded later than this counts in the hour of its recording. */
export const RECORDED_WITHIN = 30 * DAY;

/**
 * How often an account's hours are sent to D1. Each time costs five rows in D1 and one in the object. So a busy
 * account, which has `BUSY_EVENTS` to send, pays at most a third of a row with each payment, and a quiet one pays by the
 * hour. A quiet account may use at once what it has saved in the last hours, at most `SENT_AT_ONCE`, so its first
 * payments appear immediately.
 */
export const SEND_EVERY = 5 * MINUTE;
export const BUSY_EVENTS = 20;
export const SEND_EVERY_QUIET = HOUR;
export const SENT_AT_ONCE = 3;

/**
 * Hours are sent to D1 with a transaction. An alarm costs a row when it is set and one when it fires, so it is only for
 * the last ones: it comes this many times later, when other transactions usually have followed.
 */
export const ALARM_AFTER = 2;

/** A quiet account tells D1 at the latest after this time. */
export const TOLD_WITHIN = ALARM_AFTER * SEND_EVERY_QUIET;

/** What an account has not told this long after its last telling is told at once. Times of tellings are rounded down. */
export const MAY_LACK = TOLD_WITHIN + SEND_EVERY;
