/** Times in milliseconds. */
import { SECOND } from "../protocol/time/units.ts";

/** For a step without user action, such as reading the card: long enough to be seen. */
export const VIRTUAL_TERMINAL_PACE = 700;

/** How long a virtual terminal that signs out tries to report the end of its payment. */
export const VIRTUAL_TERMINAL_LEAVES_WITHIN = 2 * SECOND;

/** Digits of a PIN (ISO 9564-1). */
export const PIN_DIGITS = { fewest: 4, most: 12 };

export const VIRTUAL_TERMINAL_RECEIPTS = 20;

export const VIRTUAL_TERMINAL_LOG = 100;
