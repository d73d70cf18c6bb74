/** Limits that both kinds of objects and the Workers that call them share. Times are in milliseconds. */
import { MINUTE, SECOND } from "../time/units.ts";

/** The pause before the first retry of a call to an object. It doubles up to `RETRY_LONGEST_WAIT`. */
export const RETRY_FIRST_WAIT = 50;

export const RETRY_LONGEST_WAIT = 2 * SECOND;

/** The timeout of a call to D1. Nothing that an object does for a transaction waits for it. */
export const D1_WAIT = 10 * SECOND;

/**
 * The minimum and maximum delay before a failed write to D1 is retried. In between, the delay equals the age of the news,
 * so it doubles. It is randomised, because all objects may have failed at the same moment.
 */
export const NOTE_RETRY = 30 * SECOND;
export const NOTE_RETRY_AT_MOST = 10 * MINUTE;
