/** The number of rows read does not grow with the number of terminals. */
import { writeRow } from "./upsert.ts";
import { outboxSum, type OutboxSum } from "./objects.ts";
import { openAccounts, type OpenAccountRow, type PendingSum, pendingSums } from "./pending.ts";
import type { DisabledBy } from "../../protocol/webhooks.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

interface TerminalCounts {
  enrolled: number;
  bound: number;
  connected: number;
  /** How often a terminal became connected, and was lost. */
  opened: number;
  lost: number;
}

/** Offline terminals of one merchant. */
interface OfflineShopRow {
  merchantId: string | null;
  shopName: string | null;
  terminals: number;
  since: number;
  latest: number;
  /** Whether no other terminal of the merchant is connected; 0 where there is no merchant. */
  allOffline: 0 | 1;
}

export interface ServiceState {
  terminals: TerminalCounts;
  /** The longest first. */
  offline: OfflineShopRow[];
  offlineTerminals: number;
  pending: PendingSum[];
  /** At most `SHOWN_ACCOUNTS`, those with conflicting results first. */
  accounts: OpenAccountRow[];
  /** The endpoints that need attention for the longest. */
  alerts: WebhookAlertRow[];
  /** The lists that have more than is here. */
  cut: CutList[];
  outbox: OutboxSum;
}

const CUT_LISTS = ["accounts", "offline", "webhooks"] as const;

export type CutList = (typeof CUT_LISTS)[number];

const SHOWN_ACCOUNTS = 200;
const OFFLINE_ROWS = 10_000;
const WEBHOOK_ALERTS = 100;

const NO_TERMINALS: TerminalCounts = { enrolled: 0, bound: 0, connected: 0, opened: 0, lost: 0 };

/** Reads everything but statistics, at one moment. */
export async function readService(db: D1Database, now: EpochMs): Promise<ServiceState> {
  const [terminals, offline, pending, accounts, alerts, outbox] = await db.batch([
    db.prepare("SELECT enrolled, bound, connected, opened, lost FROM terminal_counts"),
    // The terminals that were lost last: an old fleet has thousands that nobody retired. So many that those of one account,
    // whose network has failed, do not hide another's.
    db
      .prepare(
        `SELECT o.*, s.name AS shopName,
           o.merchantId IS NOT NULL AND NOT EXISTS (SELECT 1 FROM terminals WHERE merchant_id = o.merchantId AND connected = 1)
             AND NOT EXISTS (SELECT 1 FROM accounts a JOIN terminals t ON t.bound_pos_id = a.pos_id
               WHERE a.merchant_id = o.merchantId AND t.merchant_id IS NULL AND t.connected = 1) AS allOffline
         FROM (SELECT COALESCE(t.merchant_id, a.merchant_id) AS merchantId, COUNT(*) AS terminals,
             MIN(t.offline_since) AS since, MAX(t.offline_since) AS latest
           FROM (SELECT merchant_id, bound_pos_id, offline_since FROM terminals
                 WHERE status = 'enrolled' AND connected = 0 AND offline_since IS NOT NULL
                 ORDER BY offline_since DESC LIMIT ?) t
           LEFT JOIN accounts a ON a.pos_id = t.bound_pos_id
           GROUP BY 1) o
         LEFT JOIN shops s ON s.merchant_id = o.merchantId
         ORDER BY o.since`,
      )
      .bind(OFFLINE_ROWS),
    pendingSums(db),
    openAccounts(db, SHOWN_ACCOUNTS + 1),
    webhookAlerts(db, WEBHOOK_ALERTS + 1),
    outboxSum(db, now),
  ]);
  const found = {
    accounts: (accounts?.results ?? []) as OpenAccountRow[],
    offline: (offline?.results ?? []) as OfflineShopRow[],
    webhooks: (alerts?.results ?? []) as WebhookAlertRow[],
  };
  const offlineTerminals = found.offline.reduce((sum, shop) => sum + shop.terminals, 0);
  const isCut: Record<CutList, boolean> = {
    accounts: found.accounts.length > SHOWN_ACCOUNTS,
    offline: offlineTerminals >= OFFLINE_ROWS,
    webhooks: found.webhooks.length > WEBHOOK_ALERTS,
  };
  return {
    terminals: (terminals?.results[0] as TerminalCounts | undefined) ?? NO_TERMINALS,
    offline: found.offline,
    offlineTerminals,
    pending: (pending?.results ?? []) as PendingSum[],
    accounts: found.accounts.slice(0, SHOWN_ACCOUNTS),
    alerts: found.webhooks.slice(0, WEBHOOK_ALERTS),
    cut: CUT_LISTS.filter((list) => isCut[list]),
    outbox: (outbox?.results[0] as OutboxSum | undefined) ?? { objects: 0, entries: 0, oldest: null, object: null },
  };
}

export interface WebhookAlertCopy {
  /** `wh_` and its number. */
  webhookId: string;
  host: string;
  /** null: enabled, and deliveries fail. */
  disabledBy: DisabledBy | null;
  since: EpochMs;
}

/**
 * The endpoints of one account that need attention.
 *
 * @param version grows with each note of the owner
 */
export function webhookAlertsStatement(
  db: D1Database,
  posId: string,
  version: number,
  alerts: readonly WebhookAlertCopy[],
): D1PreparedStatement {
  return writeRow(db, "webhook_alerts", { pos_id: posId }, { version, endpoints: JSON.stringify(alerts) });
}

interface WebhookAlertRow extends WebhookAlertCopy {
  posId: string;
}

/** Lists the oldest problem first. It reads a row for each owner of an endpoint that needs attention. */
function webhookAlerts(db: D1Database, limit: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT pos_id AS posId, j.value ->> 'webhookId' AS webhookId, j.value ->> 'host' AS host,
         j.value ->> 'disabledBy' AS disabledBy, j.value ->> 'since' AS since
       FROM webhook_alerts INDEXED BY webhook_alerts_now, json_each(endpoints) j
       WHERE endpoints <> '[]' ORDER BY since, posId LIMIT ?`,
    )
    .bind(limit);
}
