/**
 * Limits of every message, and of the lists that answer one. Times are in milliseconds unless the name says
 * otherwise.
 */
import { MINUTE } from "../../time/units.ts";

/** A transfer's body has about 600 bytes. 16 KiB leave room for every optional string in four-byte characters. */
export const BODY_BYTES = 16 * 1024;

/** The deepest nesting of a message. The service's messages stay far below it; deeper documents only cost stack. */
export const JSON_DEPTH = 32;

/** The most digits of an integer that every language's number type stores exactly (2^53 has sixteen). */
export const INTEGER_DIGITS = 15;

/** The most problems in one answer: a 400 must not become larger than its request. */
export const JSON_PROBLEMS = 20;

/** How far a signed message's `datetime` may be off: clocks drift, and replays must expire soon. */
export const CLOCK_TOLERANCE = 15 * MINUTE;

/** Part 8 of the interface: the most entries of a prebind list. */
export const PREBIND_ENTRIES = 10;

/** Rows of one page of an operator's list. */
export const PAGE_ROWS = 100;

/** The rate limits' window, in seconds. After it, a refused client may try again. */
export const RETRY_AFTER_SECONDS = 60;

/** Retry-After in seconds while too many logins wait, or passwords to be hashed: the queue is done by then. */
export const LOGIN_RETRY_SECONDS = 3;

/**
 * The most references per account and day (UTC) that are only asked about or cancelled and never arrive. Each costs a row
 * that is kept for 400 days.
 */
export const UNKNOWN_REFERENCES_A_DAY = 1_000;
