/** Each call is one turn, except a ping. The keeper changes the operators' endpoints with the same functions. */
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
import { eventId } from "../storage/events.ts";
import { type Feed, newSecret, post, deliveryHeaders } from "./deliveries.ts";
import type { Turns } from "../../objects/turns.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { judgeCall } from "../admission.ts";

type WebhookStores = Pick<AccountStores, "records" | "webhooks" | "events" | "untold">;

interface ChangeStores extends Pick<AccountStores, "webhooks"> {
  records: { update: (members: Pick<AccountRecord, "webhookNumber">) => unknown };
  events: Pick<AccountStores["events"], "newest" | "oldest">;
  untold: Pick<AccountStores["untold"], "audit" | "owe">;
}

/** Whose endpoints are changed, and by whom. `posId`: what they are sealed for. */
interface Owner {
  keys: MasterKeys;
  record: Pick<AccountRecord, "posId" | "webhookNumber">;
  by?: "account" | "operator";
}

/** `secret`: a new one. */
type ChangedEndpoint = { kind: "changed"; endpoint: Endpoint; secret?: string } | { kind: "removed" } | ChangeRefusal;

export function changeWebhook(
  stores: ChangeStores,
  { keys, record, by: changer = "account" }: Owner,
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
      const isStopped = endpoint.disabledBy === "operator" && changer === "account";
      if (isStopped && change.enabled === true) return { kind: "stopped" };
      const { enabled } = change;
      const details = enabled === undefined ? {} : { enabled };
      const there = movedTo(seals, endpoint, change.url);
      // What an operator stops, only an operator starts.
      const next = isStopped ? restarted(there) : switched(there, enabled, changer, now);
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
  stores: ChangeStores,
  seals: EndpointSeals,
  record: Owner["record"],
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

function movedTo(seals: EndpointSeals, endpoint: Endpoint, url: string | undefined): Endpoint {
  if (url === undefined) return endpoint;
  return { ...endpoint, host: hostOf(url), address: seals.seal(endpoint.id, "address", url) };
}

function switched(endpoint: Endpoint, enabled: boolean | undefined, by: "account" | "operator", now: number): Endpoint {
  if (enabled === false) return disabled(endpoint, by, now);
  return enabled === true ? { ...restarted(endpoint), disabledBy: null, disabledAt: null } : restarted(endpoint);
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
  const next = switched(endpoint, enabled, "operator", now);
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

function save(stores: Pick<ChangeStores, "webhooks" | "untold">, endpoint: Endpoint, noted: Noted): Endpoint {
  stores.webhooks.save(endpoint, noted.now);
  note(stores, endpoint, noted);
  return endpoint;
}

/** I6: the audit log contains only the host of an address. */
function note(
  { untold }: Pick<ChangeStores, "untold">,
  { id, host }: Endpoint,
  { actor, now, action, details }: Noted,
): void {
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

/** An account's events, for its endpoints. */
export function eventFeed({ records, events }: Pick<AccountStores, "records" | "events">): Feed {
  return {
    get about() {
      return { account: records.posId };
    },
    get owner() {
      return records.record?.posId ?? null;
    },
    get delivers() {
      return records.record?.status === "active";
    },
    newest: () => events.newest,
    next: ({ cursor }) => {
      const [event] = events.bodiesAfter(cursor, 1);
      return event === undefined ? null : { ...event, id: eventId(records.posId, event.number) };
    },
    givenUp: (endpoint, now) => {
      if (records.record !== null) tellDisabled({ events }, records.record, endpoint, now);
    },
  };
}

interface WebhooksParts extends WebhookStores, Pick<AccountStores, "sessions" | "nonces"> {
  env: Pick<Env, "MASTER_KEYS">;
  turns: Turns;
}

export class AccountWebhooks {
  readonly #parts: WebhooksParts;
  readonly #pings = new Pings();

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

  async ping(id: number, now: number): Promise<PingOutcome> {
    const { records, webhooks, env } = this.#parts;
    const { record } = records;
    if (record === null) return { kind: "no-such-webhook" };
    const seals = new EndpointSeals(masterKeysOf(env), record.posId);
    return this.#pings.send(webhooks.find(id), seals, record.timezone, now);
  }

  #view(keys: MasterKeys, record: AccountRecord, endpoint: Endpoint, now: number): Webhook {
    const standing = { record, newest: this.#parts.events.newest, now };
    return webhookView(endpoint, new EndpointSeals(keys, record.posId), standing);
  }
}

export class Pings {
  /**
   * The owner's last ping of any endpoint, a deleted one included. Lost with the instance, which does not sleep within
   * ten seconds (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
   */
  #pingedAt = -Infinity;

  /** A ping is not an event: it has no number, and no delivery waits for it. */
  async send(endpoint: Endpoint | null, seals: EndpointSeals, timezone: string, now: number): Promise<PingOutcome> {
    if (endpoint === null) return { kind: "no-such-webhook" };
    const again = this.#pingedAt + PING_EVERY;
    if (now < again) return { kind: "too-soon", retryAt: again };
    const address = seals.open(endpoint, "address");
    const secrets = seals.validSecrets(endpoint, now);
    if (address === null || secrets === null) return { kind: "unreadable" };
    this.#pingedAt = now;
    const id = `ping_${crypto.randomUUID()}`;
    const body = JSON.stringify({ id, type: "ping", timestamp: isoWithOffset(now, timezone), data: {} });
    const headers = deliveryHeaders(id, body, secrets, now);
    return { kind: "answered", ...(await post(address, headers, body, new AbortController())) };
  }
}

interface Standing {
  record: Pick<AccountRecord, "timezone" | "status">;
  /** The number of the account's newest event. */
  newest: number;
  now: number;
}

export function webhookView(endpoint: Endpoint, seals: EndpointSeals, { record, newest, now }: Standing): Webhook {
  const { timezone } = record;
  const address = seals.open(endpoint, "address");
  const until = previousSecretUntil(endpoint, now);
  return {
    id: webhookId(endpoint.id),
    url: address === null ? `https://${endpoint.host}` : shortened(address),
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
