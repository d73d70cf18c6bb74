/** Problems of a signed message's time. */
import { CLOCK_TOLERANCE } from "../protocol/limits/messages.ts";
import type { Problem } from "../protocol/problem.ts";

/** The problem of a `datetime` too far from the gateway's clock; both in epoch milliseconds. */
export function datetimeProblems(at: number, now: number): Problem[] {
  const off = Math.round((at - now) / 1_000);
  if (Math.abs(at - now) <= CLOCK_TOLERANCE) return [];
  const message =
    `The time is ${Math.abs(off)} seconds ${off > 0 ? "ahead of" : "behind"} the gateway's clock; at most ` +
    `${CLOCK_TOLERANCE / 1_000} are allowed. Set the clock, and send UTC, not local time.`;
  return [{ path: "datetime", message }];
}
