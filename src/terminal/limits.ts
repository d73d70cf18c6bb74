/**
 * Limits of a terminal's object that nobody outside relies on. Times are in milliseconds unless the name says otherwise.
 */
import { CLOCK_TOLERANCE } from "../protocol/limits/messages.ts";
import { SECOND, MINUTE, DAY } from "../time/units.ts";

/** Settled rows that one turn deletes at most, so that pruning never delays a payment. */
export const PRUNE_ROWS = 100;

/** How often an otherwise idle object looks for rows that its journal may forget. */
export const PRUNE_EVERY = 30 * DAY;

/** D1 learns of a disconnect after this delay, unless the terminal is back by then. Most are. */
export const PRESENCE_DELAY = 15 * SECOND;

/** How long an upgrade waits for D1 to record the connection. */
export const CONNECT_NOTE_WAIT = SECOND;

/** How long a call to D1 may take. Nothing that the object does for a transaction waits for it. */
export const D1_WAIT = 10 * SECOND;

/** How long an operator's call, or a change of the binding, waits for D1 to follow. It succeeds without. */
export const CHANGE_NOTE_WAIT = 10 * SECOND;

/** The delay before a failed write to D1 is retried. */
export const NOTE_RETRY = 30 * SECOND;

/** Takeovers of an open connection within `CONTESTED_WITHIN` that suggest two devices with one identity. */
export const CONTESTED_TAKEOVERS = 3;

/** The period in which takeovers are counted. */
export const CONTESTED_WITHIN = 10 * MINUTE;

/** Reports kept beside one transaction. The first ones show what happened; more would only fill the object. */
export const KEPT_REPORTS = 100;

/** How long after its `datetime` a used login is remembered: the Worker that judges the `datetime` has another clock. */
export const LOGIN_MEMORY = CLOCK_TOLERANCE + MINUTE;

/** Used logins that are remembered: some hundred kilobytes. A terminal at its rate limit makes a third of them. */
export const LOGINS_REMEMBERED = 1_000;

/** Transaction numbers that an object reserves at a time. */
export const NUMBER_BLOCK = 100;

/** An object reserves the next block when this many numbers are left, so that no transfer waits for one. */
export const NUMBERS_LOW = 20;
