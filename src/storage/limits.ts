/** How long D1 keeps what, and how much one clean-up deletes. Times are in milliseconds. */
import { DAY } from "../time/units.ts";

/** Audit rows are kept for two years. */
export const AUDIT_LIFE = 730 * DAY;

/** Rows that one statement of the daily clean-up deletes at most. */
export const CLEAN_UP_ROWS = 1_000;

/** Statements that the daily clean-up makes per table at most; what is left waits for the next day. */
export const CLEAN_UP_STATEMENTS = 100;

/**
 * Reference claims that one step of the daily walk looks at. With `CLAIMS_WALK_STEPS` the walk passes a year of a million
 * payments a month within five weeks, and stays below D1's 1,000 queries per invocation even if every claim is old.
 */
export const CLAIMS_WALK_ROWS = 10_000;

/** How many of these steps one clean-up takes. */
export const CLAIMS_WALK_STEPS = 40;
