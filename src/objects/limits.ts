/** Times are in milliseconds. */
import { SECOND, DAY, MINUTE } from "../time/units.ts";

/** The longest pause before the first retry of a call to an object. Doubles up to `RETRY_LONGEST_WAIT`. */
export const RETRY_FIRST_WAIT = 250;

export const RETRY_LONGEST_WAIT = 2 * SECOND;

/** Of one call. */
export const RETRIES = 3;

/** Of these, after errors of which the platform does not say that they may be retried. */
export const RETRIES_OF_UNKNOWN = 1;

/** The timeout of every call that tells something. Nothing that a till or a terminal waits for depends on it. */
export const TELL_WAIT = 10 * SECOND;

/** Receivers of one kind. */
export const TOLD_AT_ONCE = 50;

/** Per attempt to tell D1. */
export const ROWS_AT_ONCE = 50;

/**
 * When the object checks an attempt that a reset interrupted. It is later than the alarms that most transactions set
 * anyway, so it rarely costs an alarm of its own.
 */
export const SAFETY = 5 * MINUTE;

/** For audit rows and blocks of numbers that D1 has: longer than the 30 days that D1 can be restored to. */
export const TOLD_LIFE = 35 * DAY;

/** Pauses before another attempt. In between, the pause grows with the age of the untold change. */
export interface Patience {
  least: number;
  most: number;
}

export const D1_PATIENCE: Patience = { least: 30 * SECOND, most: 10 * MINUTE };

export const OBJECT_PATIENCE: Patience = { least: SECOND, most: 5 * MINUTE };

/** For a receiver that is busy. */
export const LATER_PATIENCE: Patience = { least: 5 * SECOND, most: 5 * MINUTE };
