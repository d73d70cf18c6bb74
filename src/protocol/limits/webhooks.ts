/** Limits of webhooks that receivers rely on. Times are in milliseconds unless the name says otherwise. */
import { DAY, HOUR, MINUTE, SECOND } from "../../time/units.ts";

/** Endpoints of one account: its books, a second system, and one to try things with. */
export const WEBHOOKS = 3;

/** The first retries of a delivery that failed, each counted from the failure before it. */
export const RETRY_SCHEDULE: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];

/** The pause between the retries after those. */
export const RETRY_EVERY = 3 * HOUR;

/** An endpoint that has failed for so long is disabled: a weekend is shorter. */
export const GIVE_UP_AFTER = 3 * DAY;

/** How long an endpoint may take to answer. */
export const DELIVERY_WAIT = 10 * SECOND;

/** How long a secret that was replaced signs along, so that a receiver can take the new one without missing anything. */
export const PREVIOUS_SECRET_LIFE = DAY;

/** The pause between two pings of one endpoint: a ping is a request that somebody else chose the address of. */
export const PING_EVERY = 10 * SECOND;

/** Attempts that an endpoint shows. */
export const ATTEMPTS_SHOWN = 20;

/** How far the timestamp of a delivery may be from the receiver's clock: as the public verifiers have it. */
export const WEBHOOK_TOLERANCE = 5 * MINUTE;
