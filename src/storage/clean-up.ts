/** The daily clean-up: what has expired leaves D1, in bounded steps, so that no statement holds up a payment. */
import { AUDIT_LIFE, CLAIMS_WALK_ROWS, CLAIMS_WALK_STEPS, CLEAN_UP_ROWS, CLEAN_UP_STATEMENTS } from "./limits.ts";
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";

/** Deletes what has expired at `now` (epoch milliseconds). What one run does not reach, the next one does. */
export async function cleanUp(db: D1Database, now: number): Promise<void> {
  await deleteExpired(
    db,
    "DELETE FROM sessions WHERE session_id IN",
    "session_id FROM sessions WHERE expires_at <= ?",
    now,
  );
  await deleteExpired(db, "DELETE FROM bind_keys WHERE id IN", "id FROM bind_keys WHERE expires_at <= ?", now);
  await deleteExpired(db, "DELETE FROM audit_log WHERE id IN", "id FROM audit_log WHERE at <= ?", now - AUDIT_LIFE);
  await walkClaims(db, now - JOURNAL_LIFE);
}

async function deleteExpired(db: D1Database, deletion: string, selection: string, before: number): Promise<void> {
  const statement = db.prepare(`${deletion} (SELECT ${selection} LIMIT ${CLEAN_UP_ROWS})`).bind(before);
  for (let count = 0; count < CLEAN_UP_STATEMENTS; count++) {
    const { meta } = await statement.run();
    if (meta.changes < CLEAN_UP_ROWS) return;
  }
}

interface Place {
  posId: string;
  referenceId: string;
}

/**
 * Goes on through the reference registry, in the order of its key, where the last run stopped, and deletes the claims
 * made before `before`. At the end it starts again. An index on the time would make this one query, and every payment
 * write a second row.
 */
async function walkClaims(db: D1Database, before: number): Promise<void> {
  for (let step = 0; step < CLAIMS_WALK_STEPS; step++) {
    const from = await db
      .prepare("SELECT pos_id AS posId, reference_id AS referenceId FROM claims_walk WHERE only = 1")
      .first<Place>();
    if (from === null) throw new Error("claims_walk has no row: apply the migrations");
    const to = await db
      .prepare(
        `SELECT pos_id AS posId, reference_id AS referenceId FROM reference_claims
         WHERE (pos_id, reference_id) > (?, ?) ORDER BY pos_id, reference_id LIMIT 1 OFFSET ?`,
      )
      .bind(from.posId, from.referenceId, CLAIMS_WALK_ROWS - 1)
      .first<Place>();
    await deleteClaims(db, from, to, before);
    const next = to ?? { posId: "", referenceId: "" };
    await db
      .prepare("UPDATE claims_walk SET pos_id = ?, reference_id = ? WHERE only = 1")
      .bind(next.posId, next.referenceId)
      .run();
    if (to === null) return;
  }
}

/** Deletes the old claims after `from`, up to and including `to`, or up to the end. */
async function deleteClaims(db: D1Database, from: Place, to: Place | null, before: number): Promise<void> {
  const upTo = to === null ? "" : "AND (pos_id, reference_id) <= (?, ?)";
  const statement = db
    .prepare(
      `DELETE FROM reference_claims WHERE (pos_id, reference_id) IN (
         SELECT pos_id, reference_id FROM reference_claims
         WHERE (pos_id, reference_id) > (?, ?) ${upTo} AND claimed_at < ? LIMIT ${CLEAN_UP_ROWS})`,
    )
    .bind(from.posId, from.referenceId, ...(to === null ? [] : [to.posId, to.referenceId]), before);
  for (;;) {
    const { meta } = await statement.run();
    if (meta.changes < CLEAN_UP_ROWS) return;
  }
}
