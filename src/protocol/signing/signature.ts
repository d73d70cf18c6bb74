/**
 * Signatures on the gateway's side: HMAC-SHA-256 (RFC 2104) over the canonical form. They are synchronous, so that an
 * object can check and act in one turn.
 */
import { createHash, createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import { signedForm } from "./canonical.ts";
import type { JsonObject } from "./json.ts";

/** A signature in either case. The gateway writes lowercase. */
export const SIGNATURE: RegExp = /^[0-9A-Fa-f]{64}$/;

/** 64 lowercase hexadecimal digits; `message`'s own `signature` is not covered. */
export function sign(message: JsonObject, key: string): string {
  return mac(signedForm(message), key).digest("hex");
}

/** `message` has JSON values only; undefined members are neither covered nor sent. */
export function withSignature<T extends object>(message: T, key: string): T & { signature: string } {
  // An interface does not fit an index signature, so the assertion is needed.
  return { ...message, signature: sign(message as JsonObject, key) };
}

/** False if there is no signature. Takes constant time. */
export function verifySignature(message: JsonObject, key: string): boolean {
  const signature = signatureOf(message);
  return signature !== null && holds(signedForm(message), signature, key);
}

/** null if there is none. It may be malformed. */
export function signatureOf({ signature }: JsonObject): string | null {
  return typeof signature === "string" ? signature : null;
}

/**
 * Takes constant time, except for malformed signatures.
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

/** Returns a canonical form's length in UTF-8 bytes and its SHA-256 in lowercase hex: see `computedForm`. */
export function digestForm(form: string): { length: number; sha256: string } {
  const bytes = Buffer.from(form);
  return { length: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
