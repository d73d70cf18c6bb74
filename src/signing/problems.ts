/** What is said of a signature that does not hold. */
import type { Problem } from "../protocol/problem.ts";
import type { JsonObject } from "./json.ts";
import { canonicalDigest } from "./signature.ts";

/**
 * Enough for the message's author to see whether the form or the key differs. It gives nothing away: the form is made of
 * what was sent.
 *
 * @param key what its author calls the key: accounts have a signing key, terminals a secret
 */
export function signatureProblem(body: JsonObject, key: "signing key" | "secret" = "signing key"): Problem {
  const { length, sha256 } = canonicalDigest(body);
  const message =
    "does not hold: hex HMAC-SHA-256 over the RFC 8785 form of the body without signature, keyed with the " +
    `${key}'s text. The canonical form that was computed has ${length} bytes and SHA-256 ${sha256}`;
  return { path: "signature", message };
}
