/** The pace and the limits of the console's virtual terminal. Times are in milliseconds. */
import { SECOND } from "../time/units.ts";

/** How long a step without user action takes, such as reading the card: long enough to be seen. */
export const VIRTUAL_TERMINAL_PACE = 700;

/** A virtual terminal reconnects at once: there is no fleet that could reconnect with it. */
export const VIRTUAL_TERMINAL_RECONNECT = { first: 200, longest: 5 * SECOND };

/** How long a virtual terminal that signs out tries to report the end of its payment. */
export const VIRTUAL_TERMINAL_LEAVES_WITHIN = 2 * SECOND;

/** Digits of a PIN (ISO 9564-1). */
export const PIN_DIGITS = { fewest: 4, most: 12 };

/** Wrong PINs that a card accepts. */
export const PIN_TRIES = 3;

/** Payments whose receipts the virtual terminal keeps. */
export const VIRTUAL_TERMINAL_RECEIPTS = 20;

/** Lines that the virtual terminal's log keeps. */
export const VIRTUAL_TERMINAL_LOG = 100;
