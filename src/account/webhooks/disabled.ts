/**
 * If an endpoint was disabled by anyone but its account, the account's feed reports it, also to its other endpoints.
 */
import type { WebhookDisabled } from "../../protocol/events.ts";
import { webhookId } from "../../protocol/webhooks.ts";
import { append } from "../append.ts";
import type { Events } from "../storage/events.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint } from "../storage/webhooks.ts";

export function tellDisabled(parts: { events: Events }, record: AccountRecord, endpoint: Endpoint, now: number): void {
  const { id, host, disabledBy, cursor } = endpoint;
  if (disabledBy === null || disabledBy === "account") return;
  const data: WebhookDisabled = { webhookId: webhookId(id), host, disabledBy, cursor };
  append(parts, record, { type: "webhook.disabled", data }, now);
}
