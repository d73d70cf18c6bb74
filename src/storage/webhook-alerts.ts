/** Webhook endpoints that get nothing, or whose deliveries fail: copies of what accounts' objects know. */
import type { DisabledBy } from "../protocol/webhooks.ts";

export interface WebhookAlertCopy {
  /** `wh_` and its number. */
  webhookId: string;
  host: string;
  /** null: it is enabled, and deliveries to it fail. */
  disabledBy: DisabledBy | null;
  /** Epoch milliseconds. */
  since: number;
}

/**
 * The statement that writes the endpoints of one account that need attention.
 *
 * @param version grows with each note of the account
 */
export function webhookAlertsStatement(
  db: D1Database,
  posId: string,
  version: number,
  alerts: readonly WebhookAlertCopy[],
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO webhook_troubles (pos_id, version, endpoints) VALUES (?, ?, ?)
       ON CONFLICT (pos_id) DO UPDATE SET version = excluded.version, endpoints = excluded.endpoints
       WHERE excluded.version > webhook_troubles.version`,
    )
    .bind(posId, version, JSON.stringify(alerts));
}

export interface WebhookAlertRow extends WebhookAlertCopy {
  posId: string;
}

/** All endpoints that need attention, the oldest problem first, at most `limit`. Reads a row for each of their accounts. */
export function webhookAlerts(db: D1Database, limit: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT pos_id AS posId, j.value ->> 'webhookId' AS webhookId, j.value ->> 'host' AS host,
         j.value ->> 'disabledBy' AS disabledBy, j.value ->> 'since' AS since
       FROM webhook_troubles INDEXED BY webhook_troubles_now, json_each(endpoints) j
       WHERE endpoints <> '[]' ORDER BY since, posId LIMIT ?`,
    )
    .bind(limit);
}
