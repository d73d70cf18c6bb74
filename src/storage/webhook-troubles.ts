/** Webhook endpoints that get nothing, or whose deliveries fail: copies of what accounts' objects know. */
import type { DisabledBy } from "../protocol/webhooks.ts";

export interface WebhookTroubleCopy {
  /** `wh_` and its number. */
  webhookId: string;
  host: string;
  /** null: it is enabled, and deliveries to it fail. */
  disabledBy: DisabledBy | null;
  /** Epoch milliseconds. */
  since: number;
}

/** The statement that tells D1 all that are in trouble of one account. @param version grows with each note of the account */
export function troublesStatement(
  db: D1Database,
  posId: string,
  version: number,
  troubles: readonly WebhookTroubleCopy[],
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO webhook_troubles (pos_id, version, endpoints) VALUES (?, ?, ?)
       ON CONFLICT (pos_id) DO UPDATE SET version = excluded.version, endpoints = excluded.endpoints
       WHERE excluded.version > webhook_troubles.version`,
    )
    .bind(posId, version, JSON.stringify(troubles));
}

export interface WebhookTroubleRow extends WebhookTroubleCopy {
  posId: string;
}

/** All endpoints in trouble, the longest first, at most `limit`. Reads a row for each account that ever had one. */
export function webhookTroubles(db: D1Database, limit: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT pos_id AS posId, j.value ->> 'webhookId' AS webhookId, j.value ->> 'host' AS host,
         j.value ->> 'disabledBy' AS disabledBy, j.value ->> 'since' AS since
       FROM webhook_troubles, json_each(endpoints) j ORDER BY since, posId LIMIT ?`,
    )
    .bind(limit);
}
