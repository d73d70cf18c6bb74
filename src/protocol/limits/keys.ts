/** Times are in milliseconds unless the name says otherwise. */
import { SECOND, MINUTE, DAY } from "../time/units.ts";

/** Part 5 of the interface. It ends at midnight if that is earlier. */
export const ACCESS_TOKEN_LIFE = 15 * MINUTE;

/** How long a rotated refresh token still returns the same pair, for lost answers and parallel threads. */
export const REFRESH_REPEAT = 120 * SECOND;

/** Long enough for bind and connect, too short to be worth stealing. */
export const TERMINAL_TOKEN_LIFE = 5 * MINUTE;

/** A bind key is read out or scanned at the counter, not stored. */
export const BIND_KEY_LIFE = 10 * MINUTE;

/** 40 bits, guessed against a rate limit within ten minutes. */
export const BIND_KEY_LENGTH = 8;

/** Per account; one more retires the oldest. */
export const OPEN_BIND_KEYS = 10;

/**
 * Of a password that an operator chooses. A machine sends it, so nobody has to remember it; nothing slows down a guess
 * but the rate limits, so it must be long.
 */
export const PASSWORD_CHARACTERS = 20;

export const PASSWORD_LONGEST = 128;

/** A rotated signing key stays valid, so that no POS stops working. */
export const PREVIOUS_SIGNING_KEY_LIFE = DAY;

/** Valid at the same time. Each is one more signature to compute for a wrong message. */
export const PREVIOUS_SIGNING_KEYS = 10;
