/** How long D1 keeps what, and how much one statement reads or deletes. Times are in milliseconds. */
import { DAY } from "../time/units.ts";

/** Audit rows are kept for two years. */
export const AUDIT_LIFE = 730 * DAY;

/** Rows that one statement of the daily clean-up deletes at most. */
export const CLEAN_UP_ROWS = 1_000;

/** Statements that the daily clean-up makes per table at most; what is left waits for the next day. */
export const CLEAN_UP_STATEMENTS = 100;

/**
 * Rows that a page of a filtered list judges at most: enough that a fleet of this size is one page, and few enough that no
 * filter makes D1 work for long.
 */
export const SCANNED_ROWS = 1_000;
