/** Times are in milliseconds unless the name says otherwise. */
import { SECOND } from "../../protocol/time/units.ts";

/** Objects that one listing calls at the same time. */
export const STATUS_CONCURRENCY = 50;

/** How long a listing waits for an object. Without an answer, the terminal counts as not connected. */
export const STATUS_WAIT = 5 * SECOND;

/** How long a completed change waits for D1 to check the prebind lists. */
export const AFTERWARDS_WAIT = 10 * SECOND;
