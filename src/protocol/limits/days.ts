/** Limits of business days. Times are in milliseconds. */
import { MINUTE } from "../../time/units.ts";

/** A day closes this long after its end: what was settled in its last seconds is recorded by then, save in trouble. */
export const DAY_GRACE = 15 * MINUTE;

/**
 * Channels that a day's totals tell apart. The rest is counted under `OTHER_CHANNELS`: a channel is text of a terminal,
 * and one that puts something else there must not make totals grow without end.
 */
export const CHANNELS_A_DAY = 50;
export const OTHER_CHANNELS = "(other)";
