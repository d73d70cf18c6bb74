/** Times are in milliseconds. */
import { MINUTE, SECOND } from "../../../../protocol/time/units.ts";

/** The Worker stops retrying this long after a request's end. An inquiry's ten seconds fit in. */
export const REPLY_MARGIN = 15 * SECOND;

/**
 * How long a failed call to the account's object is repeated, then the answer is 500; or one waits for it, then it is
 * 429. Nothing was sent.
 */
export const ADMIT_WITHIN = 10 * SECOND;

/** An operator's change of a channel counts everywhere after this time. */
export const CHANNELS_FRESH = MINUTE;

/** A transfer waits this long for D1's list of channels. Then the last copy counts. */
export const CHANNELS_WAIT = 2 * SECOND;

/** After D1 has failed, the last copy counts for this long before D1 is asked again. */
export const CHANNELS_RETRY = 10 * SECOND;

/** A stream of stages sends a comment this often: proxies close a connection that is silent for 30 to 60 seconds. */
export const COMMENT_EVERY = 15 * SECOND;
