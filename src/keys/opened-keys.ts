/**
 * Recently decrypted signing keys. A busy account's key arrives sealed with each of its transfers; decrypting it (AES-GCM)
 * costs as much as both signatures of the transfer. In this isolate's memory only, and bounded (I6).
 */
import { BoundedMap } from "../bounds/bounded-map.ts";
import { ok } from "../outcomes/result.ts";
import { OPENED_KEYS } from "./limits.ts";
import type { MasterKeys } from "./master-keys.ts";
import { type SecretKind, unseal, type Unsealed } from "./sealing.ts";

/**
 * By the master keys that decrypted them: when a master key is dropped, what it decrypted must not be used any more.
 */
const opened = new WeakMap<MasterKeys, BoundedMap<string, string>>();

/** Like `unseal`. A failure is not remembered. */
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
