/** Endpoints as accounts and operators see them. */
import { type Webhook, webhookId, type WebhookState } from "../../protocol/webhooks.ts";
import { isoWithOffset } from "../../time/zone.ts";
import type { AccountRecord } from "../storage/record.ts";
import type { Endpoint } from "../storage/webhooks.ts";
import { dueAt } from "./delivery.ts";
import { previousSecretUntil } from "./secrets.ts";

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
