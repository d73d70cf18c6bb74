/** Milliseconds unless the name says otherwise. */
import { DAY, MINUTE } from "../../protocol/time/units.ts";

/**
 * An account's hour keeps at most this many keys apart, so at most this many combinations of type, status and
 * `responseCode`; the rest counts as `OTHER_CODES`. A code is a terminal's text: a terminal that sends other texts
 * there must not make statistics grow without end.
 */
export const CODES_COUNTED = 150;

/** An hour of the whole service has at most this many codes, and fewer if they are long. */
export const SERVICE_CODES = 500;

/** One answer has at most this many response codes; the rest counts as `OTHER_CODES`. */
export const CODES_SHOWN = 50;

/** D1 keeps the service's hours for this time, and each object its account's own. */
export const STATISTICS_LIFE = 400 * DAY;

/** D1 keeps an account's hours for two months. */
export const ACCOUNT_HOURS_LIFE = 62 * DAY;

/** A completion that is recorded later than this counts in the hour of its recording. */
export const RECORDED_WITHIN = 30 * DAY;

/**
 * D1 gets an account's hours this long after a transaction was recorded: what is recorded meanwhile goes with it, so a
 * busy account writes there once a minute.
 */
export const STATISTICS_DELAY = MINUTE;

/**
 * D1 has a transaction after this time, unless a delivery has failed: the transaction may also have to wait for another
 * delivery's end.
 */
export const STATISTICS_WITHIN = 3 * STATISTICS_DELAY;
