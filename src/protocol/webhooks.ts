import type { Infer } from "./schemas/infer.ts";
import type * as schemas from "./schemas/webhooks.ts";

export type Webhook = Infer<typeof schemas.webhook>;
export type WebhookList = Infer<typeof schemas.webhookList>;

export type WebhookAttempt = Infer<typeof schemas.attempt>;

/** Its account or the operator disabled the endpoint, it failed for too long, or it returned 410. */
export type DisabledBy = NonNullable<Webhook["disabledBy"]>;

/** As the operator sees it. */
export interface WebhookState extends Pick<
  Webhook,
  "id" | "enabled" | "disabledBy" | "cursor" | "behind" | "skipped" | "nextAttempt"
> {
  host: string;
}

/** The secret is shown once: in the answer to a new endpoint, and to a new secret. */
export type WebhookWithSecret = Infer<typeof schemas.webhookWithSecret>;

/** Its status is null if no answer came in time. */
export type PingAnswer = Infer<typeof schemas.pingAnswer>;

/** The names of the headers in Standard Webhooks 1.0, "Webhook headers". */
export const WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;

/** Stands before the base64 of the secret's bytes. */
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** Whether the endpoint has taken what was posted. @param status null: no answer in time */
export function hasTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

export function readWebhookId(id: number): string {
  return `wh_${id}`;
}

const WEBHOOK_ID = /^wh_([1-9][0-9]{0,8})$/;

/** null if the text is not an endpoint's id. */
export function webhookNumber(text: string): number | null {
  const [, number] = WEBHOOK_ID.exec(text) ?? [];
  return number === undefined ? null : Number(number);
}
