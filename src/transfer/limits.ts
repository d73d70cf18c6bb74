/** How a transfer retries a broken call to the terminal's object. Times are in milliseconds. */
import { SECOND } from "../time/units.ts";

/** The pause before the first retry. It doubles up to `RESUBMIT_LONGEST_WAIT`. */
export const RESUBMIT_FIRST_WAIT = 50;

/** The longest pause between two tries. */
export const RESUBMIT_LONGEST_WAIT = 2 * SECOND;

/** The Worker stops retrying this long after the request's end. An inquiry's ten seconds fit in. */
export const REPLY_MARGIN = 15 * SECOND;
