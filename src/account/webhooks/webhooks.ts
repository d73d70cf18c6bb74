/** What accounts do with their endpoints, and see of them. */
import { masterKeysOf } from "../../keys/master-keys.ts";
import { WEBHOOKS, PING_EVERY, START_EVERY } from "../../protocol/limits/webhooks.ts";
import { webhookId, type Webhook, type WebhookState } from "../../protocol/webhooks.ts";
import type { ChangedWebhook, ChangeRefusal, PingOutcome, WebhookChange } from "../../rpc/account.ts";
import { type AuditEntry, WEBHOOK_ACTIONS } from "../../storage/audit.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint, Webhooks } from "../storage/webhooks.ts";
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
import { enqueueState } from "../copies.ts";
import { type Feed, newSecret, post, deliveryHeaders } from "./deliveries.ts";
import { isoWithOffset } from "../../time/zone.ts";

interface EndpointsParts {
  env: Pick<Env, "MASTER_KEYS">;
  webhooks: Webhooks;
  feed: Feed;
}

/** All endpoints of one owner. */
export class Endpoints {
  readonly #parts: EndpointsParts;
  /**
   * The owner's last ping of any endpoint, a deleted one included. Lost with the instance, which does not sleep within
   * ten seconds (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
   */
  #pingedAt = -Infinity;
  /**
   * When the account last started an endpoint, or when it will start, by the endpoint's number. Only what counts for the
   * next start; lost with the instance like the last ping.
   */
  readonly #starts = new Map<number, number>();

  constructor(parts: EndpointsParts) {
    this.#parts = parts;
  }

