/** The account's signing keys: which one verifies a message, and how they are replaced. */
import type { MasterKeys } from "../keys/master-keys.ts";
import { unsealOften } from "../keys/opened-keys.ts";
import { seal, unseal } from "../keys/sealing.ts";
import { PREVIOUS_SIGNING_KEY_LIFE } from "../protocol/limits/keys.ts";
import { err, ok, type Result } from "../result.ts";
import { holds } from "../signing/signature.ts";
import type { SealedSigningKey } from "./calls.ts";
import type { AccountRecord } from "./storage/record.ts";

export type SigningKeys = Pick<AccountRecord, "signingKey" | "previousSigningKey" | "previousSigningKeyUntil">;

type Owned = SigningKeys & Pick<AccountRecord, "posId">;

/**
 * The key that a message was signed with: the current one, or the previous one while it is still valid.
 *
 * @param signature null if the message has no well-formed signature
 * @returns `unreadable` if no master key can decrypt the current key
 */
export function verifyingKey(
  masterKeys: MasterKeys,
  { posId, signingKey, previousSigningKey, previousSigningKeyUntil }: Owned,
  signedForm: string,
  signature: string | null,
  now: number,
): Result<SealedSigningKey, "wrong" | "unreadable"> {
  const current: SealedSigningKey = { sealed: signingKey, kind: "account-signing-key" };
  const opened = unsealOften(masterKeys, current.sealed, current.kind, posId);
  if (!opened.ok) return err("unreadable");
  if (signature === null) return err("wrong");
  if (holds(signedForm, signature, opened.value)) return ok(current);
  if (previousSigningKey === null || (previousSigningKeyUntil ?? 0) <= now) return err("wrong");
  const previous: SealedSigningKey = { sealed: previousSigningKey, kind: "account-previous-signing-key" };
  const before = unsealOften(masterKeys, previous.sealed, previous.kind, posId);
  return before.ok && holds(signedForm, signature, before.value) ? ok(previous) : err("wrong");
}

/**
 * Replaces the current key, which stays valid for a day.
 *
 * @throws if the current key cannot be decrypted: it can only be replaced with `revokePrevious`
 */
export function rotated(
  masterKeys: MasterKeys,
  { posId, signingKey }: Owned,
  sealedSigningKey: string,
  revokePrevious: boolean,
  now: number,
): SigningKeys {
  if (revokePrevious) {
    return { signingKey: sealedSigningKey, previousSigningKey: null, previousSigningKeyUntil: null };
  }
  const old = unseal(masterKeys, signingKey, "account-signing-key", posId);
  if (!old.ok) throw new Error(`The signing key of an account cannot be unsealed: ${old.error}`);
  return {
    signingKey: sealedSigningKey,
    previousSigningKey: seal(masterKeys, old.value, "account-previous-signing-key", posId),
    previousSigningKeyUntil: now + PREVIOUS_SIGNING_KEY_LIFE,
  };
}

/** The same keys, sealed with the current master key; null if one cannot be decrypted. */
export function resealed(masterKeys: MasterKeys, keys: Owned): SigningKeys | null {
  const { posId, signingKey, previousSigningKey } = keys;
  const current = unseal(masterKeys, signingKey, "account-signing-key", posId);
  const previous =
    previousSigningKey === null
      ? ok(null)
      : unseal(masterKeys, previousSigningKey, "account-previous-signing-key", posId);
  if (!current.ok || !previous.ok) return null;
  return {
    signingKey: seal(masterKeys, current.value, "account-signing-key", posId),
    previousSigningKey:
      previous.value === null ? null : seal(masterKeys, previous.value, "account-previous-signing-key", posId),
    previousSigningKeyUntil: keys.previousSigningKeyUntil,
  };
}
