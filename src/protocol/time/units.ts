/** A point in time: milliseconds since 1970, UTC, as `Date.now()` returns it. */
export type EpochMs = number;

/** A length of time. */
export type Milliseconds = number;

export const SECOND: Milliseconds = 1_000;
export const MINUTE: Milliseconds = 60 * SECOND;
export const HOUR: Milliseconds = 60 * MINUTE;
export const DAY: Milliseconds = 24 * HOUR;
