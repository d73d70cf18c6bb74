/** Changes of endpoints by an account or its operator, each in one turn with its audit row. */
import type { MasterKeys } from "../../keys/master-keys.ts";
import type { Untold } from "../../objects/storage/untold.ts";
import { WEBHOOKS } from "../../protocol/limits/webhooks.ts";
import { webhookId } from "../../protocol/webhooks.ts";
import type { AuditAction } from "../../storage/audit.ts";
import type { ChangeRefusal, WebhookChange } from "../../rpc/webhooks.ts";
import type { Events } from "../storage/events.ts";
import type { AccountRecord, AccountRecordStore } from "../storage/record.ts";
import type { Endpoint, Webhooks } from "../storage/webhooks.ts";
import { hostOf } from "./address.ts";
import { disabled, restarted } from "./delivery.ts";
import { tellDisabled } from "./disabled.ts";
import { sealMember } from "./sealed.ts";
import { withSecret } from "./secrets.ts";
import { newSecret } from "./signature.ts";

export interface ChangeParts {
  records: AccountRecordStore;
  webhooks: Webhooks;
  events: Events;
  untold: Untold;
}

/** The result of a change within the object. `secret`: a new one. */
export type ChangedEndpoint =
  { kind: "changed"; endpoint: Endpoint; secret?: string } | { kind: "removed" } | ChangeRefusal;

/** Performs a call that was accepted. */
export function changeWebhook(
  parts: ChangeParts,
  keys: MasterKeys,
  record: AccountRecord,
  change: WebhookChange,
  now: number,
): ChangedEndpoint {
  if (change.kind === "add") return add(parts, keys, record, change.url, now);
  const endpoint = parts.webhooks.find(change.id);
  if (endpoint === null) return { kind: "no-such-webhook" };
  const by = `account:${record.posId}`;
  const { posId } = record;
  switch (change.kind) {
    case "remove":
      parts.webhooks.remove(endpoint.id);
      note(parts, by, "webhook.delete", endpoint, {}, now);
      return { kind: "removed" };
    case "change": {
      if (endpoint.disabledBy === "operator" && change.enabled === true) return { kind: "stopped" };
      const next = changedBy(keys, posId, endpoint, change, now);
      const { enabled } = change;
      save(parts, by, "webhook.change", next, enabled === undefined ? {} : { enabled }, now);
      return { kind: "changed", endpoint: next };
    }
    case "secret": {
      const secret = newSecret();
      const next = withSecret(keys, posId, endpoint, secret, now);
      save(parts, by, "webhook.secret", next, {}, now);
      return { kind: "changed", endpoint: next, secret };
    }
    case "replay": {
      const { newest, oldest } = parts.events;
      const { after } = change;
      if (after > newest || (after !== 0 && after < oldest - 1)) return { kind: "no-such-event", oldest, newest };
      // After a replay from the beginning, deleted events do not count as skipped.
      const next = { ...restarted(endpoint), cursor: Math.max(after, oldest - 1, 0) };
      save(parts, by, "webhook.replay", next, { after }, now);
      return { kind: "changed", endpoint: next };
    }
    default:
      return change satisfies never;
  }
}

/** A new endpoint starts with the next event. */
function add(parts: ChangeParts, keys: MasterKeys, record: AccountRecord, url: string, now: number): ChangedEndpoint {
  const { records, webhooks, events } = parts;
  if (webhooks.all.length >= WEBHOOKS) return { kind: "too-many" };
  const { posId } = record;
  const id = record.webhookNumber + 1;
  records.update({ webhookNumber: id });
  const secret = newSecret();
  const endpoint: Endpoint = {
    id,
    host: hostOf(url),
    address: sealMember(keys, posId, id, "address", url),
    secret: sealMember(keys, posId, id, "secret", secret),
    previousSecret: null,
    previousSecretUntil: null,
    generation: 1,
    cursor: events.newest,
    skipped: 0,
    failures: 0,
    failingSince: null,
    retryAt: null,
    attempts: [],
    disabledBy: null,
    disabledAt: null,
  };
  save(parts, `account:${posId}`, "webhook.create", endpoint, {}, now);
  return { kind: "changed", endpoint, secret };
}

function changedBy(
  keys: MasterKeys,
  posId: string,
  endpoint: Endpoint,
  { url, enabled }: { url?: string | undefined; enabled?: boolean | undefined },
  now: number,
): Endpoint {
  const there =
    url === undefined
      ? endpoint
      : { ...endpoint, host: hostOf(url), address: sealMember(keys, posId, endpoint.id, "address", url) };
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
  parts: ChangeParts,
  { id, enabled }: { id: number; enabled: boolean },
  actor: string,
  now: number,
): Endpoint | null {
  const { record } = parts.records;
  const endpoint = parts.webhooks.find(id);
  if (record === null || endpoint === null) return null;
  // Starting only ends an operator's stop: the endpoint is its account's.
  if ((endpoint.disabledBy === "operator") !== enabled) return endpoint;
  const next = enabled
    ? { ...restarted(endpoint), disabledBy: null, disabledAt: null }
    : disabled(endpoint, "operator", now);
  save(parts, actor, "webhook.change", next, { enabled }, now);
  // If it was disabled already, there is nothing to tell.
  if (!enabled && endpoint.disabledBy === null) tellDisabled(parts, record, next, now);
  return next;
}

/** A suspension has ended: sends everything that was recorded meanwhile. */
export function resume({ webhooks }: Pick<ChangeParts, "webhooks">, now: number): void {
  for (const endpoint of webhooks.all) webhooks.save(restarted(endpoint), now);
}

function save(
  parts: ChangeParts,
  actor: string,
  action: AuditAction,
  endpoint: Endpoint,
  details: Record<string, string | number | boolean>,
  now: number,
): void {
  parts.webhooks.save(endpoint, now);
  note(parts, actor, action, endpoint, details, now);
}

/** I6: the audit log contains only the host of an address. */
function note(
  { untold }: ChangeParts,
  actor: string,
  action: AuditAction,
  { id, host }: Endpoint,
  details: Record<string, string | number | boolean>,
  now: number,
): void {
  untold.audit({ at: now, actor, action, details: { webhook: webhookId(id), host, ...details } });
  // The master key that seals everything may have changed.
  untold.owe(now);
}
