import type { AccountStatus } from "../account/rpc.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** The digests under every accepted master key: the one that created the bind key may no longer be the current one. */
export type Digests = readonly string[];

interface NewBindKey {
  digest: string;
  kid: string;
  posId: string;
  expiresAt: EpochMs;
}

/**
 * Retires the account's oldest open keys, until `openKeys` are left. Returns false if another key has this digest: draw
 * again.
 */
export async function insertBindKey(db: D1Database, key: NewBindKey, now: EpochMs, openKeys: number): Promise<boolean> {
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

export interface FoundBindKey {
  id: number;
  expiresAt: EpochMs;
  usedBy: string | null;
  completedAt: EpochMs | null;
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

/** If two terminals use the same key, exactly one gets true. */
export async function claimBindKey(db: D1Database, id: number, terminalId: string, now: EpochMs): Promise<boolean> {
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
 * Returns false if the account was deleted meanwhile. As with any unbinding, the terminal leaves the prebind list of
 * its previous account.
 */
export async function completeBindKey(
  db: D1Database,
  key: Pick<FoundBindKey, "id" | "posId">,
  { terminalId, previousPosId }: { terminalId: string; previousPosId: string | null },
  now: EpochMs,
): Promise<boolean> {
  const [completed] = await db.batch([
    db
      .prepare(
        `UPDATE bind_keys SET completed_at = COALESCE(completed_at, ?)
         WHERE id = ? AND EXISTS (SELECT 1 FROM accounts WHERE pos_id = ? AND status <> 'deleted')`,
      )
      .bind(now, key.id, key.posId),
    db
      .prepare("DELETE FROM prebound_terminals WHERE pos_id = ? AND pos_id <> ? AND terminal_id = ?")
      .bind(previousPosId, key.posId, terminalId),
  ]);
  return completed?.meta.changes === 1;
}

/** Returns the list in the account's order. */
export async function listPrebound(db: D1Database, posId: string): Promise<string[]> {
  const { results } = await preboundStatement(db, posId).all<{ terminalId: string }>();
  return results.map(({ terminalId }) => terminalId);
}

/** Returns the previous list. */
export async function replacePrebound(db: D1Database, posId: string, terminalIds: string[]): Promise<string[]> {
  const [before] = await db.batch<{ terminalId: string }>([
    preboundStatement(db, posId),
    db.prepare("DELETE FROM prebound_terminals WHERE pos_id = ?").bind(posId),
    db
      .prepare(`INSERT INTO prebound_terminals (pos_id, terminal_id, position) SELECT ?, value, key FROM json_each(?)`)
      .bind(posId, JSON.stringify(terminalIds)),
  ]);
  return before?.results.map(({ terminalId }) => terminalId) ?? [];
}

/** A terminal on an account's list. */
export interface ListEntry {
  posId: string;
  terminalId: string;
  position: number;
}

/** Returns what `putBackOnList` needs, or null if the terminal is not on the list. */
export async function takeOffList(db: D1Database, posId: string, terminalId: string): Promise<ListEntry | null> {
  return db
    .prepare(
      `DELETE FROM prebound_terminals WHERE pos_id = ? AND terminal_id = ?
       RETURNING pos_id AS posId, terminal_id AS terminalId, position`,
    )
    .bind(posId, terminalId)
    .first<ListEntry>();
}

export async function putBackOnList(db: D1Database, { posId, terminalId, position }: ListEntry): Promise<void> {
  await db
    .prepare("INSERT INTO prebound_terminals (pos_id, terminal_id, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    .bind(posId, terminalId, position)
    .run();
}

interface Match {
  terminalId: string;
  posId: string;
  merchantId: string;
  currency: string;
  timezone: string;
}

/**
 * Returns which of these terminals to bind, and to which account. A terminal must be enrolled, unbound, assigned to a
 * merchant, and on the list of exactly one account of that merchant. A suspended account counts, because it may come
 * back, but gets none.
 */
export async function matchPrebound(db: D1Database, terminalIds: string[]): Promise<Match[]> {
  const { results } = await db
    .prepare(
      `SELECT t.terminal_id AS terminalId, a.pos_id AS posId, a.merchant_id AS merchantId, a.currency, a.timezone
       FROM json_each(?) AS wanted
       JOIN terminals t ON t.terminal_id = wanted.value AND t.status = 'enrolled' AND t.bound_pos_id IS NULL
       JOIN prebound_terminals p ON p.terminal_id = t.terminal_id
       JOIN accounts a ON a.pos_id = p.pos_id AND a.merchant_id = t.merchant_id AND a.status <> 'deleted'
       GROUP BY t.terminal_id HAVING COUNT(*) = 1 AND MIN(a.status) = 'active'`,
    )
    .bind(JSON.stringify(terminalIds))
    .all<Match>();
  return results;
}

export interface PrebindListItem {
  terminalId: string;
  /** Whether the operator has enrolled the terminal and assigned it to the account's merchant. */
  isAssigned: boolean;
  boundPosId: string | null;
  isContested: boolean;
}

/** Returns the terminals in the account's order, with their present state. */
export async function readPrebindList(db: D1Database, posId: string): Promise<PrebindListItem[]> {
  const { results } = await db
    .prepare(
      `SELECT p.terminal_id AS terminalId, COALESCE(t.merchant_id = a.merchant_id, 0) AS isAssigned, t.bound_pos_id AS boundPosId,
         EXISTS (
           SELECT 1 FROM prebound_terminals q JOIN accounts b ON b.pos_id = q.pos_id
           WHERE q.terminal_id = p.terminal_id AND q.pos_id <> a.pos_id AND b.merchant_id = a.merchant_id
             AND b.status <> 'deleted'
         ) AS isContested
       FROM prebound_terminals p
       JOIN accounts a ON a.pos_id = p.pos_id
       LEFT JOIN terminals t ON t.terminal_id = p.terminal_id AND t.status = 'enrolled'
       WHERE p.pos_id = ? ORDER BY p.position`,
    )
    .bind(posId)
    .all<{ terminalId: string; isAssigned: 0 | 1; boundPosId: string | null; isContested: 0 | 1 }>();
  return results.map((row) => ({
    ...row,
    isAssigned: row.isAssigned === 1,
    isContested: row.isContested === 1,
  }));
}

function preboundStatement(db: D1Database, posId: string): D1PreparedStatement {
  return db
    .prepare("SELECT terminal_id AS terminalId FROM prebound_terminals WHERE pos_id = ? ORDER BY position")
    .bind(posId);
}

/** Tokens are not counted: they end with the account's next midnight. */

interface MasterKeyUse {
  kid: string;
  /** The number of accounts, by their signing keys. */
  accounts: number;
  /** The number of enrolled terminals, by their secrets. */
  terminals: number;
  /** The number of bind keys, which expire in minutes. */
  bindKeys: number;
  /** The number of activation codes, which expire in days. */
  activationCodes: number;
}

export async function countByMasterKey(db: D1Database, now: EpochMs): Promise<MasterKeyUse[]> {
  const { results } = await db
    .prepare(
      `SELECT kid, SUM(kind = 'a') AS accounts, SUM(kind = 't') AS terminals, SUM(kind = 'b') AS bindKeys,
         SUM(kind = 'c') AS activationCodes
       FROM (
         SELECT sealed_under AS kid, 'a' AS kind FROM accounts
         UNION ALL SELECT sealed_under, 't' FROM terminals WHERE status = 'enrolled'
         UNION ALL SELECT kid, 'b' FROM bind_keys WHERE expires_at > ?1
         UNION ALL SELECT kid, 'c' FROM activation_codes WHERE expires_at > ?1
       ) GROUP BY kid ORDER BY kid`,
    )
    .bind(now)
    .all<MasterKeyUse>();
  return results;
}
