/**
 * Signatures of messages: HMAC-SHA-256 (RFC 2104) over the canonical form, on the gateway's side. Synchronous, so that
 * the terminal's object can check and act in one turn.
 */
import { createHash, createHmac, createSecretKey, type Hmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { SIGNING_KEYS } from "../limits.ts";
import { signedForm } from "./canonical.ts";
import type { JsonObject } from "./json.ts";

/** The form of a signature. */
export const SIGNATURE: RegExp = /^[0-9a-f]{64}$/;

/** The signature of `message` (a `signature` that it has does not count): 64 lowercase hexadecimal digits. */
export function sign(message: JsonObject, key: string): string {
  return hmac(message, key).digest("hex");
}

/**
 * A copy of `message` with its signature. `message` holds JSON values only; members that are undefined are not covered,
 * as they are not sent.
 */
export function withSignature<T extends object>(message: T, key: string): T & { signature: string } {
  // The assertion: an interface does not fit an index signature
  return { ...message, signature: sign(message as JsonObject, key) };
}

/** Whether `message` carries its signature under `key`; false also when it carries none. Takes constant time. */
export function verifySignature(message: JsonObject, key: string): boolean {
  const { signature } = message;
  if (typeof signature !== "string" || !SIGNATURE.test(signature)) return false;
  return timingSafeEqual(Buffer.from(signature, "hex"), hmac(message, key).digest());
}

const encoder = new TextEncoder();

function hmac(message: JsonObject, key: string): Hmac {
  return createHmac("sha256", imported(key)).update(encoder.encode(signedForm(message)));
}

/** Keys as the platform keeps them: making one from a text costs as much as what is signed with it. Memory only (I6). */
const keys = new Map<string, KeyObject>();

function imported(text: string): KeyObject {
  const known = keys.get(text);
  if (known !== undefined) return known;
  // The one that was used first goes.
  const [oldest] = keys.size >= SIGNING_KEYS ? keys.keys() : [];
  if (oldest !== undefined) keys.delete(oldest);
  const key = createSecretKey(text, "utf8");
  keys.set(text, key);
  return key;
}

/**
 * What the gateway would have signed: the canonical form's length in UTF-8 bytes and its SHA-256 in lowercase hex. Told
 * to a POS whose signature is wrong, so that its author sees whether the form or the key differs. It gives nothing
 * away: the form is made of what the POS sent.
 */
export function canonicalDigest(message: JsonObject): { length: number; sha256: string } {
  const form = Buffer.from(signedForm(message), "utf8");
  return { length: form.length, sha256: createHash("sha256").update(form).digest("hex") };
}
