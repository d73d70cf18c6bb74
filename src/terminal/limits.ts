/**
 * Limits of a terminal's object that nobody outside relies on. Times are in milliseconds unless the name says otherwise.
 */
import { CLOCK_TOLERANCE } from "../protocol/limits/messages.ts";
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { SECOND, MINUTE, DAY } from "../time/units.ts";

/** A Worker that was told to wait opens its socket within this time, or has died. Until then no alarm is set for it. */
export const TICKER_EXPECTED = 2 * SECOND;

/** Settled rows that one turn deletes at most, so that pruning never delays a payment. */
export const PRUNE_ROWS = 100;

/** How often an otherwise idle object looks for rows that its journal may forget. */
export const PRUNE_EVERY = 30 * DAY;

/** D1 learns of a disconnect after this delay, unless the terminal is back by then. Most are. */
export const PRESENCE_DELAY = 15 * SECOND;

/** How long an upgrade waits for D1 to record the connection. */
export const CONNECT_NOTE_WAIT = SECOND;

/** How long an operator's call, or a change of the binding, waits for D1 to follow. It succeeds without. */
export const CHANGE_NOTE_WAIT = 10 * SECOND;

/** How long a call to an account's object may take. Nothing that a till waits for waits for it. */
export const ACCOUNT_WAIT = 10 * SECOND;

/**
 * The delay before an account's object that failed is called again: at first, and at most. In between it doubles, as it is
 * as long as what has to be told is old.
 */
export const ACCOUNT_RETRY = SECOND;
export const ACCOUNT_RETRY_AT_MOST = 5 * MINUTE;

/**
 * When the object looks again for what an account was being told as the object was reset. Later than the alarms that most
 * transactions set anyway, so that it seldom costs one of its own; and no earlier than what failed is retried, as an
 * object that slept in between does not know that it failed.
 */
export const ACCOUNT_SAFETY = ACCOUNT_RETRY_AT_MOST;

/** How long `bind` waits for the account to hear of it. It succeeds without. */
export const BIND_NEWS_WAIT = 5 * SECOND;

/** Transactions that an account's object is told of in one call. */
export const RECORD_ENTRIES = 50;

/** A row that names more earlier ones than this without need is written anew. */
export const UNNEEDED_NAMES = 20;

/**
 * A new instance does not tell an account again of what was settled longer ago. The account knows a transaction for as
 * long as the journal does, and would take one that it has forgotten for a new one.
 */
export const RESENT_FOR = JOURNAL_LIFE - DAY;

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
