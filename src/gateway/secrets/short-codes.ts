/** Short codes that people read out, type or scan once: bind keys, and the activation codes of terminals. */
import { createHmac, randomBytes } from "node:crypto";
import { ACTIVATION_CODE_LENGTH, BIND_KEY_LENGTH } from "../../protocol/limits.ts";
import { deriveKey, type MasterKey, type MasterKeys } from "./master-keys.ts";

/** Crockford's base32 (https://www.crockford.com/base32.html) has no I, L, O, U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A code may be typed in any case, with dashes, with I and L for 1, and with O for 0. */
const TYPED = "^-*(?:[0-9A-TV-Za-tv-z]-*)";

interface CodeForm {
  /** Characters, of five bits each. */
  length: number;
  /** Of the key under which a code's digest is made. */
  purpose: string;
  typed: RegExp;
}

export const BIND_KEY_FORM: CodeForm = {
  length: BIND_KEY_LENGTH,
  purpose: "bind-keys",
  typed: new RegExp(`${TYPED}{${BIND_KEY_LENGTH}}$`),
};

export const ACTIVATION_CODE_FORM: CodeForm = {
  length: ACTIVATION_CODE_LENGTH,
  purpose: "activation-codes",
  typed: new RegExp(`${TYPED}{${ACTIVATION_CODE_LENGTH}}$`),
};

export function drawCode({ length }: CodeForm): string {
  // 256 is a multiple of 32, so no character is more likely than another.
  return Array.from(randomBytes(length), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}

/** Returns the code in its one spelling, or null if it cannot be one. Dashes and case do not count. */
export function readCode({ typed: wellFormed }: CodeForm, typed: string): string | null {
  if (!wellFormed.test(typed)) return null;
  return typed
    .replaceAll("-", "")
    .replace(/[ILil]/g, "1")
    .replace(/[Oo]/g, "0")
    .toUpperCase();
}

/** Returns an HMAC-SHA-256, because a bind key's forty bits would be found from a plain hash within hours. */
export function codeDigest({ purpose }: CodeForm, masterKey: MasterKey, code: string): string {
  return createHmac("sha256", deriveKey(masterKey, purpose)).update(code, "utf8").digest("base64url");
}

/** Returns one digest per master key, because the code may be stored under any of them. */
export function codeDigests(kind: CodeForm, keys: MasterKeys, code: string): string[] {
  return [...keys.all.values()].map((masterKey) => codeDigest(kind, masterKey, code));
}
