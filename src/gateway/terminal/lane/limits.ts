/** Times of the lane that no client depends on, in milliseconds unless the name says otherwise. */
import { SECOND } from "../../../protocol/time/units.ts";

/** The lane waits this long for the answer to the cancel after a request's end. */
export const LANE_AFTER_END = 10 * SECOND;

/** A request with less time left than this is not sent, neither for the first time nor again. */
export const SEND_BEFORE_END = 30 * SECOND;

/**
 * This is added to `deliverBy` before non-delivery is certain: a hello may take 10 s, so a clock may lag by as much.
 */
export const UNDELIVERED_AFTER_DELIVER_BY = 15 * SECOND;

/** After this much silence the gateway sends a probe before anything else. */
export const PROBE_AFTER_SILENCE = 10 * SECOND;

/** The Worker waits this much longer than the object's alarm, which ends a request. */
export const WAITER_MARGIN = 5 * SECOND;
