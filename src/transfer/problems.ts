/** What is said of a signed message that does not hold, now or at all. */
import { CLOCK_TOLERANCE } from "../protocol/limits/messages.ts";
import type { Problem } from "../protocol/problem.ts";

/** Whether a message's `datetime` is near enough to the gateway's clock; both in epoch milliseconds. */
export function datetimeProblems(at: number, now: number): Problem[] {
  const off = Math.round((at - now) / 1_000);
  if (Math.abs(at - now) <= CLOCK_TOLERANCE) return [];
  const message =
    `is ${Math.abs(off)} seconds ${off > 0 ? "ahead of" : "behind"} the gateway's clock, which allows ` +
    `${CLOCK_TOLERANCE / 1_000}; set the clock, and send UTC, not local time`;
  return [{ path: "datetime", message }];
}
