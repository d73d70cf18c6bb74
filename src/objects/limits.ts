/** Limits that both kinds of objects and the Workers that call them share. Times are in milliseconds. */
import { SECOND } from "../time/units.ts";

/** The pause before the first retry of a call to an object. It doubles up to `RETRY_LONGEST_WAIT`. */
export const RETRY_FIRST_WAIT = 50;

export const RETRY_LONGEST_WAIT = 2 * SECOND;
