import { MINUTE } from "../time/units.ts";

export const EVENTS_PAGE = 100;

/** Milliseconds: a proxy may end a request that is silent for longer. */
export const EVENTS_WAIT = MINUTE;

/** Readers of one account that may wait at the same time: each gets every event. */
export const WAITING_READERS = 50;
