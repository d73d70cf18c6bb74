/** How long a transfer waits for what it asks, and how it repeats calls that broke. Times are in milliseconds. */
import { MINUTE, SECOND } from "../time/units.ts";

/** The Worker stops retrying this long after the request's end. An inquiry's ten seconds fit in. */
export const REPLY_MARGIN = 15 * SECOND;

/** A call to the account's object is repeated for so long. Then the answer is 500, and nothing was sent. */
export const ADMIT_WITHIN = 10 * SECOND;

/** A channel that the operator changes counts everywhere after this time. */
export const CHANNELS_FRESH = MINUTE;

/** How long a transfer waits for D1 to say which channels there are. Then the last copy serves. */
export const CHANNELS_WAIT = 2 * SECOND;

/** After D1 did not say it, the last copy serves this long before D1 is asked again. */
export const CHANNELS_RETRY = 10 * SECOND;

/** How often a stream of stages says that it is alive: proxies close a connection that is silent for 30 to 60 seconds. */
export const COMMENT_EVERY = 15 * SECOND;
