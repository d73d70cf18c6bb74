/** Each call is one turn, except a ping. */
import { type MasterKeys, masterKeysOf } from "../../keys/master-keys.ts";
import { WEBHOOKS, PING_EVERY } from "../../protocol/limits/webhooks.ts";
import { webhookId, type Webhook, type WebhookState } from "../../protocol/webhooks.ts";
import type {
  ChangeRefusal,
  WebhookChange,
  SwitchOutcome,
  PingOutcome,
  WebhookOutcome,
  SignedCall,
} from "../../rpc/account.ts";
import type { AuditAction } from "../../storage/audit.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import type { AccountStores } from "../stores.ts";
import {
  hostOf,
  shortened,
  disabled,
  NOT_FAILING,
  restarted,
  dueAt,
  EndpointSeals,
  previousSecretUntil,
} from "./endpoint.ts";
import { newSecret, post, deliveryHeaders } from "./deliveries.ts";
import type { Turns } from "../../objects/turns.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { judgeCall } from "../admission.ts";

type WebhookStores = Pick<AccountStores, "records" | "webhooks" | "events" | "untold">;

/** `secret`: a new one. */
type ChangedEndpoint = { kind: "changed"; endpoint: Endpoint; secret?: string } | { kind: "removed" } | ChangeRefusal;

export function changeWebhook(
  stores: WebhookStores,
  { keys, record }: { keys: MasterKeys; record: AccountRecord },
  change: WebhookChange,
  now: number,
): ChangedEndpoint {
  const seals = new EndpointSeals(keys, record.posId);
  if (change.kind === "add") return add(stores, seals, record, { url: change.url, now });
  const endpoint = stores.webhooks.find(change.id);
  if (endpoint === null) return { kind: "no-such-webhook" };
  const by = { actor: `account:${record.posId}`, now };
  switch (change.kind) {
    case "remove":
      stores.webhooks.remove(endpoint.id);
      note(stores, endpoint, { ...by, action: "webhook.delete" });
      return { kind: "removed" };
    case "change": {
      if (endpoint.disabledBy === "operator" && change.enabled === true) return { kind: "stopped" };
      const { enabled } = change;
      const details = enabled === undefined ? {} : { enabled };
      const next = changedBy(seals, endpoint, change, now);
      return { kind: "changed", endpoint: save(stores, next, { ...by, action: "webhook.change", details }) };
    }
    case "secret": {
      const secret = newSecret();
      const next = seals.withSecret(endpoint, secret, now);
      return { kind: "changed", endpoint: save(stores, next, { ...by, action: "webhook.secret" }), secret };
    }
    case "replay": {
      const { newest, oldest } = stores.events;
      const { after } = change;
      if (after > newest || (after !== 0 && after < oldest - 1)) return { kind: "no-such-event", oldest, newest };
      // After a replay from the beginning, deleted events do not count as skipped.
      const next = { ...restarted(endpoint), cursor: Math.max(after, oldest - 1, 0) };
      return { kind: "changed", endpoint: save(stores, next, { ...by, action: "webhook.replay", details: { after } }) };
    }
    default:
      return change satisfies never;
  }
}

/** A new endpoint starts with the next event. */
function add(
  stores: WebhookStores,
  seals: EndpointSeals,
  record: AccountRecord,
  { url, now }: { url: string; now: number },
): ChangedEndpoint {
  const { records, webhooks, events } = stores;
  if (webhooks.all.length >= WEBHOOKS) return { kind: "too-many" };
  const id = record.webhookNumber + 1;
  records.update({ webhookNumber: id });
  const secret = newSecret();
  const endpoint: Endpoint = {
    id,
    host: hostOf(url),
    address: seals.seal(id, "address", url),
    secret: seals.seal(id, "secret", secret),
    previousSecret: null,
    previousSecretUntil: null,
    generation: 1,
    cursor: events.newest,
    skipped: 0,
    ...NOT_FAILING,
    attempts: [],
    disabledBy: null,
    disabledAt: null,
  };
  save(stores, endpoint, { actor: `account:${record.posId}`, now, action: "webhook.create" });
  return { kind: "changed", endpoint, secret };
}

