/**
 * What an operator must look at: transactions that are 22, and webhooks that fail. D1 gets each change at
 * once; an ordinary payment causes none. What D1 was sent last is in SQL, so what it still lacks is as durable as the
 * change itself.
 */
import { NoteWriter } from "../objects/note-writer.ts";
import type { Turns } from "../objects/turns.ts";
import { webhookId } from "../protocol/webhooks.ts";
import { unsettledStatements } from "../storage/unsettled.ts";
import { webhookAlertsStatement, type WebhookAlertCopy } from "../storage/webhook-alerts.ts";
import { ALERT_FAILURES } from "./limits.ts";
import type { AccountRecordStore } from "./storage/record.ts";
import type { UnsettledNews, UnsettledNewsRow } from "./storage/unsettled-news.ts";
import type { Endpoint, Webhooks } from "./storage/webhooks.ts";

export interface AlertsParts {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  records: AccountRecordStore;
  webhooks: Webhooks;
  unsettledNews: UnsettledNews;
  turns: Turns;
}

/** What D1 should know. */
interface Alerts {
  posId: string;
  unsettled: UnsettledNewsRow[];
  /** All endpoints that need attention; null: D1 has the current list. */
  alerts: { version: number; endpoints: WebhookAlertCopy[]; text: string } | null;
  at: number;
}

export function alertNotes({
  context,
  database,
  records,
  webhooks,
  unsettledNews,
  turns,
}: AlertsParts): NoteWriter<Alerts> {
  const due = (now: number): Alerts | null => {
    const { record } = records;
    if (record === null) return null;
    const { toldTroubles, troublesVersion } = record;
    const endpoints = webhooks.all.flatMap(alertOf);
    const text = endpoints.map(({ webhookId: id, disabledBy, since }) => `${id} ${disabledBy} ${since}`).join();
    if (unsettledNews.isEmpty && text === toldTroubles) return null;
    return {
      posId: record.posId,
      unsettled: unsettledNews.rows(),
      // A note that was given up may still be written, so no two notes have the same version.
      alerts: text === toldTroubles ? null : { version: Math.max(now, troublesVersion + 1), endpoints, text },
      at: now,
    };
  };
  return new NoteWriter({
    context,
    turns,
    due,
    since: () => null,
    write: async ({ posId, unsettled, alerts, at }) => {
      await database.batch([
        ...unsettledStatements(database, posId, unsettled, at),
        ...(alerts === null ? [] : [webhookAlertsStatement(database, posId, alerts.version, alerts.endpoints)]),
      ]);
    },
    written: ({ unsettled, alerts }) => {
      unsettledNews.told(unsettled);
      if (alerts !== null) records.update({ toldTroubles: alerts.text, troublesVersion: alerts.version });
    },
    about: () => ({ account: records.posId }),
  });
}

/**
 * An endpoint that its account disabled needs no attention. Neither does one with a single failure: the next attempt comes
 * soon.
 */
function alertOf({ id, host, disabledBy, disabledAt, attempts, failures, failingSince }: Endpoint): WebhookAlertCopy[] {
  const alert = { webhookId: webhookId(id), host, disabledBy };
  if (disabledBy === "account") return [];
  // Older code did not store the time at which it disabled an endpoint.
  if (disabledBy !== null) return [{ ...alert, since: disabledAt ?? attempts[0]?.at ?? 0 }];
  return failures >= ALERT_FAILURES && failingSince !== null ? [{ ...alert, since: failingSince }] : [];
}
