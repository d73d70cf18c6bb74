/** Limits of the objects and of the Workers that call them. Times are in milliseconds. */
import { SECOND, DAY, MINUTE } from "../time/units.ts";

/** The pause before the first retry of a call to an object. It doubles up to `RETRY_LONGEST_WAIT`. */
export const RETRY_FIRST_WAIT = 50;

export const RETRY_LONGEST_WAIT = 2 * SECOND;

/** The timeout of every call that tells something. Nothing that a till or a terminal waits for depends on it. */
export const TELL_WAIT = 10 * SECOND;

/** How many receivers of one kind are told at the same time. */
export const TOLD_AT_ONCE = 50;

/** How many rows one attempt tells D1. */
export const ROWS_AT_ONCE = 50;

/**
 * When the object checks an attempt that was in progress when the object was reset. It is later than the alarms that most
 * transactions set anyway, so it rarely costs an alarm of its own.
 */
export const SAFETY = 5 * MINUTE;

/** How long audit rows and blocks of numbers are kept that D1 has: longer than the 30 days that it can be restored to. */
export const TOLD_LIFE = 35 * DAY;

/** The minimum and maximum pause before another attempt. In between, it grows with the age of what is untold. */
export interface Patience {
  least: number;
  most: number;
}

export const D1_PATIENCE: Patience = { least: 30 * SECOND, most: 10 * MINUTE };

export const OBJECT_PATIENCE: Patience = { least: SECOND, most: 5 * MINUTE };

/** For a receiver that is busy. */
export const LATER_PATIENCE: Patience = { least: 5 * SECOND, most: 5 * MINUTE };
