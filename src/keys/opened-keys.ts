/**
 * Signing keys that were opened a moment ago. A busy account's key comes sealed with each of its transfers; opening it
 * (AES-GCM) costs as much as both signatures of the transfer. In this isolate's memory alone, and bounded (I6).
 */
import { BoundedMap } from "../bounded-map.ts";
import { ok } from "../result.ts";
import { OPENED_KEYS } from "./limits.ts";
import type { MasterKeys } from "./master-keys.ts";
import { type SecretKind, unseal, type Unsealed } from "./sealing.ts";

/** By the master keys that opened them: where one of these is dropped, what it opened must not open any more. */
const opened = new WeakMap<MasterKeys, BoundedMap<string, string>>();

/** Like `unseal`. What could not be opened is not remembered. */
export function unsealOften(keys: MasterKeys, sealed: string, kind: SecretKind, ownerId: string): Unsealed {
  let known = opened.get(keys);
  if (known === undefined) opened.set(keys, (known = new BoundedMap(OPENED_KEYS)));
  // None of the three holds a space: they are not taken for three others.
  const name = `${sealed} ${kind} ${ownerId}`;
  const plaintext = known.get(name);
  if (plaintext !== undefined) return ok(plaintext);
  const unsealed = unseal(keys, sealed, kind, ownerId);
  if (!unsealed.ok) return unsealed;
  known.set(name, unsealed.value);
  return unsealed;
}
