/** Short codes that people read out or scan once. */
import { createHmac, randomBytes } from "node:crypto";
import { BIND_KEY_LENGTH } from "../../protocol/limits.ts";
import { deriveKey, type MasterKey, type MasterKeys } from "./master-keys.ts";

/** Crockford's base32 (https://www.crockford.com/base32.html): no I, L, O, U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const WELL_FORMED = new RegExp(`^[${ALPHABET}${ALPHABET.toLowerCase()}]{${BIND_KEY_LENGTH}}$`);

/** A bind key may be typed in any case, with dashes, with I and L for 1, and with O for 0. */
export const BIND_KEY_TYPED = new RegExp(`^-*(?:[0-9A-TV-Za-tv-z]-*){${BIND_KEY_LENGTH}}$`);

/** Draws 8 random characters, which have 40 bits. */
export function drawBindKey(): string {
  // 256 is a multiple of 32, so no character is more likely than another.
  return Array.from(randomBytes(BIND_KEY_LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}

/** Returns the key in its one spelling, or null if it cannot be a key. Dashes and case do not count. */
export function readBindKey(typed: string): string | null {
  const key = typed
    .replaceAll("-", "")
    .replace(/[ILil]/g, "1")
    .replace(/[Oo]/g, "0");
  return WELL_FORMED.test(key) ? key.toUpperCase() : null;
}

/** Returns an HMAC-SHA-256, because forty bits would be found from a plain hash within hours. */
export function bindKeyDigest(masterKey: MasterKey, key: string): string {
  return createHmac("sha256", deriveKey(masterKey, "bind-keys")).update(key, "utf8").digest("base64url");
}

/** Returns one digest per master key, because the key may be stored under any of them. */
export function bindKeyDigests(keys: MasterKeys, key: string): string[] {
  return [...keys.all.values()].map((masterKey) => bindKeyDigest(masterKey, key));
}
