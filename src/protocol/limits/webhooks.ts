/** Receivers depend on these limits. Times are in milliseconds unless the name says otherwise. */
import { DAY, HOUR, MINUTE, SECOND } from "../time/units.ts";

/** Per account: its books, a second system, and one for tests. */
export const WEBHOOKS = 3;

/** The first retries of a failed delivery, each counted from the previous failure. */
export const RETRY_SCHEDULE: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** The retries after those. */
export const RETRY_EVERY = 3 * HOUR;

/** An endpoint that has failed for this long is disabled: longer than a weekend. */
export const GIVE_UP_AFTER = 3 * DAY;

/** For an endpoint's answer. */
export const DELIVERY_WAIT = 10 * SECOND;

/** A replaced secret also signs for this long, so that a receiver can switch without missing anything. */
export const PREVIOUS_SECRET_LIFE = DAY;

/** Between two pings of one endpoint: someone else chose the address that the gateway calls. */
export const PING_EVERY = 10 * SECOND;

/**
 * Between two starts of deliveries that an account causes itself, by a replay, a change or a new secret. Without it, each
 * such call would be a post to a host that the account chose.
 */
export const START_EVERY = 5 * SECOND;

export const ATTEMPTS_SHOWN = 20;

/** Between a delivery's timestamp and the receiver's clock, as in the public verifiers. */
export const WEBHOOK_TOLERANCE = 5 * MINUTE;
