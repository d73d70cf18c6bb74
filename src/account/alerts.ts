/**
 * What an operator must look at: transactions that are 22, and webhook endpoints in trouble. D1 gets each change at
 * once; an ordinary payment causes none. What D1 was sent last is in SQL, so what it still lacks is as durable as the
 * change itself.
 */
import { NoteWriter } from "../objects/note-writer.ts";
import type { Turns } from "../objects/turns.ts";
import { webhookId } from "../protocol/webhooks.ts";
import { unsettledStatements } from "../storage/unsettled.ts";
import { troublesStatement, type WebhookTroubleCopy } from "../storage/webhook-troubles.ts";
import { TROUBLE_FAILURES } from "./limits.ts";
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
  /** All endpoints in trouble; null: D1 has the current list. */
  troubles: { version: number; endpoints: WebhookTroubleCopy[]; text: string } | null;
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
    const endpoints = webhooks.all.flatMap(troubleOf);
    const text = endpoints.map(({ webhookId: id, disabledBy, since }) => `${id} ${disabledBy} ${since}`).join();
    if (unsettledNews.isEmpty && text === toldTroubles) return null;
    return {
      posId: record.posId,
      unsettled: unsettledNews.rows(),
      // A note that was given up may still be written, so no two notes have the same version.
      troubles: text === toldTroubles ? null : { version: Math.max(now, troublesVersion + 1), endpoints, text },
      at: now,
    };
  };
  return new NoteWriter({
    context,
    turns,
    due,
    since: () => null,
    write: async ({ posId, unsettled, troubles, at }) => {
      await database.batch([
        ...unsettledStatements(database, posId, unsettled, at),
        ...(troubles === null ? [] : [troublesStatement(database, posId, troubles.version, troubles.endpoints)]),
      ]);
    },
    written: ({ unsettled, troubles }) => {
      unsettledNews.told(unsettled);
      if (troubles !== null) records.update({ toldTroubles: troubles.text, troublesVersion: troubles.version });
    },
    about: () => ({ account: records.record?.posId ?? "" }),
  });
}

/**
 * An endpoint that its account disabled is not in trouble. Neither is one with a single failure: the next attempt comes
 * soon.
 */
function troubleOf({
  id,
  host,
  disabledBy,
  disabledAt,
  attempts,
  failures,
  failingSince,
}: Endpoint): WebhookTroubleCopy[] {
  const trouble = { webhookId: webhookId(id), host, disabledBy };
  if (disabledBy === "account") return [];
  // Older code did not store the time at which it disabled an endpoint.
  if (disabledBy !== null) return [{ ...trouble, since: disabledAt ?? attempts[0]?.at ?? 0 }];
  return failures >= TROUBLE_FAILURES && failingSince !== null ? [{ ...trouble, since: failingSince }] : [];
}
