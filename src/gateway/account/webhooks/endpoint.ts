/**
 * Events stay in order and none is dropped (I7): an endpoint gets the next event only after it has accepted the
 * previous one.
 */
import {
  ATTEMPTS_SHOWN,
  GIVE_UP_AFTER,
  RETRY_EVERY,
  RETRY_SCHEDULE,
  PREVIOUS_SECRET_LIFE,
} from "../../../protocol/limits.ts";
import type { Endpoint, DeliveryProgress } from "../storage/webhooks.ts";
import type { MasterKeys } from "../../secrets/master-keys.ts";
import { seal, sealedUnder, unseal, unsealOften } from "../../secrets/sealing.ts";
import { hasTaken, readWebhookId } from "../../../protocol/webhooks.ts";
import { WEB_ADDRESS_LENGTH } from "../../../protocol/lengths.ts";
import { err, ok, type Result } from "../../../protocol/result.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

export interface Sent {
  generation: number;
  cursor: number;
  number: number;
  at: EpochMs;
}

/** A null `status` means that there was no answer in time. */
export interface Answered {
  status: number | null;
  milliseconds: number;
}

/**
 * When the next event is due, possibly in the past; null: no event is due, or the endpoint is
 * disabled.
 *
 * @param newest the number of the account's newest event
 */
export function dueAt(endpoint: Endpoint, newest: number): number | null {
  if (endpoint.disabledBy !== null || endpoint.cursor >= newest) return null;
  return endpoint.retryAt ?? 0;
}

/**
 * `stale`: the endpoint has changed since, so the answer does not apply to it. `given-up`: the endpoint gets nothing
 * more until someone enables it.
 */
export type DeliveryVerdict = { kind: "stale" } | { kind: "taken" | "failed" | "given-up"; endpoint: Endpoint };

export function judgeAnswer(endpoint: Endpoint | null, sent: Sent, answered: Answered, now: EpochMs): DeliveryVerdict {
  if (endpoint === null || endpoint.generation !== sent.generation || endpoint.cursor !== sent.cursor) {
    return { kind: "stale" };
  }
  const attempt = { number: sent.number, at: sent.at, ...answered };
  const attempts = [attempt, ...endpoint.attempts].slice(0, ATTEMPTS_SHOWN);
  const { status } = answered;
  if (hasTaken(status)) {
    // The events in between were pruned before the endpoint took them.
    const skipped = endpoint.skipped + sent.number - sent.cursor - 1;
    return { kind: "taken", endpoint: { ...endpoint, ...NOT_FAILING, attempts, skipped, cursor: sent.number } };
  }
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? sent.at;
  const failed = { ...endpoint, attempts, failures, failingSince };
  // Status 410 ("Gone") means that the receiver wants no more events (Standard Webhooks 1.0, "Delivery success and
  // failure").
  if (status === 410) return { kind: "given-up", endpoint: disable(failed, "gone", now) };
  if (now - failingSince >= GIVE_UP_AFTER) return { kind: "given-up", endpoint: disable(failed, "failing", now) };
  return { kind: "failed", endpoint: { ...failed, retryAt: now + (RETRY_SCHEDULE[failures - 1] ?? RETRY_EVERY) } };
}

export const NOT_FAILING = { failures: 0, failingSince: null, retryAt: null } satisfies Partial<DeliveryProgress>;

/** An answer to an earlier attempt no longer counts, and the next event is sent immediately. */
export function resetSchedule(endpoint: Endpoint): Endpoint {
  return { ...withNextGeneration(endpoint), ...NOT_FAILING };
}

/** Serves a change that makes the endpoint no more likely to answer: the schedule stays. */
export function withNextGeneration(endpoint: Endpoint): Endpoint {
  return { ...endpoint, generation: endpoint.generation + 1 };
}

/** Stops deliveries to the endpoint, and keeps its cursor. */
export function disable(endpoint: Endpoint, by: NonNullable<Endpoint["disabledBy"]>, now: EpochMs): Endpoint {
  return { ...withNextGeneration(endpoint), ...NOT_FAILING, disabledBy: by, disabledAt: now };
}

/** Each value is sealed for this endpoint only (I6). */

const KINDS = {
  address: "webhook-address",
  secret: "webhook-secret",
  previousSecret: "webhook-previous-secret",
} as const;

type Member = keyof typeof KINDS;

const MEMBERS = Object.keys(KINDS) as Member[];

export function isSealedUnder(kid: string, endpoint: Pick<Endpoint, Member>): boolean {
  return MEMBERS.every((member) => {
    const sealed = endpoint[member];
    return sealed === null || sealedUnder(sealed) === kid;
  });
}

/** Returns the time until which the previous secret also signs; null if it does not. */
export function previousSecretUntil({ previousSecretUntil: until }: Endpoint, now: EpochMs): number | null {
  return until !== null && until > now ? until : null;
}

export class EndpointSeals {
  readonly #keys: MasterKeys;
  readonly #posId: string;

  constructor(keys: MasterKeys, posId: string) {
    this.#keys = keys;
    this.#posId = posId;
  }