  get #seals(): EndpointSeals {
    const { env, feed } = this.#parts;
    return new EndpointSeals(masterKeysOf(env), feed.owner ?? "");
  }

  /** Why the owner's change is refused as things are; null: it is not. */
  refusalOf(change: WebhookChange): ChangeRefusal | null {
    const { webhooks } = this.#parts;
    if (change.kind === "add") {
      if (this.#isStoppedHost(change.url)) return { kind: "stopped", path: "url" };
      return webhooks.all.length < WEBHOOKS ? null : { kind: "too-many" };
    }
    const endpoint = webhooks.find(change.id);
    return endpoint === null ? { kind: "no-such-webhook" } : this.#refusalFor(endpoint, change);
  }

  #refusalFor(endpoint: Endpoint, change: WebhookChange): ChangeRefusal | null {
    const { feed } = this.#parts;
    // A new secret starts nothing, and a leaked one must be replaced.
    if (isStopped(endpoint) && change.kind !== "secret") {
      return { kind: "stopped", path: change.kind === "change" && change.enabled === true ? "enabled" : "" };
    }
    if (change.kind === "change" && change.url !== undefined && this.#isStoppedHost(change.url)) {
      return { kind: "stopped", path: "url" };
    }
    if (change.kind !== "replay") return null;
    const { after } = change;
    const [oldest, newest] = [feed.oldest(endpoint.id), feed.newest(endpoint.id)];
    const isKept = after <= newest && (after === 0 || after >= oldest - 1);
    return isKept ? null : { kind: "no-such-event", oldest, newest };
  }

  /** Otherwise an account would get the deliveries again under another endpoint's name. */
  #isStoppedHost(url: string): boolean {
    const { webhooks } = this.#parts;
    return webhooks.all.some((endpoint) => isStopped(endpoint) && endpoint.host === hostOf(url));
  }

  /**
   * The endpoint as an account's change leaves it: deliveries that the change starts begin at least `START_EVERY` after
   * those of the change before, of any endpoint. An endpoint whose start is still to come keeps its time.
   */
  #paced(endpoint: Endpoint, now: number): Endpoint {
    if (endpoint.disabledBy !== null) return endpoint;
    const starts = this.#starts;
    for (const [id, at] of starts) if (at + START_EVERY <= now) starts.delete(id);
    const own = starts.get(endpoint.id) ?? now;
    const start = own > now ? own : Math.max(now, ...[...starts.values()].map((at) => at + START_EVERY));
    starts.set(endpoint.id, start);
    const retryAt = Math.max(start, endpoint.retryAt ?? 0);
    return { ...endpoint, retryAt: retryAt > now ? retryAt : null };
  }

  /** The owner's change. Within a turn. */
  change(change: WebhookChange, now: number): ChangedWebhook | ChangeRefusal {
    const { webhooks, feed } = this.#parts;
    if (change.kind === "add") return this.refusalOf(change) ?? this.#add(change.url, now);
    const endpoint = webhooks.find(change.id);
    if (endpoint === null) return { kind: "no-such-webhook" };
    const refusal = this.#refusalFor(endpoint, change);
    if (refusal !== null) return refusal;
    const noted = (of: Endpoint, details: AuditEntry["details"] = {}) =>
      feed.changed(of, { action: WEBHOOK_ACTIONS[change.kind], details }, now);
    const saved = (wanted: Endpoint, details?: AuditEntry["details"], secret?: string): ChangedWebhook => {
      const next = this.#paced(wanted, now);
      webhooks.save(next);
      noted(next, details);
      return this.#changed(next, now, secret);
    };
    switch (change.kind) {
      case "remove":
        webhooks.remove(endpoint.id);
        if ((this.#starts.get(endpoint.id) ?? now) > now) this.#starts.delete(endpoint.id);
        noted(endpoint);
        return { kind: "removed" };
      case "change": {
        const { url, enabled } = change;
        const there = url === undefined ? endpoint : this.#moved(endpoint, url);
        const next = switched(there, enabled, "account", now);
        return saved(next, enabled === undefined ? {} : { enabled });
      }
      case "secret": {
        const secret = newSecret();
        return saved(this.#seals.withSecret(endpoint, secret, now), {}, secret);
      }
      case "replay": {
        const { after } = change;
        // After a replay from the beginning, deleted events do not count as skipped.
        const cursor = Math.max(after, feed.oldest(endpoint.id) - 1, 0);
        return saved({ ...restarted(endpoint), cursor }, { after });
      }
      default:
        return change satisfies never;
    }
  }

  /** A new endpoint starts with the next event. */
  #add(url: string, now: number): ChangedWebhook {
    const { webhooks, feed } = this.#parts;
    const id = feed.newId();
    const secret = newSecret();
    const endpoint: Endpoint = {
      id,
      host: hostOf(url),
      address: this.#seals.seal(id, "address", url),
      secret: this.#seals.seal(id, "secret", secret),
      previousSecret: null,
      previousSecretUntil: null,
      generation: 1,
      cursor: feed.newest(id),
      skipped: 0,
      ...NOT_FAILING,
      attempts: [],
      disabledBy: null,
      disabledAt: null,
    };
    webhooks.save(endpoint);
    feed.changed(endpoint, { action: WEBHOOK_ACTIONS.add, details: {} }, now);
    return this.#changed(endpoint, now, secret);
  }

  #moved(endpoint: Endpoint, url: string): Endpoint {
    return { ...endpoint, host: hostOf(url), address: this.#seals.seal(endpoint.id, "address", url) };
  }

  #changed(endpoint: Endpoint, now: number, secret?: string): ChangedWebhook {
    const webhook = this.view(endpoint, now);
    return secret === undefined ? { kind: "changed", webhook } : { kind: "changed", webhook, secret };
  }

  get all(): Endpoint[] {
    const { feed, webhooks } = this.#parts;
    return feed.owner === null ? [] : webhooks.all;
  }

  list(now: number): Webhook[] {
    return this.all.map((endpoint) => this.view(endpoint, now));
  }

  /** For the operators, who see only the host of an account's endpoint. */
  states(now: number): WebhookState[] {
    return this.all.map((endpoint) => webhookState(endpoint, this.#parts.feed, now));
  }

  /** A ping is not an event: it has no number, and no delivery waits for it. */
  async ping(id: number, now: number): Promise<PingOutcome> {
    const { timezone } = this.#parts.feed;
    const endpoint = this.all.find((one) => one.id === id);
    if (endpoint === undefined) return { kind: "no-such-webhook" };
    if (isStopped(endpoint)) return { kind: "stopped" };
    const again = this.#pingedAt + PING_EVERY;
    if (now < again) return { kind: "too-soon", retryAt: again };
    const address = this.#seals.open(endpoint, "address");
    const secrets = this.#seals.validSecrets(endpoint, now);
    if (address === null || secrets === null) return { kind: "unreadable" };
    this.#pingedAt = now;
    const name = `ping_${crypto.randomUUID()}`;
    const body = JSON.stringify({ id: name, type: "ping", timestamp: isoWithOffset(now, timezone), data: {} });
    const headers = deliveryHeaders(name, body, secrets, now);
    return { kind: "answered", ...(await post(address, headers, body, new AbortController())) };
  }

  view(endpoint: Endpoint, now: number): Webhook {
    const { feed } = this.#parts;
    const { timezone } = feed;
    const address = this.#seals.open(endpoint, "address");
    const until = previousSecretUntil(endpoint, now);
    return {
      id: webhookId(endpoint.id),
      url: address === null ? `https://${endpoint.host}` : shortened(address),
      ...standing(endpoint, feed),
      attempts: endpoint.attempts.map((attempt) => ({ ...attempt, at: isoWithOffset(attempt.at, timezone) })),
      nextAttempt: nextAttempt(endpoint, feed, timezone, now),
      previousSecretUntil: until === null ? null : isoWithOffset(until, timezone),
    };
  }
}

/** What an operator stops, its account can neither start, move, ping nor delete: only an operator starts it again. */
function isStopped({ disabledBy }: Endpoint): boolean {
  return disabledBy === "operator";
}

type Switcher = "account" | "operator";

function switched(endpoint: Endpoint, enabled: boolean | undefined, by: Switcher, now: number): Endpoint {
  if (enabled === false) return disabled(endpoint, by, now);
  return enabled === true ? { ...restarted(endpoint), disabledBy: null, disabledAt: null } : restarted(endpoint);
}

export function webhookState(endpoint: Endpoint, feed: Feed, now: number): WebhookState {
  const { id, host } = endpoint;
  const attempt = nextAttempt(endpoint, feed, "UTC", now);
  return { id: webhookId(id), host, ...standing(endpoint, feed), nextAttempt: attempt };
}

function standing({ id, disabledBy, cursor, skipped }: Endpoint, feed: Feed) {
  const behind = Math.max(feed.newest(id) - cursor, 0);
  return { enabled: disabledBy === null, disabledBy, cursor, behind, skipped };
}

function nextAttempt(endpoint: Endpoint, feed: Feed, timezone: string, now: number): string | null {
  const due = feed.delivers ? dueAt(endpoint, feed.newest(endpoint.id)) : null;
  return due === null ? null : isoWithOffset(Math.max(due, now), timezone);
}

type WebhookStores = Pick<AccountStores, "records" | "webhooks" | "events" | "outbox">;

/** An account's events, for its endpoints. */
export function eventFeed({ records, events, outbox }: Pick<WebhookStores, "records" | "events" | "outbox">): Feed {
  return {
    get about() {
      return { account: records.posId };
    },
    get owner() {
      return records.record?.posId ?? null;
    },
    get timezone() {
      return records.record?.timezone ?? "UTC";
    },
    get delivers() {
      return records.record?.status === "active";
    },
    newId() {
      const webhookNumber = (records.record?.webhookNumber ?? 0) + 1;
      records.update({ webhookNumber });
      return webhookNumber;
    },
    newest: () => events.newest,
    oldest: () => events.oldest,
    next: ({ cursor }) => {
      const [event] = events.bodiesAfter(cursor, 1);
      return event === undefined ? null : { ...event, id: eventId(records.posId, event.number) };
    },
    changed: (endpoint, noted, now) => note(outbox, endpoint, { ...noted, actor: `account:${records.posId}` }, now),
    givenUp: (endpoint, now) => {
      if (records.record !== null) tellDisabled({ events }, records.record, endpoint, now);
    },
  };
}

/** I6: the audit log contains only the host of an address. */
function note(
  outbox: WebhookStores["outbox"],
  { id, host }: Endpoint,
  { actor, action, details }: Pick<AuditEntry, "actor" | "action" | "details">,
  now: number,
): void {
  outbox.enqueueAudit({ at: now, actor, action, details: { webhook: webhookId(id), host, ...details } });
  // The master key that seals everything may have changed.
  enqueueState(outbox, now);
}

/**
 * An operator stops the endpoint, and its account is told, or starts one that an operator stopped. Returns null if the
 * endpoint does not exist. Within a turn.
 */
export function switchByOperator(
  stores: WebhookStores,
  { id, enabled }: { id: number; enabled: boolean },
  actor: string,
  now: number,
): Endpoint | null {
  const { records, webhooks, outbox } = stores;
  const { record } = records;
  const endpoint = webhooks.find(id);
  if (record === null || endpoint === null) return null;
  // Starting only ends an operator's stop: the endpoint is its account's.
  if ((endpoint.disabledBy === "operator") !== enabled) return endpoint;
  const next = switched(endpoint, enabled, "operator", now);
  webhooks.save(next);
  note(outbox, next, { actor, action: WEBHOOK_ACTIONS.change, details: { enabled } }, now);
  // If it was disabled already, there is nothing to tell.
  if (!enabled && endpoint.disabledBy === null) tellDisabled(stores, record, next, now);
  return next;
}

/** A suspension has ended: sends everything that was recorded meanwhile. */
export function resume({ webhooks }: Pick<WebhookStores, "webhooks">): void {
  for (const endpoint of webhooks.all) webhooks.save(restarted(endpoint));
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