function changedBy(
  seals: EndpointSeals,
  endpoint: Endpoint,
  { url, enabled }: { url?: string | undefined; enabled?: boolean | undefined },
  now: number,
): Endpoint {
  const there =
    url === undefined ? endpoint : { ...endpoint, host: hostOf(url), address: seals.seal(endpoint.id, "address", url) };
  // What an operator stops, only an operator starts.
  if (endpoint.disabledBy === "operator") return restarted(there);
  if (enabled === false) return disabled(there, "account", now);
  return enabled === true ? { ...restarted(there), disabledBy: null, disabledAt: null } : restarted(there);
}

/**
 * An operator stops the endpoint, and its account is told, or starts one that an operator stopped. Returns null if the
 * endpoint does not exist.
 */
export function switchByOperator(
  stores: WebhookStores,
  { id, enabled }: { id: number; enabled: boolean },
  actor: string,
  now: number,
): Endpoint | null {
  const { record } = stores.records;
  const endpoint = stores.webhooks.find(id);
  if (record === null || endpoint === null) return null;
  // Starting only ends an operator's stop: the endpoint is its account's.
  if ((endpoint.disabledBy === "operator") !== enabled) return endpoint;
  const next = enabled
    ? { ...restarted(endpoint), disabledBy: null, disabledAt: null }
    : disabled(endpoint, "operator", now);
  save(stores, next, { actor, now, action: "webhook.change", details: { enabled } });
  // If it was disabled already, there is nothing to tell.
  if (!enabled && endpoint.disabledBy === null) tellDisabled(stores, record, next, now);
  return next;
}

/** A suspension has ended: sends everything that was recorded meanwhile. */
export function resume({ webhooks }: Pick<WebhookStores, "webhooks">, now: number): void {
  for (const endpoint of webhooks.all) webhooks.save(restarted(endpoint), now);
}

interface Noted {
  actor: string;
  now: number;
  action: AuditAction;
  details?: Record<string, string | number | boolean>;
}

function save(stores: WebhookStores, endpoint: Endpoint, noted: Noted): Endpoint {
  stores.webhooks.save(endpoint, noted.now);
  note(stores, endpoint, noted);
  return endpoint;
}

/** I6: the audit log contains only the host of an address. */
function note({ untold }: WebhookStores, { id, host }: Endpoint, { actor, now, action, details }: Noted): void {
  untold.audit({ at: now, actor, action, details: { webhook: webhookId(id), host, ...details } });
  // The master key that seals everything may have changed.
  untold.owe(now);
}

/**
 * If anyone but the account disabled the endpoint, the account's feed reports it, so its other endpoints get the event
 * too.
 */
export function tellDisabled(
  { events }: Pick<AccountStores, "events">,
  record: AccountRecord,
  endpoint: Endpoint,
  now: number,
): void {
  const { id, host, disabledBy, cursor } = endpoint;
  if (disabledBy === null || disabledBy === "account") return;
  events.append(
    record,
    { type: "webhook.disabled", data: { webhookId: webhookId(id), host, disabledBy, cursor } },
    now,
  );
}

interface WebhooksParts extends WebhookStores, Pick<AccountStores, "sessions" | "nonces"> {
  env: Pick<Env, "MASTER_KEYS">;
  turns: Turns;
}

