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

/** Events that one page of the list of transactions looks at: a page must never delay a payment. */
export const LIST_EVENTS = 1_000;

/** The delay before a day that could not be closed is closed. */
export const DAY_RETRY = 5 * SECOND;

/** How often the object looks for claims and events that it may forget. */
export const PRUNE_EVERY = 30 * DAY;

/** The pause between two steps of that look. */
export const PRUNE_PAUSE = SECOND;

/** Claims, and events, that one step looks at: a step must never delay a payment. */
export const PRUNE_ROWS = 2_000;

/** What an endpoint has taken is written at most once in this time: each write is a row beside the event's own. */
export const CURSOR_EVERY = 5 * SECOND;

/**
 * Deliveries to one endpoint in one turn of work. The platform counts the calls outwards of what an object is woken for
 * (1,000, https://developers.cloudflare.com/workers/platform/limits/); the next turn of work begins with an alarm.
 */
export const DELIVERIES_AT_ONCE = 50;

/** The pause between two such turns of work. */
export const DELIVERIES_PAUSE = SECOND / 10;

/** An object that is reset while it delivers is woken again after so much more than the call may take. */
export const DELIVERY_MARGIN = SECOND;

/** The delay before deliveries that could not even be begun are begun again. */
export const NOT_STARTED_RETRY = 5 * SECOND;
