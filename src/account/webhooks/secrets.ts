/** Which secrets sign the deliveries of an endpoint. */
import type { MasterKeys } from "../../keys/master-keys.ts";
import { PREVIOUS_SECRET_LIFE } from "../../protocol/limits/webhooks.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import { changed } from "./delivery.ts";
import { openMember, sealMember } from "./sealed.ts";

/**
 * The current secret and, while it is still valid, the previous one; null if no master key can decrypt the current one.
 */
export function validSecrets(keys: MasterKeys, posId: string, endpoint: Endpoint, now: number): string[] | null {
  const current = openMember(keys, posId, endpoint, "secret");
  if (current === null) return null;
  const previous =
    previousSecretUntil(endpoint, now) === null ? null : openMember(keys, posId, endpoint, "previousSecret");
  return previous === null ? [current] : [current, previous];
}

/** Until when the previous secret also signs, epoch milliseconds; null if it does not. */
export function previousSecretUntil({ previousSecretUntil: until }: Endpoint, now: number): number | null {
  return until !== null && until > now ? until : null;
}

/** The endpoint with a new secret. The previous one also signs for a day, if it can be decrypted. */
export function withSecret(keys: MasterKeys, posId: string, endpoint: Endpoint, secret: string, now: number): Endpoint {
  const before = openMember(keys, posId, endpoint, "secret");
  const previousSecret = before === null ? null : sealMember(keys, posId, endpoint.id, "previousSecret", before);
  return {
    ...changed(endpoint),
    secret: sealMember(keys, posId, endpoint.id, "secret", secret),
    previousSecret,
    previousSecretUntil: previousSecret === null ? null : now + PREVIOUS_SECRET_LIFE,
  };
}
