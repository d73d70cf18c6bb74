/** Times are in milliseconds unless the name says otherwise. */
import { SECOND } from "../../protocol/time/units.ts";

/** One listing calls at most this many objects at the same time. */
export const STATUS_CONCURRENCY = 50;

/** A listing waits this long for an object. Without an answer, the terminal counts as not connected. */
export const STATUS_WAIT = 5 * SECOND;

/** A completed change waits this long for D1 to check the prebind lists. */
export const AFTERWARDS_WAIT = 10 * SECOND;
