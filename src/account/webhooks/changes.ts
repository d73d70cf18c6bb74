/** Changes of endpoints by an account or its operator, each in one turn with its audit row. */
import type { MasterKeys } from "../../keys/master-keys.ts";
import { WEBHOOKS } from "../../protocol/limits/webhooks.ts";
import { webhookId } from "../../protocol/webhooks.ts";
import type { ChangeRefusal, WebhookChange } from "../../rpc/feed.ts";
import type { AuditAction } from "../../storage/audit.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import type { AccountStores } from "../stores.ts";
import { hostOf } from "./address.ts";
import { disabled, NOT_FAILING, restarted } from "./delivery.ts";
import { newSecret } from "./post.ts";
import { EndpointSeals } from "./sealed.ts";

export type WebhookStores = Pick<AccountStores, "records" | "webhooks" | "events" | "untold">;

/** The result of a change within the object. `secret`: a new one. */
export type ChangedEndpoint =
  { kind: "changed"; endpoint: Endpoint; secret?: string } | { kind: "removed" } | ChangeRefusal;

/** Performs a call that was accepted. */
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
 * An operator stops the endpoint, and its account is told, or starts one that an operator has stopped. Null: there is no
 * such endpoint.
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

/** Whose change it is, for the audit log. */
interface Noted {
  actor: string;
  now: number;
  action: AuditAction;
  details?: Record<string, string | number | boolean>;
}

/** @returns the endpoint */
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
 * If an endpoint was disabled by anyone but its account, the account's feed reports it, also to its other endpoints.
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
