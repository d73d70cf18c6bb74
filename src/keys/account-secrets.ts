/**
 * Secrets that the gateway creates for accounts instead of a password. 160 random bits cannot be guessed, so a fast hash is
 * enough: a login with one costs microseconds, not the 300 ms of a password.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 20;
const KEY_BYTES = 16;

const SECRET = /^[A-Za-z0-9_-]{27}$/;

/** The prefix of a secret's hash, then 16 bytes of key and 32 of HMAC-SHA-256, in base64url. */
const HASHED = /^\$hmac-sha256\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

/** A new secret: 27 characters of base64url. */
export function drawSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Whether a text has the form of a created secret. A password may have it, too. */
export function mayBeSecret(text: string): boolean {
  return SECRET.test(text);
}

/** The hash of a secret with its own key, as `$hmac-sha256$<key>$<hash>`. */
export function hashSecret(secret: string): string {
  const key = randomBytes(KEY_BYTES);
  return `$hmac-sha256$${key.toString("base64url")}$${mac(secret, key).toString("base64url")}`;
}

/** Whether a hash is that of a created secret, not of a password. */
export function isSecretHash(hash: string): boolean {
  return HASHED.test(hash);
}

/** Whether the secret matches the hash. False for the hash of a password. Takes constant time. */
export function verifySecret(given: string, hash: string): boolean {
  const [, key, expected] = HASHED.exec(hash) ?? [];
  if (key === undefined || expected === undefined) return false;
  return timingSafeEqual(mac(given, Buffer.from(key, "base64url")), Buffer.from(expected, "base64url"));
}

function mac(secret: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(secret).digest();
}
