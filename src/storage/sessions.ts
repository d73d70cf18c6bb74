/** Sessions in D1: one per login, with the ingredients of its current token pair. */
import type { PairIngredients } from "../keys/token-pair.ts";

/** `repeated`: the pair that this refresh token was already exchanged for. */
export type Rotation = { kind: "rotated" | "repeated"; pair: PairIngredients } | { kind: "revoked" };

const PAIR_COLUMNS = `kid, timezone, issued_at AS issuedAt, access_id AS accessId,
  access_expires_at AS accessExpiresAt, refresh_id AS refreshId, expires_at AS refreshExpiresAt`;

/**
 * Opens a session for an account that is active and still has the password that was checked. False: not any more, as
 * it was changed while the password was being hashed.
 */
export async function insertSession(
  db: D1Database,
  session: { sessionId: string; posId: string; passwordHash: string; pair: PairIngredients; now: number },
): Promise<boolean> {
  const { sessionId, posId, passwordHash, pair, now } = session;
  const { meta } = await db
    .prepare(
      `INSERT INTO sessions (session_id, pos_id, created_at, kid, timezone, issued_at, access_id, access_expires_at,
         refresh_id, expires_at)
       SELECT ?, pos_id, ?, ?, ?, ?, ?, ?, ?, ? FROM accounts
       WHERE pos_id = ? AND status = 'active' AND password_hash = ?`,
    )
    .bind(
      sessionId,
      now,
      pair.kid,
      pair.timezone,
      pair.issuedAt,
      pair.accessId,
      pair.accessExpiresAt,
      pair.refreshId,
      pair.refreshExpiresAt,
      posId,
      passwordHash,
    )
    .run();
  return meta.changes === 1;
}

/**
 * Exchanges a refresh token (RFC 9700, 4.14.2). The one conditional update decides: of any number of refreshes with the
 * same token one puts its pair in place, the others find theirs exchanged and get that same pair, for `repeatFor`
 * milliseconds. A token that was exchanged longer ago, or before another exchange, has leaked or was kept too long: it
 * ends the session.
 */
export async function rotateSession(
  db: D1Database,
  sessionId: string,
  refreshId: string,
  pair: PairIngredients,
  now: number,
  repeatFor: number,
): Promise<Rotation> {
  const rotated = await db
    .prepare(
      `UPDATE sessions SET previous_refresh_id = refresh_id, rotated_at = ?, kid = ?, timezone = ?, issued_at = ?,
         access_id = ?, access_expires_at = ?, refresh_id = ?, expires_at = ?
       WHERE session_id = ? AND refresh_id = ? AND revoked_at IS NULL`,
    )
    .bind(
      now,
      pair.kid,
      pair.timezone,
      pair.issuedAt,
      pair.accessId,
      pair.accessExpiresAt,
      pair.refreshId,
      pair.refreshExpiresAt,
      sessionId,
      refreshId,
    )
    .run();
  if (rotated.meta.changes === 1) return { kind: "rotated", pair };

  const repeated = await db
    .prepare(
      `SELECT ${PAIR_COLUMNS} FROM sessions
       WHERE session_id = ? AND previous_refresh_id = ? AND rotated_at >= ? AND revoked_at IS NULL`,
    )
    .bind(sessionId, refreshId, now - repeatFor)
    .first<PairIngredients>();
  if (repeated !== null) return { kind: "repeated", pair: repeated };

  await revokeSession(db, sessionId, now);
  return { kind: "revoked" };
}

/** Ends a session; one that has ended keeps its time. */
export async function revokeSession(db: D1Database, sessionId: string, now: number): Promise<void> {
  await db
    .prepare("UPDATE sessions SET revoked_at = ? WHERE session_id = ? AND revoked_at IS NULL")
    .bind(now, sessionId)
    .run();
}

/** The statement that ends all sessions of an account. */
export function revokeSessions(db: D1Database, posId: string, now: number): D1PreparedStatement {
  return db.prepare("UPDATE sessions SET revoked_at = ? WHERE pos_id = ? AND revoked_at IS NULL").bind(now, posId);
}
