/**
 * The times that the gateway promises, as the judge of a history knows them: the code's own constants would agree with any
 * change of them. In milliseconds.
 */
const SECOND = 1_000;

/** The same request joins, asks or is replayed for this long, and for no longer. */
export const SAME_REQUEST = 86_400 * SECOND;

/** The least that is left of a request's life when it is sent. */
export const LEFT_WHEN_SENT = 30 * SECOND;

/** How long before a request's end its terminal ends it. */
export const TERMINAL_BEFORE_END = 15 * SECOND;

/** How long after a request's end its terminal may still have the lane. */
export const LANE_AFTER_END = 10 * SECOND;

/** A terminal whose clock lags by less than this starts nothing that the gateway has completed as not delivered. */
export const CLOCK_LAG = 15 * SECOND;
