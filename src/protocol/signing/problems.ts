import { CLOCK_TOLERANCE } from "../limits.ts";
import type { Problem } from "../problem.ts";
import type { JsonObject } from "./json.ts";
import { signedForm } from "./canonical.ts";
import { digestForm } from "./signature.ts";
import type { EpochMs } from "../time/units.ts";

/**
 * A sentence that lets the sender see whether the form or the key differs. It reveals nothing: the form consists of what was
 * sent.
 */
export function computedForm(form: string): string {
  const { length, sha256 } = digestForm(form);
  return `The gateway computed a form of ${length} bytes with SHA-256 ${sha256}.`;
}

/** @param key the sender's name for the key: accounts have a signing key, terminals a secret */
export function signatureProblem(body: JsonObject, key: "signing key" | "secret" = "signing key"): Problem {
  const message =
    "The signature is wrong. Send the hex HMAC-SHA-256 over the RFC 8785 form of the body without signature, keyed with " +
    `the text of the ${key}. ${computedForm(signedForm(body))}`;
  return { path: "signature", message };
}

export function datetimeProblems(at: EpochMs, now: EpochMs): Problem[] {
  const off = Math.round((at - now) / 1_000);
  if (Math.abs(at - now) <= CLOCK_TOLERANCE) return [];
  const message =
    `The time is ${Math.abs(off)} seconds ${off > 0 ? "ahead of" : "behind"} the gateway's clock; at most ` +
    `${CLOCK_TOLERANCE / 1_000} are allowed. Set the clock, and send UTC, not local time.`;
  return [{ path: "datetime", message }];
}