export class AccountWebhooks {
  readonly #parts: WebhooksParts;
  /**
   * The account's last ping of any endpoint, a deleted one included. Lost with the instance, which does not sleep
   * within ten seconds (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
   */
  #pingedAt = -Infinity;

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
  }

  change(call: SignedCall, change: WebhookChange): WebhookOutcome {
    const keys = masterKeysOf(this.#parts.env);
    return this.#parts.turns.take((now): WebhookOutcome => {
      const verdict = judgeCall(this.#parts, keys, call, now);
      if (verdict.kind !== "good") return verdict;
      const outcome = changeWebhook(this.#parts, { keys, record: verdict.record }, change, now);
      if (outcome.kind !== "changed") return outcome;
      const { endpoint, secret } = outcome;
      const webhook = this.#view(keys, verdict.record, endpoint, now);
      return secret === undefined ? { kind: "changed", webhook } : { kind: "changed", webhook, secret };
    });
  }

  list(now: number): Webhook[] {
    const { records, webhooks } = this.#parts;
    const { record } = records;
    const keys = masterKeysOf(this.#parts.env);
    return record === null ? [] : webhooks.all.map((endpoint) => this.#view(keys, record, endpoint, now));
  }

  /** For operators. */
  states(now: number): WebhookState[] {
    const { records, webhooks, events } = this.#parts;
    const { record } = records;
    if (record === null) return [];
    return webhooks.all.map((endpoint) => webhookState(endpoint, { record, newest: events.newest, now }));
  }

  /** For operators, within a turn. */
  switch(wanted: { id: number; enabled: boolean }, actor: string, now: number): SwitchOutcome {
    const { records, events } = this.#parts;
    const endpoint = switchByOperator(this.#parts, wanted, actor, now);
    const { record } = records;
    if (endpoint === null || record === null) return { kind: "no-such-webhook" };
    return { kind: "switched", webhook: webhookState(endpoint, { record, newest: events.newest, now }) };
  }

  /** A ping is not an event: it has no number, and no delivery waits for it. */
  async ping(id: number, now: number): Promise<PingOutcome> {
    const { records, webhooks } = this.#parts;
    const { record } = records;
    const endpoint = webhooks.find(id);
    if (record === null || endpoint === null) return { kind: "no-such-webhook" };
    const again = this.#pingedAt + PING_EVERY;
    if (now < again) return { kind: "too-soon", retryAt: again };
    const seals = new EndpointSeals(masterKeysOf(this.#parts.env), record.posId);
    const address = seals.open(endpoint, "address");
    const secrets = seals.validSecrets(endpoint, now);
    if (address === null || secrets === null) return { kind: "unreadable" };
    this.#pingedAt = now;
    const pingId = `ping_${crypto.randomUUID()}`;
    const ping = { id: pingId, type: "ping", timestamp: isoWithOffset(now, record.timezone), data: {} };
    const body = JSON.stringify(ping);
    return {
      kind: "answered",
      ...(await post(address, deliveryHeaders(pingId, body, secrets, now), body, new AbortController())),
    };
  }

  #view(keys: MasterKeys, record: AccountRecord, endpoint: Endpoint, now: number): Webhook {
    const address = new EndpointSeals(keys, record.posId).open(endpoint, "address");
    const standing = { record, newest: this.#parts.events.newest, now };
    return webhookView(endpoint, address === null ? null : shortened(address), standing);
  }
}

interface Standing {
  record: Pick<AccountRecord, "timezone" | "status">;
  /** The number of the account's newest event. */
  newest: number;
  now: number;
}

/** @param url null: no master key can decrypt it */
function webhookView(endpoint: Endpoint, url: string | null, { record, newest, now }: Standing): Webhook {
  const { timezone } = record;
  const until = previousSecretUntil(endpoint, now);
  return {
    id: webhookId(endpoint.id),
    url: url ?? `https://${endpoint.host}`,
    ...state(endpoint, newest),
    attempts: endpoint.attempts.map((attempt) => ({ ...attempt, at: isoWithOffset(attempt.at, timezone) })),
    nextAttempt: nextAttempt(endpoint, { record, newest, now }, timezone),
    previousSecretUntil: until === null ? null : isoWithOffset(until, timezone),
  };
}

export function webhookState(endpoint: Endpoint, standing: Standing): WebhookState {
  const { host } = endpoint;
  const id = webhookId(endpoint.id);
  return { id, host, ...state(endpoint, standing.newest), nextAttempt: nextAttempt(endpoint, standing, "UTC") };
}

function state({ disabledBy, cursor, skipped }: Endpoint, newest: number) {
  return { enabled: disabledBy === null, disabledBy, cursor, behind: Math.max(newest - cursor, 0), skipped };
}

function nextAttempt(endpoint: Endpoint, { record, newest, now }: Standing, timezone: string): string | null {
  const due = record.status === "active" ? dueAt(endpoint, newest) : null;
  return due === null ? null : isoWithOffset(Math.max(due, now), timezone);
}
