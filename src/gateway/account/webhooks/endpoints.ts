/** Performs what accounts do with their endpoints, and shows these to them. */
import { requireMasterKeys } from "../../secrets/master-keys.ts";
import { WEBHOOKS, PING_EVERY, START_EVERY } from "../../../protocol/limits.ts";
import { readWebhookId, type Webhook, type WebhookState } from "../../../protocol/webhooks.ts";
import type { ChangedWebhook, ChangeRefusal, PingOutcome, WebhookChange } from "../rpc.ts";
import { type AuditEntry, WEBHOOK_ACTIONS } from "../../d1/audit.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Events } from "../storage/events.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import type { AccountTables } from "../storage/tables.ts";
import {
  hostOf,
  shortenAddress,
  disable,
  NOT_FAILING,
  resetSchedule,
  dueAt,
  EndpointSeals,
  previousSecretUntil,
} from "./endpoint.ts";
import { enqueueAccountState } from "../copies.ts";
import { deliveryHeaders, newSecret, post } from "./sending.ts";
import type { Outbox } from "../../durable/storage/outbox.ts";
import { isoWithOffset } from "../../../protocol/time/zone.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

type EndpointTables = Pick<AccountTables, "records" | "webhooks" | "events" | "outbox">;

/** All endpoints of the account. */
export class Endpoints {
  readonly #tables: EndpointTables;
  readonly #env: Pick<Env, "MASTER_KEYS">;
  /**
   * The account's last ping of any endpoint, a deleted one included. Lost with the instance, which does not sleep within
   * ten seconds (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
   */
  #pingedAt = -Infinity;
  /**
   * The time at which the account last started an endpoint, or will start it, by the endpoint's number. It holds only
   * what counts for the next start, and is lost with the instance like the last ping.
   */
  readonly #starts = new Map<number, number>();

  constructor(tables: EndpointTables, env: Pick<Env, "MASTER_KEYS">) {
    this.#tables = tables;
    this.#env = env;
  }

  get #seals(): EndpointSeals {
    return new EndpointSeals(requireMasterKeys(this.#env), this.#tables.records.posId);
  }

  #refusalOfNew(url: string): ChangeRefusal | null {
    if (this.#isStoppedHost(url)) return { kind: "stopped", path: "url" };
    return this.all.length < WEBHOOKS ? null : { kind: "too-many" };
  }

  #refusalFor(endpoint: Endpoint, change: WebhookChange): ChangeRefusal | null {
    // A new secret starts nothing, and a leaked one must be replaced.
    if (isStopped(endpoint) && change.kind !== "secret") {
      return { kind: "stopped", path: change.kind === "change" && change.enabled === true ? "enabled" : "" };
    }
    if (change.kind === "change" && change.url !== undefined && this.#isStoppedHost(change.url)) {
      return { kind: "stopped", path: "url" };
    }
    if (change.kind !== "replay") return null;
    const { after } = change;
    const { oldest, newest } = this.#tables.events;
    const isKept = after <= newest && (after === 0 || after >= oldest - 1);
    return isKept ? null : { kind: "no-such-event", oldest, newest };
  }

