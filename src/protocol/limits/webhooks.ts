/** Limits of webhooks that receivers depend on. Times are in milliseconds unless the name says otherwise. */
import { DAY, HOUR, MINUTE, SECOND } from "../../time/units.ts";

/** Endpoints per account: its books, a second system, and one for tests. */
export const WEBHOOKS = 3;

/** The first retries of a failed delivery, each counted from the previous failure. */
export const RETRY_SCHEDULE: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** The pause between the retries after those. */
export const RETRY_EVERY = 3 * HOUR;

/** An endpoint that has failed for this long is disabled: longer than a weekend. */
export const GIVE_UP_AFTER = 3 * DAY;

/** How long an endpoint may take to answer. */
export const DELIVERY_WAIT = 10 * SECOND;

/** How long a replaced secret also signs, so that a receiver can switch to the new one without missing anything. */
export const PREVIOUS_SECRET_LIFE = DAY;

/** The pause between two pings of one endpoint: the gateway sends a request to an address that someone else chose. */
export const PING_EVERY = 10 * SECOND;

/** How many attempts an endpoint shows. */
export const ATTEMPTS_SHOWN = 20;

/** How far a delivery's timestamp may be from the receiver's clock, as in the public verifiers. */
export const WEBHOOK_TOLERANCE = 5 * MINUTE;
