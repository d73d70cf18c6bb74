/** Limits that both kinds of objects share. Times are in milliseconds. */
import { SECOND } from "../time/units.ts";

/** How long a call to D1 may take. Nothing that an object does for a transaction waits for it. */
export const D1_WAIT = 10 * SECOND;

/** The delay before a failed write to D1 is retried. */
export const NOTE_RETRY = 30 * SECOND;
