import { HOUR, MINUTE, SECOND } from "../time/units.ts";

/** The transaction numbers of the service: ten digits, as `transId` has (Number(10)). */
export const FIRST_NUMBER = 1_000_000_000;
export const LAST_NUMBER = 9_999_999_999;

/** The timeout of every call to D1 and to an object. */
export const CALL_WAIT = 10 * SECOND;

/** How many objects a step of the walk looks at, and how often there is one: a million take six hours. */
export const WALK_AT_ONCE = 50;
export const WALK_EVERY = SECOND;

/** When a step that failed, or was interrupted by a reset, is repeated. */
export const WALK_RETRY = 30 * SECOND;

/** When the next walk begins, if objects of the last one had not told D1 everything. */
export const WALK_AGAIN = 10 * MINUTE;

/** How often every terminal with a connection is asked whether it was heard, and how often at night. */
export const ROUND_EVERY = 15 * MINUTE;
export const ROUND_EVERY_AT_NIGHT = HOUR;

/** Until this hour it is night, in the time zone of the terminal's account. */
export const NIGHT_ENDS = 6;
