/** The calls about webhooks. Each is one turn, except a ping. */
import { readMasterKeys, type MasterKeys } from "../../keys/master-keys.ts";
import type { Turns } from "../../objects/turns.ts";
import { PING_EVERY } from "../../protocol/limits/webhooks.ts";
import type { Webhook, WebhookState } from "../../protocol/webhooks.ts";
import { isoWithOffset } from "../../time/zone.ts";
import type { SignedCall } from "../../rpc/signed-call.ts";
import type { SwitchOutcome, PingOutcome, WebhookChange, WebhookOutcome } from "../../rpc/webhooks.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import { shortened } from "./address.ts";
import { changeWebhook, type ChangeParts, switchByOperator } from "./changes.ts";
import { post } from "./post.ts";
import { openMember } from "./sealed.ts";
import { validSecrets } from "./secrets.ts";
import { deliveryHeaders } from "./signature.ts";
import { judgeCall, type SignedCallParts } from "../signed-call.ts";
import { webhookState, webhookView } from "./view.ts";

export interface WebhooksParts extends ChangeParts, SignedCallParts {
  env: Pick<Env, "MASTER_KEYS">;
  turns: Turns;
}

export class AccountWebhooks {
  readonly #parts: WebhooksParts;
  /**
   * When the account pinged last, any of its endpoints: a deleted one counts on. Lost with the instance, which does not sleep within ten seconds
   * (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/).
   */
  #pingedAt = -Infinity;

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
  }

  change(call: SignedCall, change: WebhookChange): WebhookOutcome {
    const keys = this.#masterKeys();
    return this.#parts.turns.take((now): WebhookOutcome => {
      const verdict = judgeCall(this.#parts, keys, call, now);
      if (verdict.kind !== "good") return verdict;
      const outcome = changeWebhook(this.#parts, keys, verdict.record, change, now);
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
    const keys = this.#masterKeys();
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
    const keys = this.#masterKeys();
    const address = openMember(keys, record.posId, endpoint, "address");
    const secrets = validSecrets(keys, record.posId, endpoint, now);
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
    const address = openMember(keys, record.posId, endpoint, "address");
    const standing = { record, newest: this.#parts.events.newest, now };
    return webhookView(endpoint, address === null ? null : shortened(address), standing);
  }

  /** Throws if MASTER_KEYS is unusable. The Worker finds that out before it calls. */
  #masterKeys(): MasterKeys {
    const keys = readMasterKeys(this.#parts.env.MASTER_KEYS);
    if (!keys.ok) throw new Error(keys.error);
    return keys.value;
  }
}
