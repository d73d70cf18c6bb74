/** How long D1 keeps data, and how many rows one statement reads or deletes. Times are in milliseconds. */
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { DAY } from "../time/units.ts";

/** Audit rows are kept for two years. */
export const AUDIT_LIFE = 730 * DAY;

/**
 * A terminal's object notes the blocks that it holds at least as often as the journal's life. So a row outlives every
 * transaction that has one of its numbers.
 */
export const NUMBER_BLOCK_LIFE = 2 * JOURNAL_LIFE + DAY;

/** What was 22 and is completed stays for a day, so that no late note brings it back. */
export const UNRESOLVED_ENDED_LIFE = DAY;

/** How many rows one statement of the daily clean-up deletes at most. */
export const CLEAN_UP_ROWS = 1_000;

/** How many statements the daily clean-up makes per table at most. The rest waits for the next day. */
export const CLEAN_UP_STATEMENTS = 100;

/**
 * How many rows a page of a filtered list checks at most: a fleet of this size fits on one page, and no filter keeps D1
 * busy for long.
 */
export const SCANNED_ROWS = 1_000;
