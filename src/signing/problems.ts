/** The problem of a wrong signature. */
import type { Problem } from "../protocol/problem.ts";
import type { JsonObject } from "./json.ts";
import { canonicalDigest } from "./signature.ts";

/**
 * Lets the sender see whether the form or the key differs. It reveals nothing: the form consists of what was sent.
 *
 * @param key the sender's name for the key: accounts have a signing key, terminals a secret
 */
export function signatureProblem(body: JsonObject, key: "signing key" | "secret" = "signing key"): Problem {
  const { length, sha256 } = canonicalDigest(body);
  const message =
    "The signature is wrong. Send the hex HMAC-SHA-256 over the RFC 8785 form of the body without signature, keyed with " +
    `the text of the ${key}. The gateway computed a form of ${length} bytes with SHA-256 ${sha256}.`;
  return { path: "signature", message };
}
