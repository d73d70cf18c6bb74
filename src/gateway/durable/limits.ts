/** Times are in milliseconds. */
import { SECOND } from "../../protocol/time/units.ts";

/** The longest pause before the first retry of a call to an object. It doubles up to `RETRY_LONGEST_WAIT`. */
export const RETRY_FIRST_WAIT = 250;

export const RETRY_LONGEST_WAIT = 2 * SECOND;

/** One call is retried at most this often. */
export const RETRIES = 3;

/** Errors of which the platform does not say that they may be retried are retried at most this often. */
export const RETRIES_OF_UNKNOWN = 1;
