/** Bind keys in D1, as digests. */
import type { AccountStatus } from "../rpc/standing.ts";

/** The same key's digests with every accepted master key: the one that created it may no longer be the current one. */
export type Digests = readonly string[];

export interface NewBindKey {
  digest: string;
  kid: string;
  posId: string;
  expiresAt: number;
}

/**
 * Adds a key and retires the account's oldest open ones, until `openKeys` are left. False: another key has this digest;
 * draw again.
 */
export async function insertBindKey(db: D1Database, key: NewBindKey, now: number, openKeys: number): Promise<boolean> {
  const [inserted] = await db.batch([
    db
      .prepare("INSERT INTO bind_keys (digest, kid, pos_id, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(key.digest, key.kid, key.posId, key.expiresAt),
    db
      .prepare(
        `DELETE FROM bind_keys WHERE pos_id = ?1 AND used_by IS NULL AND id NOT IN (
           SELECT id FROM bind_keys WHERE pos_id = ?1 AND used_by IS NULL AND expires_at > ?2 ORDER BY id DESC LIMIT ?3)`,
      )
      .bind(key.posId, now, openKeys),
  ]);
  return inserted?.meta.changes === 1;
}

/** A bind key with the members of its account that matter. */
export interface FoundBindKey {
  id: number;
  expiresAt: number;
  usedBy: string | null;
  completedAt: number | null;
  posId: string;
  merchantId: string;
  currency: string;
  timezone: string;
  status: AccountStatus;
}

export function findBindKey(db: D1Database, digests: Digests): Promise<FoundBindKey | null> {
  return db
    .prepare(
      `SELECT k.id, k.expires_at AS expiresAt, k.used_by AS usedBy, k.completed_at AS completedAt, k.pos_id AS posId,
         a.merchant_id AS merchantId, a.currency, a.timezone, a.status
       FROM bind_keys k JOIN accounts a ON a.pos_id = k.pos_id WHERE k.digest IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(digests))
    .first<FoundBindKey>();
}

/** Claims an open key for a terminal. If two terminals use the same key, exactly one gets true. */
export async function claimBindKey(db: D1Database, id: number, terminalId: string, now: number): Promise<boolean> {
  const { meta } = await db
    .prepare("UPDATE bind_keys SET used_by = ? WHERE id = ? AND used_by IS NULL AND expires_at > ?")
    .bind(terminalId, id, now)
    .run();
  return meta.changes === 1;
}

/** Releases a claimed key, unless the terminal was bound with it meanwhile. */
export async function giveBackBindKey(db: D1Database, id: number, terminalId: string): Promise<void> {
  await db
    .prepare("UPDATE bind_keys SET used_by = NULL WHERE id = ? AND used_by = ? AND completed_at IS NULL")
    .bind(id, terminalId)
    .run();
}

/**
 * Records that the terminal is bound. False: the account was deleted meanwhile. As with any unbinding, the terminal leaves
 * the prebind list of its previous account.
 */
export async function completeBindKey(
  db: D1Database,
  key: Pick<FoundBindKey, "id" | "posId">,
  { terminalId, previousPosId }: { terminalId: string; previousPosId: string | null },
  now: number,
): Promise<boolean> {
  const statements = [
    db
      .prepare(
        `UPDATE bind_keys SET completed_at = COALESCE(completed_at, ?)
         WHERE id = ? AND EXISTS (SELECT 1 FROM accounts WHERE pos_id = ? AND status <> 'deleted')`,
      )
      .bind(now, key.id, key.posId),
  ];
  if (previousPosId !== null && previousPosId !== key.posId) {
    statements.push(
      db.prepare("DELETE FROM prebound_terminals WHERE pos_id = ? AND terminal_id = ?").bind(previousPosId, terminalId),
    );
  }
  const [completed] = await db.batch(statements);
  return completed?.meta.changes === 1;
}
