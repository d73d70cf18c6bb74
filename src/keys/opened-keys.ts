/**
 * Signing keys that were opened a moment ago. A busy account's key comes sealed with each of its transfers; opening it
 * (AES-GCM) costs as much as both signatures of the transfer. In this isolate's memory alone, and bounded (I6).
 */
import { OPENED_KEYS } from "../limits.ts";
import type { MasterKeys } from "./master-keys.ts";
import { unseal, type Unsealed } from "./sealing.ts";

/** By the master keys that opened them: where one of these is dropped, what it opened must not open any more. */
const opened = new WeakMap<MasterKeys, Map<string, string>>();

/** Like `unseal`. What could not be opened is not remembered. */
export function unsealOften(keys: MasterKeys, sealed: string, ownerId: string): Unsealed {
  let known = opened.get(keys);
  if (known === undefined) opened.set(keys, (known = new Map()));
  // No sealed text holds a space: an owner and a sealed text are not taken for two others.
  const name = `${sealed} ${ownerId}`;
  const plaintext = known.get(name);
  if (plaintext !== undefined) return { ok: true, plaintext };
  const unsealed = unseal(keys, sealed, ownerId);
  if (!unsealed.ok) return unsealed;
  // The one that was opened first goes.
  const [oldest] = known.size >= OPENED_KEYS ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  known.set(name, unsealed.plaintext);
  return unsealed;
}
