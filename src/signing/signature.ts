/**
 * Signatures of messages on the gateway's side: HMAC-SHA-256 (RFC 2104) over the canonical form. Synchronous, so that an
 * object can check and act in one turn.
 */
import { createHash, createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import { signedForm } from "./canonical.ts";
import type { JsonObject } from "./json.ts";

/** The form of an accepted signature, in either case. The gateway writes lowercase. */
export const SIGNATURE: RegExp = /^[0-9A-Fa-f]{64}$/;

/** The signature of `message` without its own `signature`: 64 lowercase hexadecimal digits. */
export function sign(message: JsonObject, key: string): string {
  return mac(signedForm(message), key).digest("hex");
}

/**
 * A copy of `message` with its signature. `message` has JSON values only; undefined members are neither covered nor sent.
 */
export function withSignature<T extends object>(message: T, key: string): T & { signature: string } {
  // The assertion: an interface does not fit an index signature
  return { ...message, signature: sign(message as JsonObject, key) };
}

/** Whether `message` has a valid signature. False also if it has none. Takes constant time. */
export function verifySignature(message: JsonObject, key: string): boolean {
  const signature = signatureOf(message);
  return signature !== null && holds(signedForm(message), signature, key);
}

/** The signature in `message`; null if it has none, or a malformed one. */
export function signatureOf({ signature }: JsonObject): string | null {
  return typeof signature === "string" && SIGNATURE.test(signature) ? signature : null;
}

/**
 * Whether `signature` is valid for a message. Takes constant time, except for malformed signatures.
 *
 * @param form the message's canonical form without its signature (`signedForm`)
 */
export function holds(form: string, signature: string, key: string): boolean {
  return SIGNATURE.test(signature) && timingSafeEqual(Buffer.from(signature, "hex"), mac(form, key).digest());
}

/** The key is the UTF-8 bytes of its text. */
function mac(form: string, key: string): Hmac {
  return createHmac("sha256", key).update(form);
}

/**
 * The canonical form's length in UTF-8 bytes and its SHA-256 in lowercase hex. A sender with a wrong signature gets them,
 * so that its author sees whether the form or the key differs. They reveal nothing: the form consists of what was sent.
 */
export function canonicalDigest(message: JsonObject): { length: number; sha256: string } {
  const form = Buffer.from(signedForm(message));
  return { length: form.length, sha256: createHash("sha256").update(form).digest("hex") };
}
