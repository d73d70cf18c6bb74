/** Limits of an account's feed. Times are in milliseconds. */
import { MINUTE } from "../../time/units.ts";

/** Events per page of the feed. */
export const EVENTS_PAGE = 100;

/** The longest wait for the next event: a proxy may end a request that is silent for longer. */
export const EVENTS_WAIT = MINUTE;

/** How many readers of one account may wait at the same time: each gets every event. */
export const WAITING_READERS = 50;
