/** An endpoint's address and secrets at rest: each sealed for this endpoint only (I6). */
import type { MasterKeys } from "../../keys/master-keys.ts";
import { seal, sealedUnder, unseal, unsealOften } from "../../keys/sealing.ts";
import { PREVIOUS_SECRET_LIFE } from "../../protocol/limits/webhooks.ts";
import { webhookId } from "../../protocol/webhooks.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import { changed } from "./delivery.ts";

const KINDS = {
  address: "webhook-address",
  secret: "webhook-secret",
  previousSecret: "webhook-previous-secret",
} as const;

type Member = keyof typeof KINDS;

const MEMBERS = Object.keys(KINDS) as Member[];

/** Whether this master key seals everything of the endpoint. */
export function isSealedUnder(kid: string, endpoint: Pick<Endpoint, Member>): boolean {
  return MEMBERS.every((member) => {
    const sealed = endpoint[member];
    return sealed === null || sealedUnder(sealed) === kid;
  });
}

/** Until when the previous secret also signs, epoch milliseconds; null if it does not. */
export function previousSecretUntil({ previousSecretUntil: until }: Endpoint, now: number): number | null {
  return until !== null && until > now ? until : null;
}

/** Seals and decrypts what the endpoints of one account have. */
export class EndpointSeals {
  readonly #keys: MasterKeys;
  readonly #posId: string;

  constructor(keys: MasterKeys, posId: string) {
    this.#keys = keys;
    this.#posId = posId;
  }

  /** Seals one of an endpoint's members with the current master key. */
  seal(id: number, member: Member, plaintext: string): string {
    return seal(this.#keys, plaintext, KINDS[member], this.#ownerOf(id));
  }

  /** Decrypts one of an endpoint's members; null if it has none, or no master key can decrypt it. */
  open(endpoint: Pick<Endpoint, "id" | Member>, member: Member): string | null {
    const sealed = endpoint[member];
    if (sealed === null) return null;
    const opened = unsealOften(this.#keys, sealed, KINDS[member], this.#ownerOf(endpoint.id));
    return opened.ok ? opened.value : null;
  }

  /** The same endpoint, sealed with the current master key; null if a member cannot be decrypted. */
  reseal(endpoint: Endpoint): Endpoint | null {
    const { id } = endpoint;
    const copy = { ...endpoint };
    for (const member of MEMBERS) {
      const sealed = endpoint[member];
      if (sealed === null) continue;
      const opened = unseal(this.#keys, sealed, KINDS[member], this.#ownerOf(id));
      if (!opened.ok) return null;
      copy[member] = this.seal(id, member, opened.value);
    }
    return copy;
  }

  /**
   * The secrets that sign deliveries: the current one and, while it is still valid, the previous one; null if no master key
   * can decrypt the current one.
   */
  validSecrets(endpoint: Endpoint, now: number): string[] | null {
    const current = this.open(endpoint, "secret");
    if (current === null) return null;
    const previous = previousSecretUntil(endpoint, now) === null ? null : this.open(endpoint, "previousSecret");
    return previous === null ? [current] : [current, previous];
  }

  /** The endpoint with a new secret. The previous one also signs for a day, if it can be decrypted. */
  withSecret(endpoint: Endpoint, secret: string, now: number): Endpoint {
    const before = this.open(endpoint, "secret");
    const previousSecret = before === null ? null : this.seal(endpoint.id, "previousSecret", before);
    return {
      ...changed(endpoint),
      secret: this.seal(endpoint.id, "secret", secret),
      previousSecret,
      previousSecretUntil: previousSecret === null ? null : now + PREVIOUS_SECRET_LIFE,
    };
  }

  /** The owner's id for sealing. A posId has no slash. */
  #ownerOf(id: number): string {
    return `${this.#posId}/${webhookId(id)}`;
  }
}
