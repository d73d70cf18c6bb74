/** The calls about webhooks. Each is one turn, except a ping. */
import { type MasterKeys, masterKeysOf } from "../../keys/master-keys.ts";
import type { Turns } from "../../objects/turns.ts";
import { PING_EVERY } from "../../protocol/limits/webhooks.ts";
import { type Webhook, type WebhookState, webhookId } from "../../protocol/webhooks.ts";
import { isoWithOffset } from "../../time/zone.ts";
import type { SignedCall } from "../../rpc/standing.ts";
import type { SwitchOutcome, PingOutcome, WebhookChange, WebhookOutcome } from "../../rpc/feed.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import { shortened } from "./address.ts";
import type { AccountStores } from "../stores.ts";
import { changeWebhook, switchByOperator, type WebhookStores } from "./changes.ts";
import { post, deliveryHeaders } from "./post.ts";
import { EndpointSeals, previousSecretUntil } from "./sealed.ts";
import { judgeCall } from "../admission.ts";
import { dueAt } from "./delivery.ts";

export interface WebhooksParts extends WebhookStores, Pick<AccountStores, "sessions" | "nonces"> {
  env: Pick<Env, "MASTER_KEYS">;
  turns: Turns;
}

export class AccountWebhooks {
  readonly #parts: WebhooksParts;
  /**
   * When the account pinged last, any of its endpoints: a deleted one counts on. Lost with the instance, which does not
   * sleep within ten seconds (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
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

  /** @param now epoch milliseconds */
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

  /** Sends a signed `ping`. It is not an event: it has no number, and no delivery waits for it. */
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

/** What an endpoint is shown with, to accounts and operators. */
interface Standing {
  record: Pick<AccountRecord, "timezone" | "status">;
  /** The number of the account's newest event. */
  newest: number;
  now: number;
}

/** @param address null if no master key can decrypt it */
export function webhookView(endpoint: Endpoint, url: string | null, { record, newest, now }: Standing): Webhook {
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
