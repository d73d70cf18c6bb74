/** Webhooks as an account sees its endpoints. Deliveries follow Standard Webhooks 1.0. */

/**
 * Why an endpoint gets nothing: its account or the operator disabled it, it failed for too long, or it returned 410.
 */
export type DisabledBy = "account" | "operator" | "failing" | "gone";

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  /** The event's number. */
  number: number;
  /** When it was sent, ISO 8601 with the offset of the account's time zone. */
  at: string;
  /** The HTTP status of the answer; null if none arrived in time. */
  status: number | null;
  milliseconds: number;
}

/** An endpoint as its account sees it. */
export interface Webhook {
  /** `wh_` and a number that the account never reuses. */
  id: string;
  /** Its scheme and host, and the last four characters. */
  url: string;
  enabled: boolean;
  /** null while it is enabled. */
  disabledBy: DisabledBy | null;
  /** The number of the last event that the endpoint has taken or skipped. */
  cursor: number;
  /** How many numbers the newest event is ahead. */
  behind: number;
  /** Events that were deleted before the endpoint took them. */
  skipped: number;
  /** Newest first. */
  attempts: WebhookAttempt[];
  /** When the next event is sent; null if there is none. */
  nextAttempt: string | null;
  /** Until when the previous secret also signs; null if it does not. */
  previousSecretUntil: string | null;
}

/** An endpoint as the operator sees it. */
export interface WebhookState extends Pick<Webhook, "id" | "enabled" | "disabledBy" | "cursor" | "behind" | "skipped"> {
  host: string;
  nextAttempt: string | null;
}

/** The answer to a new endpoint, and to a new secret. Shown once. */
export type WebhookWithSecret = Webhook & { secret: string };

/** An endpoint's answer to a ping; status null: no answer in time. */
export interface PingAnswer {
  status: number | null;
  milliseconds: number;
}

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
