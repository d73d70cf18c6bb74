/** Limits of business days. Times are in milliseconds. */
import { MINUTE } from "../../time/units.ts";

/** A day closes this long after its end. By then, what was completed in its last seconds is normally recorded. */
export const DAY_GRACE = 15 * MINUTE;

/**
 * The number of channels that a day's totals distinguish. The rest counts as `OTHER_CHANNELS`: a channel is a terminal's
 * text, and arbitrary texts must not make totals grow without limit.
 */
export const CHANNELS_A_DAY = 50;
export const OTHER_CHANNELS = "(other)";
