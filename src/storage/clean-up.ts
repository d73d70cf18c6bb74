/** The daily clean-up: deletes what has expired from D1 in bounded steps, so that no statement delays others. */
import { AUDIT_LIFE, CLEAN_UP_ROWS, CLEAN_UP_STATEMENTS, NUMBER_BLOCK_LIFE, UNRESOLVED_ENDED_LIFE } from "./limits.ts";
import { rollUpStatistics } from "./statistics-days.ts";

/** Deletes what has expired at `now` (epoch milliseconds). The next run deletes what this one does not reach. */
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
  await rollUpStatistics(db, now);
}

async function deleteExpired(db: D1Database, deletion: string, selection: string, before: number): Promise<void> {
  const statement = db.prepare(`${deletion} (SELECT ${selection} LIMIT ${CLEAN_UP_ROWS})`).bind(before);
  for (let count = 0; count < CLEAN_UP_STATEMENTS; count++) {
    const { meta } = await statement.run();
    if (meta.changes < CLEAN_UP_ROWS) return;
  }
}
