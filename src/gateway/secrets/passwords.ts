/**
 * Passwords of POS accounts. Machines use them, so the gateway draws them: nobody can try 160 bits, and no slow hash is
 * needed. A password is kept as an HMAC-SHA-256 under a key of its own, both sealed under the master key
 * (`sealing.ts`). A database alone reveals nothing about a password, not even about one that an operator chose. A hash
 * under a key from MASTER_KEYS would not do: no master key could be replaced until every account had logged in.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { MasterKeys } from "./master-keys.ts";
import { seal, unseal } from "./sealing.ts";

const DRAWN_BYTES = 20;
const DRAWN = /^[A-Za-z0-9_-]{27}$/;
const KEY_BYTES = 16;

/** Returns 27 characters of base64url. */
export function drawPassword(): string {
  return randomBytes(DRAWN_BYTES).toString("base64url");
}

/** Whether the gateway may have drawn the password. No chosen password has this form, so guesses at it must be few. */
export function hasDrawnForm(password: string): boolean {
  return DRAWN.test(password);
}

/** Seals the password under the current master key, for one account only. */
export function sealPassword(keys: MasterKeys, password: string, posId: string): string {
  const key = randomBytes(KEY_BYTES);
  const kept = `${key.toString("base64url")}.${mac(password, key).toString("base64url")}`;
  return seal(keys, kept, "account-password", posId);
}

/** It is `unreadable` if no master key can decrypt the stored password. */
type PasswordVerdict = "right" | "wrong" | "unreadable";

/**
 * Compares in constant time.
 *
 * @param account null if there is none. The answer is "wrong", and takes the time of a wrong password (I6).
 */
export function judgePassword(
  keys: MasterKeys,
  password: string,
  account: { posId: string; sealedPassword: string } | null,
): PasswordVerdict {
  const { posId, sealedPassword } = account ?? nobody(keys);
  const kept = unseal(keys, sealedPassword, "account-password", posId);
  if (!kept.ok) return "unreadable";
  const [key = "", expected = ""] = kept.value.split(".");
  const given = mac(password, Buffer.from(key, "base64url"));
  const isEqual = timingSafeEqual(given, Buffer.from(expected, "base64url"));
  return isEqual && account !== null ? "right" : "wrong";
}

const nobodies = new WeakMap<MasterKeys, string>();

function nobody(keys: MasterKeys): { posId: string; sealedPassword: string } {
  const posId = "";
  const sealedPassword = nobodies.get(keys) ?? sealPassword(keys, drawPassword(), posId);
  nobodies.set(keys, sealedPassword);
  return { posId, sealedPassword };
}

/** The password is normalised first (NFC, RFC 8265, section 4.2.2), because keyboards compose an é differently. */
function mac(password: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(password.normalize("NFC"), "utf8").digest();
}
