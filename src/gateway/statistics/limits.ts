/** Milliseconds unless the name says otherwise. */
import { DAY, MINUTE } from "../../protocol/time/units.ts";

/**
 * How many keys an account's hour keeps apart, so at most so many combinations of type, status and `responseCode`; the
 * rest counts as `OTHER_CODES`. A code is a terminal's text: a terminal that sends other texts there must not make
 * statistics grow without end.
 */
export const CODES_COUNTED = 150;

/** Per hour of the whole service; fewer if codes are long. */
export const SERVICE_CODES = 500;

/** Response codes in one answer; the rest counts as `OTHER_CODES`. */
export const CODES_SHOWN = 50;

/** The service's hours in D1, and an account's own in its object. */
export const STATISTICS_LIFE = 400 * DAY;

/** In D1: two months. */
export const ACCOUNT_HOURS_LIFE = 62 * DAY;

/** A completion that is recorded later than this counts in the hour of its recording. */
export const RECORDED_WITHIN = 30 * DAY;

/**
 * When D1 gets an account's hours after a transaction was recorded: what is recorded meanwhile goes with it, so a busy
 * account writes there once a minute.
 */
export const STATISTICS_DELAY = MINUTE;

/** D1 has a transaction after this time, unless a delivery has failed: it waits, at most for another delivery's end too. */
export const STATISTICS_WITHIN = 3 * STATISTICS_DELAY;
