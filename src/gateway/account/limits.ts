/** No client depends on these limits. Times are in milliseconds unless the name says otherwise. */
import { DAY, SECOND } from "../../protocol/time/units.ts";

/** More devices would make every request longer. */
export const DEVICES_IN_TOKEN = 50;

/** An operator's call waits this long for D1 and the terminals. It succeeds even if they have not followed. */
export const FOLLOW_WAIT = 10 * SECOND;

/** A claim's time is rewritten at most this often: most retries arrive within minutes. */
export const CLAIM_REFRESH = DAY;

/** The sums are stored after this many events: some rows per 500 payments, and no question reads many more events. */
export const TALLY_EVENTS = 500;

/** Another attempt to store the sums, or to close a day, follows after this time. */
export const SUMS_RETRY = 5 * SECOND;

/** A page of the list of transactions reads at most this many events, so that it never delays a payment. */
export const LIST_EVENTS = 1_000;

export const PRUNE_EVERY = 30 * DAY;

export const PRUNE_PAUSE = SECOND;

/** One step of pruning reads at most this many claims, and events, so that it never delays a payment. */
export const PRUNE_ROWS = 2_000;

/**
 * One wake-up delivers at most this many events to an endpoint. The platform limits the subrequests of an invocation
 * (1,000, https://developers.cloudflare.com/workers/platform/limits/); the next wake-up is an alarm, which is a new
 * invocation.
 */
export const DELIVERIES_AT_ONCE = 50;

/** The pause between two such wake-ups. */
export const DELIVERIES_PAUSE = SECOND / 10;

/** The alarm that resumes a delivery after a reset comes this much later than the call's timeout. */
export const DELIVERY_MARGIN = SECOND;

/** After this many failures in a row, D1 gets the endpoint as behind: the first attempts come within seconds. */
export const ALERT_FAILURES = 3;

/** Another attempt to start deliveries follows after this time. */
export const NOT_STARTED_RETRY = 5 * SECOND;
