/**
 * How the Worker calls many terminals' objects at once. Times are in milliseconds unless the name says
 * otherwise.
 */
import { SECOND } from "../time/units.ts";

/** Objects that one listing asks for their state at the same time. */
export const STATUS_CONCURRENCY = 50;

/** How long a listing waits for an object. One that does not answer by then counts as not connected. */
export const STATUS_WAIT = 5 * SECOND;

/** How long a change that is made waits for D1 to look at the prebind lists. */
export const AFTERWARDS_WAIT = 10 * SECOND;
