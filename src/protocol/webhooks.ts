/** Webhooks as an account sees its endpoints. Deliveries follow Standard Webhooks 1.0. */
import type { Infer } from "./schemas/infer.ts";
import type * as schemas from "./schemas/webhooks.ts";

export type Webhook = Infer<typeof schemas.webhook>;
export type WebhookList = Infer<typeof schemas.webhookList>;

/** One attempt to deliver an event. */
export type WebhookAttempt = Infer<typeof schemas.attempt>;

/**
 * Why an endpoint gets nothing: its account or the operator disabled it, it failed for too long, or it returned 410.
 */
export type DisabledBy = NonNullable<Webhook["disabledBy"]>;

/** An endpoint as the operator sees it. */
export interface WebhookState extends Pick<
  Webhook,
  "id" | "enabled" | "disabledBy" | "cursor" | "behind" | "skipped" | "nextAttempt"
> {
  host: string;
}

/** The answer to a new endpoint, and to a new secret. Shown once. */
export type WebhookWithSecret = Infer<typeof schemas.webhookWithSecret>;

/** An endpoint's answer to a ping; status null: no answer in time. */
export type PingAnswer = Infer<typeof schemas.pingAnswer>;

/** The names of a delivery's headers (Standard Webhooks 1.0, "Webhook headers"). */
export const WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;

/** The prefix of a secret; base64 of its bytes follows. */
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** The id of an endpoint with this number. */
export function webhookId(id: number): string {
  return `wh_${id}`;
}

const WEBHOOK_ID = /^wh_([1-9][0-9]{0,8})$/;

/** The number in an endpoint's id; null if it is not one. */
export function webhookNumber(text: string): number | null {
  const [, number] = WEBHOOK_ID.exec(text) ?? [];
  return number === undefined ? null : Number(number);
}
