/** Times are in milliseconds unless the name says otherwise. */
import { MINUTE } from "../time/units.ts";

/** A transfer's body has about 600 bytes. 16 KiB leave room for every optional string in four-byte characters. */
export const BODY_BYTES = 16 * 1024;

/** The service's messages stay far below it; deeper documents only cost stack. */
export const JSON_DEPTH = 32;

/** Every language's number type stores such integers exactly (2^53 has sixteen digits). */
export const INTEGER_DIGITS = 15;

/** Per answer: a 400 must not become larger than its request. */
export const JSON_PROBLEMS = 20;

/** Between a signed message's `datetime` and the gateway's clock: clocks drift, and replays must expire soon. */
export const CLOCK_TOLERANCE = 15 * MINUTE;

/** Part 8 of the interface. */
export const PREBIND_ENTRIES = 10;

/**
 * Changes of an account's prebind list in an hour (UTC). Each costs a row of the audit log and an event, which are kept
 * for 400 days.
 */
export const PREBIND_CHANGES_AN_HOUR = 60;

/** Bind keys that an account creates in an hour (UTC). Each costs a row of the audit log. */
export const BIND_KEYS_AN_HOUR = 240;

/** Per page of an operator's list. */
export const PAGE_ROWS = 100;

/** The rate limits' window. After it, a refused client may retry. */
export const RETRY_AFTER_SECONDS = 60;

/** While too many logins wait, passwords to be hashed, or calls of an account's object: the queue is done by then. */
export const BUSY_RETRY_SECONDS = 3;

/**
 * References per account and day (UTC) that are only asked about or cancelled and never arrive. Each costs a row that
 * is kept for 400 days.
 */
export const UNKNOWN_REFERENCES_A_DAY = 1_000;
