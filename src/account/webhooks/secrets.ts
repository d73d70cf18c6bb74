/** Which secrets sign what is sent to an endpoint. */
import type { MasterKeys } from "../../keys/master-keys.ts";
import { PREVIOUS_SECRET_LIFE } from "../../protocol/limits/webhooks.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import { changed } from "./delivery.ts";
import { openMember, sealMember } from "./sealed.ts";

/** The current secret and, while it signs along, the one before; null where no master key opens the current one. */
export function validSecrets(keys: MasterKeys, posId: string, endpoint: Endpoint, now: number): string[] | null {
  const current = openMember(keys, posId, endpoint, "secret");
  if (current === null) return null;
  const previous =
    previousSecretUntil(endpoint, now) === null ? null : openMember(keys, posId, endpoint, "previousSecret");
  return previous === null ? [current] : [current, previous];
}

/** Until when the secret before signs along, epoch milliseconds; null where it does not. */
export function previousSecretUntil({ previousSecretUntil: until }: Endpoint, now: number): number | null {
  return until !== null && until > now ? until : null;
}

/** The endpoint with a new secret: the one before signs along for a day, where it can be opened. */
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
