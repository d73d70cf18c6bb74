/** Limits of a terminal's object that no client depends on. Times are in milliseconds unless the name says otherwise. */
import { OPEN_REQUESTS } from "../../protocol/limits/connections.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { PENDING_TRANSACTIONS } from "../../protocol/limits/transfers.ts";
import { SECOND, MINUTE, DAY } from "../../protocol/time/units.ts";

/**
 * One step of pruning looks at, and deletes, at most this many rows, so that it never delays a payment. They are more
 * than the pending rows that a journal may begin with.
 */
export const PRUNE_ROWS = 2 * PENDING_TRANSACTIONS;

/** The pause between two such steps. */
export const PRUNE_PAUSE = SECOND;

/** This is far longer than a connection lasts: the platform closes all of them when it restarts an object. */
export const PRUNE_AHEAD = 30 * DAY;

/** D1 gets a disconnect after this delay, unless the terminal is back by then, as most are. */
export const PRESENCE_DELAY = 10 * SECOND;

/** An upgrade waits this long for D1 to record the connection. */
export const CONNECT_NOTE_WAIT = SECOND;

/**
 * An operator's call, or a change of the binding, waits this long for D1. The call succeeds even if D1 has not
 * followed.
 */
export const CHANGE_NOTE_WAIT = 10 * SECOND;

/** `bind` waits this long for the account to get the binding. It succeeds even if the account has not. */
export const BIND_UPDATE_WAIT = 5 * SECOND;

/** This many takeovers of an open connection within `CONTESTED_WITHIN` suggest two devices with one identity. */
export const CONTESTED_TAKEOVERS = 3;

export const CONTESTED_WITHIN = 10 * MINUTE;

/**
 * One transaction has at most this many stored reports. The first ones show what happened; more only fill the object.
 */
export const KEPT_REPORTS = 100;

/**
 * The object stores at most this many results about requests that the terminal was never sent: as many as a terminal
 * can have open, a megabyte. The terminal keeps any more.
 */
export const ORPHAN_REPORTS = OPEN_REQUESTS;

/**
 * A used login is remembered this long after its `datetime`: the Worker that checks the `datetime` has another clock.
 */
export const LOGIN_MEMORY = CLOCK_TOLERANCE + MINUTE;

/** They take a few hundred kilobytes. A terminal at its rate limit makes a third of them. */
export const LOGINS_REMEMBERED = 1_000;

/**
 * A question about statistics looks at this many pages of the journal: a month of a busy terminal in a fraction of a
 * second, during which its payments wait.
 */
export const STATISTICS_PAGES = 4;
export const STATISTICS_ROWS = 500;

/**
 * A terminal reserves transaction numbers for this many days of its own, and again when fewer days' are left, but never
 * fewer than its minimum: without the coordinator it sells for at least a day, even if that day is its busiest.
 */
export const NUMBER_DAYS = 30;
export const NUMBER_DAYS_LOW = 3;
export const NUMBERS_AT_LEAST = 100;
export const NUMBERS_LOW = 20;

/** They suffice for 33,000 transactions a day, one every 2.6 seconds, for a month. */
export const NUMBERS_AT_MOST = 1_000_000;

/** The timeout of a call to the coordinator's object. A call that binds a terminal waits as long for its first numbers. */
export const COORDINATOR_WAIT = 5 * SECOND;
