/**
 * Uses WebCrypto, for browsers, Node and workers. The gateway's own side uses synchronous cryptography and shares only
 * the canonical form.
 */
import { signedForm } from "../../protocol/signing/canonical.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";

const SIGNATURE_SHAPE = /^[0-9a-f]{64}$/;
const ENCODER = new TextEncoder();

/** The key is the UTF-8 bytes of the text itself. */
async function importKey(key: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", ENCODER.encode(key), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

/**
 * Returns a copy of `message` with a new signature: HMAC-SHA-256 over the RFC 8785 form without the top-level
 * `signature`, as 64 lowercase hexadecimal digits. Undefined members are neither covered nor sent.
 */
export async function signMessage<M extends object>(message: M, key: string): Promise<M & { signature: string }> {
  // An interface does not fit an index signature, so the members are copied by entries.
  const members: JsonObject = Object.fromEntries(Object.entries(message));
  const form = ENCODER.encode(signedForm(members));
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", await importKey(key), form));
  return { ...message, signature: Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** A missing or malformed signature is invalid. WebCrypto compares in constant time. */
export async function hasValidSignature(message: JsonObject, key: string): Promise<boolean> {
  const claimed = message["signature"];
  if (typeof claimed !== "string" || !SIGNATURE_SHAPE.test(claimed)) return false;
  const mac = Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(claimed.slice(2 * index, 2 * index + 2), 16),
  );
  return crypto.subtle.verify("HMAC", await importKey(key), mac, ENCODER.encode(signedForm(message)));
}
