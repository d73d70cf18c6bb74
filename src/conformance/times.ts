/** The kits' own times and counts, each with its reason; those of the interface are the gateway's. Milliseconds. */
import { ACCEPT_WITHIN, DEFAULT_REQUEST_SECONDS, RESPOND_BEFORE_END } from "../protocol/limits/transfers.ts";
import { TERMINAL_RECONNECT } from "../client/limits.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The clock of the kit for terminals is so far ahead: more than any tolerance, so that the machine's own shows. */
export const KIT_AHEAD = 2 * 60 * MINUTE;

/** A terminal without a person: as a program answers. */
export const PATIENCE_WITH_PROGRAMS = {
  start: MINUTE,
  answer: ACCEPT_WITHIN,
  payment: 30 * SECOND,
  /** The longest first wait, and time for login and hello. */
  reconnect: TERMINAL_RECONNECT.first + 10 * SECOND,
  restart: 90 * SECOND,
  /** A terminal in a fast network answers within some milliseconds; a slow one shall not be misjudged. */
  silence: 1.5 * SECOND,
  outage: 6 * SECOND,
  bind: 3 * SECOND,
};

/** People take longer than programs. */
export const PATIENCE_WITH_PEOPLE = {
  ...PATIENCE_WITH_PROGRAMS,
  start: 10 * MINUTE,
  payment: 2 * MINUTE,
  restart: 10 * MINUTE,
  bind: 3 * MINUTE,
};

/** A request's `respondBy`, counted from its sending. */
export const USUAL_RESPOND = DEFAULT_REQUEST_SECONDS * SECOND - RESPOND_BEFORE_END;

/** A `respondBy` that is soon over: shorter than a customer takes, longer than the way to the terminal. */
export const SOON = 3 * SECOND;

/** How late the result at `respondBy` may be: the gateway cancels five seconds after it. */
export const AFTER_RESPOND_BY = 4 * SECOND;

/** What is over by so much is over on every clock. */
export const PAST = SECOND;

/** An inquiry waits ten seconds altogether; half of them for the terminal's own asking leave time for the way. */
export const AT_ONCE = 5 * SECOND;

/** A terminal that answers out of order, and late, shows itself within this. */
export const A_MOMENT = 200;

/** Timers and clocks are not exact. */
export const EARLY = 100;

/** A closing that the terminal does not answer is not waited for. */
export const CLOSING = SECOND;

/** A Retry-After that tells waiting from chance; the gateway itself says 60. Seconds. */
export const SHORT_RETRY_AFTER = 3;

/**
 * Tries to reach a gateway that is away: so many, and so many more each second. A terminal that begins with a tenth of a
 * second and doubles makes some ten within six seconds.
 */
export const TRIES = { atFirst: 10, perSecond: 2 };

/** So many waits before a reconnection tell whether they are spread; within so much they are taken for alike. */
export const SPREAD = { enough: 4, alike: 25, part: 0.1 };

/** For one action of a till: its own repetitions, and the waits between them. */
export const DRIVE_WITHIN = MINUTE;
export const DRIVE_WITHIN_BY_PEOPLE = 10 * MINUTE;

/** A till takes a connection for dead after two minutes, some later. */
export const SILENT_WITHIN = 4 * MINUTE;

/** Messages after a refusal that repeating does not mend: a till may look whether a new token helps. */
export const MESSAGES_AFTER_REFUSAL = 2;

/** Logins for one sale: a minute has ten, and a till that needs more than two soon has none. */
export const LOGINS_FOR_A_SALE = 2;
