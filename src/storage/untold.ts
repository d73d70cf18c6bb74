/**
 * Objects whose note to D1 failed: for what keeps one object's notes from being written, such as a statement that D1
 * refuses, while D1 itself is there. An object retries, and notes it each time.
 */
import { MINUTE } from "../time/units.ts";

/** What has not failed again for this long was told, or its object forgot. */
const CURRENT = 10 * MINUTE;

/** What an object is called here, in the audit log, and by others that have something to tell it. */
export function accountObject(posId: string): string {
  return `account:${posId}`;
}

export function terminalObject(terminalId: string): string {
  return `terminal:${terminalId}`;
}

/** @param object `terminal:` and a terminalId, `account:` and a posId @param since the oldest change that is missing */
export async function noteUntold(db: D1Database, object: string, since: number, now: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO untold (object, since, noted_at) VALUES (?, ?, ?)
       ON CONFLICT (object) DO UPDATE SET noted_at = excluded.noted_at`,
    )
    .bind(object, since, now)
    .run();
}

/** The statement of a note that is written: nothing of its object is missing any more. */
export function allTold(db: D1Database, object: string): D1PreparedStatement {
  return db.prepare("DELETE FROM untold WHERE object = ?").bind(object);
}

/** When the oldest change was made that D1 lacks, as `oldest`: epoch milliseconds or null. */
export function oldestUntold(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("SELECT MIN(since) AS oldest FROM untold WHERE noted_at > ?").bind(now - CURRENT);
}
