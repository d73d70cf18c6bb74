import { MINUTE } from "../time/units.ts";

/** After a day's end, in milliseconds. By then, what was completed in the day's last seconds is normally recorded. */
export const DAY_GRACE = 15 * MINUTE;

/**
 * Channels that a day's totals distinguish. The rest counts as `OTHER_CHANNELS`: a channel is a terminal's text, and
 * arbitrary texts must not make totals grow without limit.
 */
export const CHANNELS_A_DAY = 50;
export const OTHER_CHANNELS = "(other)";
