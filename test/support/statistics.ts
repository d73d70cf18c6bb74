/** Statistics wait a minute before D1 gets them: these tests do not. */
import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** Starts the delivery of what accounts have recorded until now. @param posId missing: of every account */
export async function deliverStatistics(posId?: string): Promise<void> {
  const ids = posId === undefined ? await listDurableObjectIds(env.ACCOUNT) : [env.ACCOUNT.idFromName(posId)];
  for (const id of ids) {
    const object = env.ACCOUNT.get(id);
    const waits = await runInDurableObject(object, (_object, { storage }) => {
      if (storage.sql.exec("PRAGMA table_info(outbox)").toArray().length === 0) return false;
      const due = "UPDATE outbox SET next_at = 0 WHERE kind = 'statistics' AND next_at > 0";
      return storage.sql.exec(due).rowsWritten > 0;
    });
    if (waits) await runDurableObjectAlarm(object);
  }
}

/** What the account records from now on sets no statistics on their way: their price is not that of a sale. */
export async function holdStatistics(posId: string): Promise<void> {
  await runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => {
    storage.sql.exec(
      `INSERT OR REPLACE INTO outbox (target, kind, key, payload, version, created_at, attempts, next_at)
       VALUES ('d1', 'statistics', '', '0', 1, 0, 0, ?)`,
      Number.MAX_SAFE_INTEGER,
    );
  });
}
