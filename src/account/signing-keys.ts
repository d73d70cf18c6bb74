/** The account's signing keys: which one verifies a message, and how they are replaced. */
import type { MasterKeys } from "../keys/master-keys.ts";
import { unsealOften, seal, unseal } from "../keys/sealing.ts";
import { PREVIOUS_SIGNING_KEY_LIFE, PREVIOUS_SIGNING_KEYS } from "../protocol/limits/keys.ts";
import { err, ok, type Result } from "../outcomes/result.ts";
import { holds } from "../signing/signature.ts";
import type { SealedSigningKey } from "../rpc/account.ts";
import type { AccountRecord, PreviousSigningKey } from "./storage/record.ts";

export type SigningKeys = Pick<AccountRecord, "signingKey" | "previousSigningKeys">;

type Owned = SigningKeys & Pick<AccountRecord, "posId">;

/** What was signed, and the signature; null if the message has no well-formed one. */
export interface Signed {
  signedForm: string;
  signature: string | null;
}

/**
 * The key that a message was signed with: the current one, or a previous one that is still valid.
 *
 * @returns `unreadable` if no master key can decrypt the current key
 */
export function verifyingKey(
  masterKeys: MasterKeys,
  { posId, signingKey, previousSigningKeys }: Owned,
  { signedForm, signature }: Signed,
  now: number,
): Result<SealedSigningKey, "wrong" | "unreadable"> {
  const current: SealedSigningKey = { sealed: signingKey, kind: "account-signing-key" };
  const opened = unsealOften(masterKeys, current.sealed, current.kind, posId);
  if (!opened.ok) return err("unreadable");
  if (signature === null) return err("wrong");
  if (holds(signedForm, signature, opened.value)) return ok(current);
  for (const { sealed } of stillValid(previousSigningKeys, now)) {
    const before = unsealOften(masterKeys, sealed, PREVIOUS, posId);
    if (before.ok && holds(signedForm, signature, before.value)) return ok({ sealed, kind: PREVIOUS });
  }
  return err("wrong");
}

const PREVIOUS = "account-previous-signing-key";

function stillValid(keys: readonly PreviousSigningKey[], now: number): PreviousSigningKey[] {
  return keys.filter(({ until }) => now < until);
}

/** `revokePrevious`: no other key is valid any more. */
export interface NewSigningKey {
  sealedSigningKey: string;
  revokePrevious: boolean;
}

/**
 * Replaces the current key, which stays valid for a day. Those before it keep their own day.
 *
 * @returns as an error: as many previous keys as possible are valid, the first to end until then
 * @throws if the current key cannot be decrypted: it can only be replaced with `revokePrevious`
 */
export function rotated(
  masterKeys: MasterKeys,
  { posId, signingKey, previousSigningKeys }: Owned,
  { sealedSigningKey, revokePrevious }: NewSigningKey,
  now: number,
): Result<SigningKeys, { until: number }> {
  if (revokePrevious) return ok({ signingKey: sealedSigningKey, previousSigningKeys: [] });
  const valid = stillValid(previousSigningKeys, now);
  if (valid.length >= PREVIOUS_SIGNING_KEYS) return err({ until: Math.min(...valid.map(({ until }) => until)) });
  const old = unseal(masterKeys, signingKey, "account-signing-key", posId);
  if (!old.ok) throw new Error(`The signing key of an account cannot be unsealed: ${old.error}`);
  const previous = { sealed: seal(masterKeys, old.value, PREVIOUS, posId), until: now + PREVIOUS_SIGNING_KEY_LIFE };
  return ok({ signingKey: sealedSigningKey, previousSigningKeys: [previous, ...valid] });
}

/** The keys that are still valid, sealed with the current master key; null if one cannot be decrypted. */
export function resealed(masterKeys: MasterKeys, keys: Owned, now: number): SigningKeys | null {
  const again = (sealed: string, kind: SealedSigningKey["kind"]): string | null => {
    const opened = unseal(masterKeys, sealed, kind, keys.posId);
    return opened.ok ? seal(masterKeys, opened.value, kind, keys.posId) : null;
  };
  const signingKey = again(keys.signingKey, "account-signing-key");
  const previousSigningKeys: PreviousSigningKey[] = [];
  for (const { sealed, until } of stillValid(keys.previousSigningKeys, now)) {
    const resealedKey = again(sealed, PREVIOUS);
    if (resealedKey === null) return null;
    previousSigningKeys.push({ sealed: resealedKey, until });
  }
  return signingKey === null ? null : { signingKey, previousSigningKeys };
}
