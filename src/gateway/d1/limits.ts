/** Times are in milliseconds. */
import { JOURNAL_LIFE } from "../../protocol/limits/transfers.ts";
import { DAY } from "../../protocol/time/units.ts";

export const AUDIT_LIFE = 730 * DAY;

/**
 * A terminal's object delivers its blocks at least as often as the journal's life, so a row outlives every transaction
 * that has one of its numbers.
 */
export const NUMBER_BLOCK_LIFE = 2 * JOURNAL_LIFE + DAY;

/** A completed transaction stays for a day, so that no late update opens it again. */
export const PENDING_ENDED_LIFE = DAY;

/** A statement of the daily clean-up deletes at most this many rows. */
export const CLEAN_UP_ROWS = 1_000;

/** The daily clean-up runs at most this many statements per table. The rest waits for the next day. */
export const CLEAN_UP_STATEMENTS = 100;

/**
 * A page of a filtered list checks at most this many rows: a fleet of this size fits on one page, and no filter keeps
 * D1 busy for long.
 */
export const SCANNED_ROWS = 1_000;

/** Operators find a payment over all accounts for this long. */
export const FINGERPRINTS_LIFE = 7 * DAY;

/**
 * The fingerprints of an account and day have at most this many bytes: D1 stores at most 2 MB in a row. That is 100,000
 * payments.
 */
export const FINGERPRINTS_SIZE = 1_600_000;

/** Rows, and bytes of fingerprints, that a query of a search reads: small steps, so that no search delays others. */
export const SEARCH_PAGE = 5_000;
export const SEARCH_BYTES = 4_000_000;

/** A search reads at most this many rows: the payments of eight days of 25,000 accounts. */
export const SEARCHED_ROWS = 200_000;
