/** Limits of an account's feed. Times are in milliseconds. */
import { MINUTE } from "../../time/units.ts";

/** Events of one page of the feed. */
export const EVENTS_PAGE = 100;

/** The longest wait for the next event: what is between reader and gateway may end a request that is silent for longer. */
export const EVENTS_WAIT = MINUTE;

/** Readers of one account that wait at the same time: each is told of every event. */
export const WAITING_READERS = 50;
