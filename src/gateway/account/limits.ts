/** No client depends on these limits. Times are in milliseconds unless the name says otherwise. */
import { DAY, SECOND } from "../../protocol/time/units.ts";

/** More would make every request longer. */
export const DEVICES_IN_TOKEN = 50;

/** How long an operator's call waits for D1 and the terminals. It succeeds even if they have not followed. */
export const FOLLOW_WAIT = 10 * SECOND;

/** A claim's time is rewritten at most this often: most retries arrive within minutes. */
export const CLAIM_REFRESH = DAY;

/** The sums are stored after this many events: some rows per 500 payments, and no question reads many more events. */
export const TALLY_EVENTS = 500;

/** Before another attempt to store the sums, or to close a day. */
export const SUMS_RETRY = 5 * SECOND;

/** Per page of the list of transactions, so that a page never delays a payment. */
export const LIST_EVENTS = 1_000;

export const PRUNE_EVERY = 30 * DAY;

export const PRUNE_PAUSE = SECOND;

/** Claims, and events, that one step of pruning reads, so that a step never delays a payment. */
export const PRUNE_ROWS = 2_000;

/**
 * Events that one wake-up delivers to an endpoint. The platform limits the subrequests of an invocation (1,000,
 * https://developers.cloudflare.com/workers/platform/limits/); the next wake-up is an alarm, which is a new invocation.
 */
export const DELIVERIES_AT_ONCE = 50;

/** Between two such wake-ups. */
export const DELIVERIES_PAUSE = SECOND / 10;

/** How much later than the call's timeout the alarm comes that resumes a delivery after a reset. */
export const DELIVERY_MARGIN = SECOND;

/** Failures in a row after which D1 is told that an endpoint is behind: the first attempts come within seconds. */
export const ALERT_FAILURES = 3;

/** Before another attempt to start deliveries. */
export const NOT_STARTED_RETRY = 5 * SECOND;
