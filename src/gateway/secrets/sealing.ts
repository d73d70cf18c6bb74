/**
 * Secrets at rest (I6): AES-256-GCM (NIST SP 800-38D) with a key derived from the master key, bound to kind and owner.
 * Synchronous, so that an object can decrypt a secret within a turn.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { err, ok, type Result } from "../../protocol/result.ts";
import { type MasterKey, type MasterKeys, deriveKey } from "./master-keys.ts";
import { BoundedMap } from "../lib/bounded-map.ts";

/** Each isolate keeps at most this many keys: about one kilobyte each of its 128 MB. */
export const OPENED_KEYS = 1_000;

const VERSION = "v2";
const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A secret of each kind is stored in one place and can be decrypted nowhere else. */
type SecretKind =
  | "account-signing-key"
  | "account-previous-signing-key"
  | "account-password"
  | "terminal-secret"
  | "terminal-previous-secret"
  | "webhook-address"
  | "webhook-secret"
  | "webhook-previous-secret";

/** `unknown-key`: no master key has its kid. `damaged`: the text was altered, or has another owner or kind. */
type Unsealed = Result<string, "unknown-key" | "damaged">;

/**
 * Seals with the current master key. Form, kind and owner are authenticated, not stored: what was sealed for one owner
 * or column cannot be decrypted in another. Returns `v2.<kid>.<base64url of nonce, ciphertext and tag>`. The nonce is
 * random: some thousand secrets per key are far from the 2^32 at which random nonces become a risk.
 */
export function seal(keys: MasterKeys, plaintext: string, kind: SecretKind, ownerId: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, sealingKey(keys.current), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(kind, ownerId));
  const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
  const sealed = Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString("base64url");
  return `${VERSION}.${keys.current.kid}.${sealed}`;
}

export function unseal(keys: MasterKeys, sealed: string, kind: SecretKind, ownerId: string): Unsealed {
  const parts = split(sealed);
  if (parts === null) return err("damaged");
  const key = keys.all.get(parts.kid);
  if (key === undefined) return err("unknown-key");
  const bytes = Buffer.from(parts.encoded, "base64url");
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, sealingKey(key), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(kind, ownerId));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const ciphertext = bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES);
    return ok(Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString());
  } catch {
    return err("damaged");
  }
}

/** Returns the kid of the master key that `sealed` needs, or null if `seal` did not create the text. */
export function sealedUnder(sealed: string): string | null {
  return split(sealed)?.kid ?? null;
}

/** Returns 32 random bytes in base64url, which are 43 characters. */
export function randomKey(): string {
  return randomBytes(32).toString("base64url");
}

function sealingKey(masterKey: MasterKey): Uint8Array {
  return deriveKey(masterKey, "sealing");
}

/** Owners are identifiers without line feeds, so no two of these are equal. */
function associatedData(kind: SecretKind, ownerId: string): Uint8Array {
  return Buffer.from(`${VERSION}\n${kind}\n${ownerId}`);
}

const SEALED = /^v2\.([A-Za-z0-9._-]+)\.([A-Za-z0-9_-]+)$/;

/** The kid may contain dots, the base64url cannot: the last dot separates them. */
function split(sealed: string): { kid: string; encoded: string } | null {
  const [, kid, encoded] = SEALED.exec(sealed) ?? [];
  return kid === undefined || encoded === undefined ? null : { kid, encoded };
}

/**
 * Recently decrypted signing keys, by the master keys that decrypted them: when a master key is dropped, what it
 * decrypted must not be used any more. A busy account's key arrives sealed with each of its transfers, and decrypting
 * it (AES-GCM) costs as much as both signatures of the transfer. They are in this isolate's memory only, and bounded
 * (I6).
 */
const opened = new WeakMap<MasterKeys, BoundedMap<string, string>>();

/** A failure is not remembered. */
export function unsealOften(keys: MasterKeys, sealed: string, kind: SecretKind, ownerId: string): Unsealed {
  let known = opened.get(keys);
  if (known === undefined) opened.set(keys, (known = new BoundedMap(OPENED_KEYS)));
  // None of the three contains a space, so different keys have different names.
  const name = `${sealed} ${kind} ${ownerId}`;
  const plaintext = known.get(name);
  if (plaintext !== undefined) return ok(plaintext);
  const unsealed = unseal(keys, sealed, kind, ownerId);
  if (!unsealed.ok) return unsealed;
  known.set(name, unsealed.value);
  return unsealed;
}
