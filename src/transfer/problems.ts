/** What is said of a signed message that does not hold, now or at all. */
import { CLOCK_TOLERANCE } from "../protocol/limits/messages.ts";
import type { JsonObject } from "../signing/json.ts";
import type { Problem } from "../protocol/problem.ts";
import { canonicalDigest } from "../signing/signature.ts";

/** Whether a message's `datetime` is near enough to the gateway's clock; both in epoch milliseconds. */
export function datetimeProblems(at: number, now: number): Problem[] {
  const off = Math.round((at - now) / 1_000);
  if (Math.abs(at - now) <= CLOCK_TOLERANCE) return [];
  const message =
    `is ${Math.abs(off)} seconds ${off > 0 ? "ahead of" : "behind"} the gateway's clock, which allows ` +
    `${CLOCK_TOLERANCE / 1_000}; set the clock, and send UTC, not local time`;
  return [{ path: "datetime", message }];
}

/** What is said of a signature that does not hold: enough to see whether the form or the key differs. */
export function signatureProblem(body: JsonObject): Problem {
  const { length, sha256 } = canonicalDigest(body);
  const message =
    "does not hold: hex HMAC-SHA-256 over the RFC 8785 form of the body without signature, keyed with the " +
    `signing key's text. The canonical form that was computed has ${length} bytes and SHA-256 ${sha256}`;
  return { path: "signature", message };
}
