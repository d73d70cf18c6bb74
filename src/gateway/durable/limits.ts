/** Times are in milliseconds. */
import { SECOND } from "../../protocol/time/units.ts";

/** The longest pause before the first retry of a call to an object. Doubles up to `RETRY_LONGEST_WAIT`. */
export const RETRY_FIRST_WAIT = 250;

export const RETRY_LONGEST_WAIT = 2 * SECOND;

/** Of one call. */
export const RETRIES = 3;

/** Of these, after errors of which the platform does not say that they may be retried. */
export const RETRIES_OF_UNKNOWN = 1;
