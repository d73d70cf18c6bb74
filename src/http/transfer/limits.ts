/** How long a transfer waits, and how it repeats failed calls. Times are in milliseconds. */
import { MINUTE, SECOND } from "../../time/units.ts";

/** The Worker stops retrying this long after the request's end. An inquiry's ten seconds fit in. */
export const REPLY_MARGIN = 15 * SECOND;

/** A failed call to the account's object is repeated for this long. Then the answer is 500, and nothing was sent. */
export const ADMIT_WITHIN = 10 * SECOND;

/** A channel that the operator changes counts everywhere after this time. */
export const CHANNELS_FRESH = MINUTE;

/** How long a transfer waits for D1's list of channels. Then the last copy counts. */
export const CHANNELS_WAIT = 2 * SECOND;

/** After D1 has failed, the last copy counts this long before D1 is asked again. */
export const CHANNELS_RETRY = 10 * SECOND;

/** How often a stream of stages sends a comment: proxies close a connection that is silent for 30 to 60 seconds. */
export const COMMENT_EVERY = 15 * SECOND;
