/** An endpoint's address and secrets at rest: each sealed for this endpoint only (I6). */
import type { MasterKeys } from "../../keys/master-keys.ts";
import { unsealOften } from "../../keys/opened-keys.ts";
import { seal, sealedUnder, unseal } from "../../keys/sealing.ts";
import { webhookId } from "../../protocol/webhooks.ts";
import type { Endpoint } from "../storage/webhooks.ts";

type SealedMembers = Pick<Endpoint, "address" | "secret" | "previousSecret">;

const KINDS = {
  address: "webhook-address",
  secret: "webhook-secret",
  previousSecret: "webhook-previous-secret",
} as const;

const MEMBERS = ["address", "secret", "previousSecret"] as const;

/** The owner's id for sealing. A posId has no slash. */
function ownerOf(posId: string, id: number): string {
  return `${posId}/${webhookId(id)}`;
}

/** Seals one of an endpoint's members with the current master key. */
export function sealMember(
  keys: MasterKeys,
  posId: string,
  id: number,
  member: keyof SealedMembers,
  plaintext: string,
): string {
  return seal(keys, plaintext, KINDS[member], ownerOf(posId, id));
}

/** Decrypts one of an endpoint's members; null if it has none, or no master key can decrypt it. */
export function openMember(
  keys: MasterKeys,
  posId: string,
  endpoint: Pick<Endpoint, "id"> & SealedMembers,
  member: keyof SealedMembers,
): string | null {
  const sealed = endpoint[member];
  if (sealed === null) return null;
  const opened = unsealOften(keys, sealed, KINDS[member], ownerOf(posId, endpoint.id));
  return opened.ok ? opened.value : null;
}

/** Whether this master key seals everything of the endpoint. */
export function isSealedUnder(kid: string, endpoint: SealedMembers): boolean {
  return MEMBERS.every((member) => {
    const sealed = endpoint[member];
    return sealed === null || sealedUnder(sealed) === kid;
  });
}

/** The same endpoint, sealed with the current master key; null if a member cannot be decrypted. */
export function resealedEndpoint(keys: MasterKeys, posId: string, endpoint: Endpoint): Endpoint | null {
  const { id } = endpoint;
  const copy = { ...endpoint };
  for (const member of MEMBERS) {
    const sealed = endpoint[member];
    if (sealed === null) continue;
    const opened = unseal(keys, sealed, KINDS[member], ownerOf(posId, id));
    if (!opened.ok) return null;
    copy[member] = sealMember(keys, posId, id, member, opened.value);
  }
  return copy;
}
