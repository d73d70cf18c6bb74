/** Limits of an account's object that nobody outside relies on. Times are in milliseconds unless the name says otherwise. */
import { DAY, MINUTE, SECOND } from "../time/units.ts";

/** How long a call to a terminal's object may take. Nothing that the object does for a till waits for it. */
export const CALL_WAIT = 10 * SECOND;

/** How long an operator's call waits for D1 and for the terminals to follow. It succeeds without. */
export const FOLLOW_WAIT = 10 * SECOND;

/** The delay before terminals that could not be told are told again. It doubles up to `NEWS_LONGEST_RETRY`. */
export const NEWS_RETRY = SECOND;
export const NEWS_LONGEST_RETRY = MINUTE;

/** Terminals that are told of their account's terms at the same time. */
export const NEWS_AT_ONCE = 50;

/** A claim's time is rewritten at most once in this time: most repetitions come within minutes. */
export const CLAIM_REFRESH = DAY;

/** What days add up to is kept whenever so many events were recorded: two rows with 500 payments. No question reads more. */
export const TALLY_EVENTS = 500;

/** The delay before a day that could not be closed is closed. */
export const DAY_RETRY = 5 * SECOND;

/** How often the object looks for claims and events that it may forget. */
export const PRUNE_EVERY = 30 * DAY;

/** The pause between two steps of that look. */
export const PRUNE_PAUSE = SECOND;

/** Claims, and events, that one step looks at: a step must never delay a payment. */
export const PRUNE_ROWS = 2_000;
