/** A POS or a terminal can observe these. Times are in milliseconds unless the name says otherwise. */
import { SECOND, DAY } from "../time/units.ts";

/** Below it, the steps before a request's end would overlap those after its start. */
export const SHORTEST_REQUEST_SECONDS = 40;

/** Shorter than the default time-outs of common HTTP clients and proxies. */
export const DEFAULT_REQUEST_SECONDS = 90;

/**
 * In milliseconds, from the REQUEST_SECONDS of wrangler.toml. A setting that is not a number counts as not set; one
 * that is too short for the steps of a request counts as the shortest.
 */
export function requestLife(configured: string): number {
  const seconds = /^[0-9]{1,6}$/u.test(configured) ? Number(configured) : DEFAULT_REQUEST_SECONDS;
  return Math.max(seconds, SHORTEST_REQUEST_SECONDS) * SECOND;
}

/** Requests that wait for the lane. A fifth means a misconfigured POS. */
export const QUEUE_LENGTH = 4;

/**
 * With this many, a terminal gets no new transaction. Its `hello` lists at most `OPEN_REQUESTS`; a longer one would
 * lock it out permanently.
 */
export const PENDING_TRANSACTIONS = 500;

/** The longest wait for the lane, or for a terminal that reconnects. */
export const QUEUE_WAIT = 10 * SECOND;

/** A terminal refuses to start a request that it reads later than this after it was sent. */
export const DELIVER_WITHIN = 10 * SECOND;

/** Without `accepted` within this time the gateway closes the connection as dead. */
export const ACCEPT_WITHIN = 10 * SECOND;

/** The terminal ends a request this long before the request's end. */
export const RESPOND_BEFORE_END = 15 * SECOND;

/** The gateway cancels this long before the request's end, so that a payment whose customer left is 11, not 22. */
export const CANCEL_BEFORE_END = 10 * SECOND;

/** The gateway waits for a connection that ended less than this ago. */
export const RECONNECT_GRACE = 15 * SECOND;

/** How long an inquiry waits for the terminal's answer, and a cancel for its confirmation. */
export const ANSWER_WAIT = 10 * SECOND;

/** Between two `ask`s about one transaction. */
export const ASK_EVERY = 5 * SECOND;

/** How long a completed answer is replayed: a counter that restarts daily must not replay yesterday's approval. */
export const REPLAY_LIFE = DAY;

/** How long the journal and the reference registry keep a transaction: a year of chargebacks plus a month. */
export const JOURNAL_LIFE = 400 * DAY;

/** Per transaction; later `progress` is ignored. A row must stay far below SQLite's 2 MB. */
export const STAGES = 50;

/** The lowest number of ten digits. */
export const FIRST_TRANSACTION_NUMBER = 1_000_000_000;
