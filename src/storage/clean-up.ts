/** Bounded steps, so that no statement delays others. */
import {
  AUDIT_LIFE,
  CLEAN_UP_ROWS,
  CLEAN_UP_STATEMENTS,
  FINGERPRINTS_LIFE,
  NUMBER_BLOCK_LIFE,
  UNRESOLVED_ENDED_LIFE,
} from "./limits.ts";
import { ACCOUNT_HOURS_LIFE, STATISTICS_LIFE } from "../statistics/limits.ts";
import { DAY, HOUR } from "../time/units.ts";

/** @param now epoch milliseconds. The next run deletes what this one does not reach. */
export async function cleanUp(db: D1Database, now: number): Promise<void> {
  await deleteExpired(db, "DELETE FROM bind_keys WHERE id IN", "id FROM bind_keys WHERE expires_at <= ?", now);
  await deleteExpired(db, "DELETE FROM audit_log WHERE id IN", "id FROM audit_log WHERE at <= ?", now - AUDIT_LIFE);
  const blocks = "first FROM number_blocks WHERE noted_at <= ?";
  await deleteExpired(db, "DELETE FROM number_blocks WHERE first IN", blocks, now - NUMBER_BLOCK_LIFE);
  const ended = "(pos_id, request_id) IN";
  const late = "pos_id, request_id FROM unresolved WHERE open = 0 AND noted_at <= ?";
  await deleteExpired(db, `DELETE FROM unresolved WHERE ${ended}`, late, now - UNRESOLVED_ENDED_LIFE);
  await deleteExpired(
    db,
    "DELETE FROM untold WHERE object IN",
    "object FROM untold WHERE noted_at <= ?",
    now - UNRESOLVED_ENDED_LIFE,
  );
  const oldest = (life: number, unit: number): number => Math.floor((now - life) / unit) - 1;
  await deleteExpired(
    db,
    "DELETE FROM account_hours WHERE (pos_id, day) IN",
    "pos_id, day FROM account_hours INDEXED BY account_hours_by_day WHERE day <= ?",
    oldest(ACCOUNT_HOURS_LIFE, DAY),
  );
  const payments = "day, pos_id FROM fingerprints WHERE day <= ?";
  await deleteExpired(db, "DELETE FROM fingerprints WHERE (day, pos_id) IN", payments, oldest(FINGERPRINTS_LIFE, DAY));
  const hours = "hour FROM statistics_hours WHERE hour <= ?";
  await deleteExpired(db, "DELETE FROM statistics_hours WHERE hour IN", hours, oldest(STATISTICS_LIFE, HOUR));
  const days = "day FROM statistics_days WHERE day <= ?";
  await deleteExpired(db, "DELETE FROM statistics_days WHERE day IN", days, oldest(STATISTICS_LIFE, DAY));
}

async function deleteExpired(db: D1Database, deletion: string, selection: string, before: number): Promise<void> {
  const statement = db.prepare(`${deletion} (SELECT ${selection} LIMIT ${CLEAN_UP_ROWS})`).bind(before);
  for (let count = 0; count < CLEAN_UP_STATEMENTS; count++) {
    const { meta } = await statement.run();
    if (meta.changes < CLEAN_UP_ROWS) return;
  }
}
