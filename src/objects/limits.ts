/** Limits that both kinds of objects share, and the Workers that call them. Times are in milliseconds. */
import { MINUTE, SECOND } from "../time/units.ts";

/** The pause before a call to an object that broke is first made again. It doubles up to `RETRY_LONGEST_WAIT`. */
export const RETRY_FIRST_WAIT = 50;

/** The longest pause between two tries. */
export const RETRY_LONGEST_WAIT = 2 * SECOND;

/** How long a call to D1 may take. Nothing that an object does for a transaction waits for it. */
export const D1_WAIT = 10 * SECOND;

/**
 * The delay before a failed write to D1 is retried, at first, and at most. In between it is as long as the news is old, so
 * it doubles; and it is spread, as all objects may have failed in the same moment.
 */
export const NOTE_RETRY = 30 * SECOND;
export const NOTE_RETRY_AT_MOST = 10 * MINUTE;
