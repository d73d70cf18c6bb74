/** Webhooks: what an account is shown of its endpoints. Deliveries follow Standard Webhooks 1.0. */

/** Why an endpoint gets nothing: its account or the operator said so, it failed for too long, or it answered 410. */
export type DisabledBy = "account" | "operator" | "failing" | "gone";

/** One try to deliver an event. */
export interface WebhookAttempt {
  /** The event's number. */
  number: number;
  /** When it was sent, ISO 8601 with the offset of the account's time zone. */
  at: string;
  /** The HTTP status that was answered; null where none came in time. */
  status: number | null;
  milliseconds: number;
}

/** An endpoint, as its account sees it. */
export interface Webhook {
  /** `wh_` and a number, which the account never gives twice. */
  id: string;
  /** Its scheme and host, and the last four characters. */
  url: string;
  enabled: boolean;
  /** null while it is enabled. */
  disabledBy: DisabledBy | null;
  /** The number of the last event that the endpoint has taken, or that was left out for it. */
  cursor: number;
  /** How many numbers the newest event is ahead. */
  behind: number;
  /** Events that were deleted before the endpoint could take them. */
  skipped: number;
  /** The newest ones, the newest first. */
  attempts: WebhookAttempt[];
  /** When the next event is sent; null where there is none to send. */
  nextAttempt: string | null;
  /** Until when the secret before signs along; null where it does not. */
  previousSecretUntil: string | null;
}

/** An endpoint, as the operator sees it. */
export interface WebhookState extends Pick<Webhook, "id" | "enabled" | "disabledBy" | "cursor" | "behind" | "skipped"> {
  host: string;
  nextAttempt: string | null;
}

/** The answer to a new endpoint, and to a new secret. Shown once. */
export type WebhookWithSecret = Webhook & { secret: string };

/** What an endpoint answered to a ping; status null: nothing in time. */
export interface PingAnswer {
  status: number | null;
  milliseconds: number;
}

/** The names of the headers that a delivery carries (Standard Webhooks 1.0, "Webhook headers"). */
export const WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;

/** What a secret begins with; base64 of its bytes follows. */
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** The text in which an endpoint's number is told. */
export function webhookId(id: number): string {
  return `wh_${id}`;
}

const WEBHOOK_ID = /^wh_([1-9][0-9]{0,8})$/;

/** The number in a text that names an endpoint; null where it cannot name one. */
export function webhookNumber(text: string): number | null {
  const [, number] = WEBHOOK_ID.exec(text) ?? [];
  return number === undefined ? null : Number(number);
}