  seal(id: number, member: Member, plaintext: string): string {
    return seal(this.#keys, plaintext, KINDS[member], this.#ownerOf(id));
  }

  /** Returns null if the endpoint has no such member, or no master key can decrypt it. */
  open(endpoint: Pick<Endpoint, "id" | Member>, member: Member): string | null {
    const sealed = endpoint[member];
    if (sealed === null) return null;
    const opened = unsealOften(this.#keys, sealed, KINDS[member], this.#ownerOf(endpoint.id));
    return opened.ok ? opened.value : null;
  }

  /** Seals with the current master key; returns null if a member cannot be decrypted. */
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
   * Returns the secrets that sign deliveries: the current one and, while it is valid, the previous one; null if no
   * master key can decrypt the current one.
   */
  validSecrets(endpoint: Endpoint, now: EpochMs): string[] | null {
    const current = this.open(endpoint, "secret");
    if (current === null) return null;
    const previous = previousSecretUntil(endpoint, now) === null ? null : this.open(endpoint, "previousSecret");
    return previous === null ? [current] : [current, previous];
  }

  /** The previous secret also signs for a day, if it can be decrypted. */
  withSecret(endpoint: Endpoint, secret: string, now: EpochMs): Endpoint {
    const before = this.open(endpoint, "secret");
    const previousSecret = before === null ? null : this.seal(endpoint.id, "previousSecret", before);
    return {
      ...withNextGeneration(endpoint),
      secret: this.seal(endpoint.id, "secret", secret),
      previousSecret,
      previousSecretUntil: previousSecret === null ? null : now + PREVIOUS_SECRET_LIFE,
    };
  }

  /** The name is unambiguous, because a posId has no slash. */
  #ownerOf(id: number): string {
    return `${this.#posId}/${readWebhookId(id)}`;
  }
}

/** Seals all endpoints with the current master key; returns null if a member of one cannot be decrypted. */
export function resealedAll(seals: EndpointSeals, endpoints: readonly Endpoint[]): Endpoint[] | null {
  const resealed = endpoints.map((endpoint) => seals.reseal(endpoint));
  return resealed.every((endpoint) => endpoint !== null) ? resealed : null;
}

/**
 * The gateway calls the addresses of accounts, so an address must not reach anything that only the gateway can reach
 * (server-side request forgery).
 *
 * The address is checked as the platform parses it: `URL` (https://url.spec.whatwg.org/#host-parsing) turns every form
 * of an IPv4 address (decimal, octal, hexadecimal, shortened, full-width digits, trailing dot) into four decimal
 * numbers, and host names in other scripts into ASCII. This check is the second barrier: on Cloudflare, `fetch` cannot
 * reach a private network, and the compatibility flag `global_fetch_strictly_public`
 * (https://developers.cloudflare.com/workers/configuration/compatibility-flags/#global-fetch-strictly-public) sends it
 * through the front door even to hosts in the Worker's own zone. So names are not resolved here: a name that points to
 * a private address leads nowhere.
 */

/**
 * These names never lead out of a machine or a network (RFC 6761, RFC 6762, RFC 8375, RFC 9476, and common practice).
 */
const NOT_PUBLIC = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "test",
  "invalid",
  "onion",
  "alt",
  "arpa",
];

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A top label consists of letters, or is a name in another script. Digits would make it an IP address. */
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** RFC 1035, section 2.3.4, limits a name to this many octets. */
const NAME_LENGTH = 253;

export interface AddressRules {
  /** The gateway was called on its own machine: a plain address on that machine is allowed. */
  local: boolean;
  /** The host that the gateway was called on: it must not deliver to itself. */
  ownHost: string;
}

/** @returns the normalised address, or the problem with it, which does not repeat it */
export function judgeAddress(text: string, { local, ownHost }: AddressRules): Result<string, string> {
  if (text.length > WEB_ADDRESS_LENGTH) return err(`Send a URL of at most ${WEB_ADDRESS_LENGTH} characters.`);
  // `URL` removes tabs and line feeds and treats a backslash as a slash: the address that a person reads must be the one
  // that is called.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return err(WANTED);
  const url = new URL(text);
  const { protocol, hostname, port, username, password } = url;
  if (username !== "" || password !== "") return err("Remove the user name and the password.");
  if (text.includes("#")) return err("Remove the fragment: the part from # on.");
  if (local && protocol === "http:" && hostname === "localhost") return ok(url.href);
  if (protocol !== "https:") return err(local ? `${WANTED} On this machine, http://localhost:PORT works too.` : WANTED);
  if (port !== "") return err("Remove the port: deliveries go to the default port of https.");
  if (!isPublicName(hostname)) return err("Send the public name of a host: no address, no name of a private network.");
  if (hostname === ownHost) return err("Send the address of your own receiver, not of this gateway.");
  return ok(url.href);
}

const WANTED = "Send an absolute URL that begins with https://.";

/** @param hostname as `URL` writes it: lower case, ASCII */
function isPublicName(hostname: string): boolean {
  const labels = hostname.split(".");
  const top = labels.at(-1) ?? "";
  if (hostname.length > NAME_LENGTH || labels.length < 2 || !TOP_LABEL.test(top)) return false;
  return labels.every((label) => LABEL.test(label)) && !NOT_PUBLIC.includes(top);
}

/** Logs, the audit log and operators see only this part. */
export function hostOf(address: string): string {
  return new URL(address).host;
}

/** An account recognises its address by scheme, host and the last four characters. */
export function shortenAddress(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const rest = `${pathname}${search}`;
  return rest === "/" ? origin : `${origin}/…${rest.slice(1).slice(-SHOWN)}`;
}

const SHOWN = 4;
