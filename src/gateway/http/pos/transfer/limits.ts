/** Times are in milliseconds. */
import { MINUTE, SECOND } from "../../../../protocol/time/units.ts";

/** How long after a request's end the Worker stops retrying. An inquiry's ten seconds fit in. */
export const REPLY_MARGIN = 15 * SECOND;

/**
 * How long a failed call to the account's object is repeated, then the answer is 500; or one waits for it, then it is
 * 429. Nothing was sent.
 */
export const ADMIT_WITHIN = 10 * SECOND;

/** After how long an operator's change of a channel counts everywhere. */
export const CHANNELS_FRESH = MINUTE;

/** How long a transfer waits for D1's list of channels. Then the last copy counts. */
export const CHANNELS_WAIT = 2 * SECOND;

/** After D1 has failed, how long the last copy counts before D1 is asked again. */
export const CHANNELS_RETRY = 10 * SECOND;

/** How often a stream of stages sends a comment: proxies close a connection that is silent for 30 to 60 seconds. */
export const COMMENT_EVERY = 15 * SECOND;