  /** Otherwise an account would get the deliveries again under another endpoint's name. */
  #isStoppedHost(url: string): boolean {
    return this.all.some((endpoint) => isStopped(endpoint) && endpoint.host === hostOf(url));
  }

  /**
   * The endpoint as an account's change leaves it: deliveries that the change starts begin at least `START_EVERY` after
   * those of the change before, of any endpoint. An endpoint whose start is still to come keeps its time.
   */
  #paced(endpoint: Endpoint, now: EpochMs): Endpoint {
    if (endpoint.disabledBy !== null) return endpoint;
    const starts = this.#starts;
    for (const [id, at] of starts) if (at + START_EVERY <= now) starts.delete(id);
    const own = starts.get(endpoint.id) ?? now;
    const start = own > now ? own : Math.max(now, ...[...starts.values()].map((at) => at + START_EVERY));
    starts.set(endpoint.id, start);
    const retryAt = Math.max(start, endpoint.retryAt ?? 0);
    return { ...endpoint, retryAt: retryAt > now ? retryAt : null };
  }

  /** Makes the account's own change, within a turn. */
  change(change: WebhookChange, now: EpochMs): ChangedWebhook | ChangeRefusal {
    const { webhooks, events } = this.#tables;
    if (change.kind === "add") return this.#refusalOfNew(change.url) ?? this.#add(change.url, now);
    const endpoint = webhooks.find(change.id);
    if (endpoint === null) return { kind: "no-such-webhook" };
    const refusal = this.#refusalFor(endpoint, change);
    if (refusal !== null) return refusal;
    const noted = (of: Endpoint, details?: AuditEntry["details"]) => this.#noteOwn(of, change.kind, now, details);
    const saved = (wanted: Endpoint, details?: AuditEntry["details"], secret?: string): ChangedWebhook => {
      const next = this.#paced(wanted, now);
      webhooks.save(next);
      noted(next, details);
      return this.#confirmChange(next, now, secret);
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
        const next = switchEndpoint(there, enabled, "account", now);
        return saved(next, enabled === undefined ? {} : { enabled });
      }
      case "secret": {
        const secret = newSecret();
        return saved(this.#seals.withSecret(endpoint, secret, now), {}, secret);
      }
      case "replay": {
        const { after } = change;
        // After a replay from the beginning, deleted events do not count as skipped.
        const cursor = Math.max(after, events.oldest - 1, 0);
        return saved({ ...resetSchedule(endpoint), cursor }, { after });
      }
      default:
        return change satisfies never;
    }
  }

  /** A new endpoint starts with the next event. */
  #add(url: string, now: EpochMs): ChangedWebhook {
    const { records, webhooks, events } = this.#tables;
    const id = records.known.webhookNumber + 1;
    records.update({ webhookNumber: id });
    const secret = newSecret();
    const endpoint: Endpoint = {
      id,
      host: hostOf(url),
      address: this.#seals.seal(id, "address", url),
      secret: this.#seals.seal(id, "secret", secret),
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
    webhooks.save(endpoint);
    this.#noteOwn(endpoint, "add", now);
    return this.#confirmChange(endpoint, now, secret);
  }

  #moved(endpoint: Endpoint, url: string): Endpoint {
    return { ...endpoint, host: hostOf(url), address: this.#seals.seal(endpoint.id, "address", url) };
  }

  #confirmChange(endpoint: Endpoint, now: EpochMs, secret?: string): ChangedWebhook {
    const webhook = this.view(endpoint, now);
    return secret === undefined ? { kind: "changed", webhook } : { kind: "changed", webhook, secret };
  }

  #noteOwn(endpoint: Endpoint, kind: WebhookChange["kind"], now: EpochMs, details: AuditEntry["details"] = {}): void {
    const { records, outbox } = this.#tables;
    const actor = `account:${records.posId}`;
    note(outbox, endpoint, { actor, action: WEBHOOK_ACTIONS[kind], details }, now);
  }

  get all(): readonly Endpoint[] {
    return this.#tables.webhooks.all;
  }

  list(now: EpochMs): Webhook[] {
    return this.all.map((endpoint) => this.view(endpoint, now));
  }

  states(now: EpochMs): WebhookState[] {
    return this.all.map((endpoint) => endpointState(this.#tables, endpoint, now));
  }

  /** A ping is not an event: it has no number, and no delivery waits for it. */
  async ping(id: number, now: EpochMs): Promise<PingOutcome> {
    const { records, webhooks } = this.#tables;
    const endpoint = webhooks.find(id);
    if (endpoint === null) return { kind: "no-such-webhook" };
    if (isStopped(endpoint)) return { kind: "stopped" };
    const again = this.#pingedAt + PING_EVERY;
    if (now < again) return { kind: "too-soon", retryAt: again };
    const address = this.#seals.open(endpoint, "address");
    const secrets = this.#seals.validSecrets(endpoint, now);
    if (address === null || secrets === null) return { kind: "unreadable" };
    this.#pingedAt = now;
    const name = `ping_${crypto.randomUUID()}`;
    const timestamp = isoWithOffset(now, records.known.timezone);
    const body = JSON.stringify({ id: name, type: "ping", timestamp, data: {} });
    const headers = deliveryHeaders(name, body, secrets, now);
    return { kind: "answered", ...(await post(address, headers, body, new AbortController())) };
  }

  view(endpoint: Endpoint, now: EpochMs): Webhook {
    const { timezone } = this.#tables.records.known;
    const address = this.#seals.open(endpoint, "address");
    const until = previousSecretUntil(endpoint, now);
    return {
      id: readWebhookId(endpoint.id),
      url: address === null ? `https://${endpoint.host}` : shortenAddress(address),
      ...standing(this.#tables, endpoint),
      attempts: endpoint.attempts.map((attempt) => ({ ...attempt, at: isoWithOffset(attempt.at, timezone) })),
      nextAttempt: nextAttempt(this.#tables, endpoint, timezone, now),
      previousSecretUntil: until === null ? null : isoWithOffset(until, timezone),
    };
  }
}

/** What an operator stops, its account can neither start, move, ping nor delete: only an operator starts it again. */
function isStopped({ disabledBy }: Endpoint): boolean {
  return disabledBy === "operator";
}

type Switcher = "account" | "operator";

function switchEndpoint(endpoint: Endpoint, enabled: boolean | undefined, by: Switcher, now: EpochMs): Endpoint {
  if (enabled === false) return disable(endpoint, by, now);
  return enabled === true
    ? { ...resetSchedule(endpoint), disabledBy: null, disabledAt: null }
    : resetSchedule(endpoint);
}

/** Shows an endpoint to the operators, who see only its host. */
export function endpointState(tables: EndpointTables, endpoint: Endpoint, now: EpochMs): WebhookState {
  const { id, host } = endpoint;
  const attempt = nextAttempt(tables, endpoint, "UTC", now);
  return { id: readWebhookId(id), host, ...standing(tables, endpoint), nextAttempt: attempt };
}

function standing({ events }: EndpointTables, { disabledBy, cursor, skipped }: Endpoint) {
  const behind = Math.max(events.newest - cursor, 0);
  return { enabled: disabledBy === null, disabledBy, cursor, behind, skipped };
}

function nextAttempt({ records, events }: EndpointTables, endpoint: Endpoint, timezone: string, now: EpochMs) {
  const due = records.known.status === "active" ? dueAt(endpoint, events.newest) : null;
  return due === null ? null : isoWithOffset(Math.max(due, now), timezone);
}

/** The audit log contains only the host of an address (I6). */
function note(
  outbox: Outbox,
  { id, host }: Endpoint,
  { actor, action, details }: Pick<AuditEntry, "actor" | "action" | "details">,
  now: EpochMs,
): void {
  outbox.enqueueAudit({ at: now, actor, action, details: { webhook: readWebhookId(id), host, ...details } });
  // The master key that seals everything may have changed.
  enqueueAccountState(outbox, now);
}

/**
 * Stops the endpoint for an operator, with an event to its account, or starts one that an operator stopped. Returns
 * null if the endpoint does not exist. Called within a turn.
 */
export function switchByOperator(
  tables: EndpointTables,
  { id, enabled }: { id: number; enabled: boolean },
  actor: string,
  now: EpochMs,
): Endpoint | null {
  const { records, webhooks, outbox } = tables;
  const { record } = records;
  const endpoint = webhooks.find(id);
  if (record === null || endpoint === null) return null;
  // Starting only ends an operator's stop: the endpoint is its account's.
  if ((endpoint.disabledBy === "operator") !== enabled) return endpoint;
  const next = switchEndpoint(endpoint, enabled, "operator", now);
  webhooks.save(next);
  note(outbox, next, { actor, action: WEBHOOK_ACTIONS.change, details: { enabled } }, now);
  // If it was disabled already, there is nothing to report.
  if (!enabled && endpoint.disabledBy === null) reportDisabled(tables.events, record, next, now);
  return next;
}

/** Sends everything that was recorded during a suspension, which has ended. */
export function resume({ webhooks }: Pick<AccountTables, "webhooks">): void {
  for (const endpoint of webhooks.all) webhooks.save(resetSchedule(endpoint));
}

/**
 * If anyone but the account disabled the endpoint, the account's feed reports it, so its other endpoints get the event
 * too.
 */
export function reportDisabled(events: Events, record: AccountRecord, endpoint: Endpoint, now: EpochMs): void {
  const { id, host, disabledBy, cursor } = endpoint;
  if (disabledBy === null || disabledBy === "account") return;
  events.append(
    record,
    { type: "webhook.disabled", data: { webhookId: readWebhookId(id), host, disabledBy, cursor } },
    now,
  );
}
