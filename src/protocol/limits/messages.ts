/**
 * Limits of every message, and of the lists that answer one. Times are in milliseconds unless the name says
 * otherwise.
 */
import { MINUTE } from "../../time/units.ts";

/** A transfer's body is some 600 bytes; 16 KiB leave room for every optional text in four-byte characters. */
export const BODY_BYTES = 16 * 1024;

/** The deepest nesting of a message. None of ours comes near it; deeper documents only cost stack. */
export const JSON_DEPTH = 32;

/** Digits of an integer that every language's number type carries exactly (2^53 has sixteen). */
export const INTEGER_DIGITS = 15;

/** The most problems that one answer names: a 400 must not outgrow its request. */
export const JSON_PROBLEMS = 20;

/** How far a signed message's `datetime` may be off: clocks drift, replays must not live long. */
export const CLOCK_TOLERANCE = 15 * MINUTE;

/** Part 8 of the interface: entries of a prebind list that count. */
export const PREBIND_ENTRIES = 10;

/** Rows of one page of an operator's list. */
export const PAGE_ROWS = 100;

/** The rate limits' window, in seconds: after it, whoever was refused may try again. */
export const RETRY_AFTER_SECONDS = 60;

/** Where too many passwords wait to be hashed: those before are done by then, in seconds. */
export const HASH_RETRY_SECONDS = 3;

/**
 * References of one account that are only asked about or cancelled, and never come: so many a day (UTC). Each costs a row
 * that is kept for 400 days.
 */
export const UNKNOWN_REFERENCES_A_DAY = 1_000;
