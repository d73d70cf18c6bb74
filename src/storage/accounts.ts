/** Accounts in D1. A deleted account stays: its posId is never given to anybody else. */
import { auditIf, type AuditEntry } from "./audit.ts";
import { revokeSessions } from "./sessions.ts";

export type AccountStatus = "active" | "suspended" | "deleted";

export interface Account {
  posId: string;
  merchantId: string;
  currency: string;
  timezone: string;
  name: string | null;
  status: AccountStatus;
  createdAt: number;
}

/** An account as a token's session sees it. */
export interface AccountStanding extends Account {
  /** Null where the account has no such session. */
  sessionId: string | null;
  sessionRevokedAt: number | null;
}

/** The account's keys, sealed. */
export interface SealedKeys {
  signingKey: string;
  previousSigningKey: string | null;
  previousSigningKeyUntil: number | null;
}

/** What an operator can change. Undefined: stays as it is. */
export interface AccountChanges {
  status?: "active" | "suspended" | undefined;
  passwordHash?: string | undefined;
  merchantId?: string | undefined;
  currency?: string | undefined;
  timezone?: string | undefined;
  name?: string | undefined;
}

const COLUMNS = `a.pos_id AS posId, a.merchant_id AS merchantId, a.currency, a.timezone, a.name, a.status,
  a.created_at AS createdAt`;

export function findAccount(db: D1Database, posId: string): Promise<Account | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM accounts a WHERE a.pos_id = ?`).bind(posId).first<Account>();
}

export function findAccountWithPassword(
  db: D1Database,
  posId: string,
): Promise<(Account & { passwordHash: string }) | null> {
  return db
    .prepare(`SELECT ${COLUMNS}, a.password_hash AS passwordHash FROM accounts a WHERE a.pos_id = ?`)
    .bind(posId)
    .first();
}

/** The account of a token and the token's session, in one query. */
export function findStanding(db: D1Database, posId: string, sessionId: string): Promise<AccountStanding | null> {
  return db
    .prepare(
      `SELECT ${COLUMNS}, s.session_id AS sessionId, s.revoked_at AS sessionRevokedAt
       FROM accounts a LEFT JOIN sessions s ON s.session_id = ? AND s.pos_id = a.pos_id WHERE a.pos_id = ?`,
    )
    .bind(sessionId, posId)
    .first();
}

/** At most `limit` accounts after a posId, in the order of their posIds. */
export async function listAccounts(db: D1Database, after: string, limit: number): Promise<Account[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM accounts a WHERE a.pos_id > ? ORDER BY a.pos_id LIMIT ?`)
    .bind(after, limit)
    .all<Account>();
  return results;
}

/** Makes an account. False: there is one with this posId, or was. */
export async function insertAccount(
  db: D1Database,
  account: Account,
  secrets: { passwordHash: string; sealedSigningKey: string; sealedUnder: string },
  audit: AuditEntry,
): Promise<boolean> {
  const { posId, merchantId, currency, timezone, name, status, createdAt } = account;
  const [, inserted] = await db.batch([
    auditIf(db, audit, "NOT EXISTS (SELECT 1 FROM accounts WHERE pos_id = ?)", [posId]),
    db
      .prepare(
        `INSERT INTO accounts (pos_id, merchant_id, currency, timezone, name, status, password_hash, signing_key,
           sealed_under, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      )
      .bind(
        posId,
        merchantId,
        currency,
        timezone,
        name,
        status,
        secrets.passwordHash,
        secrets.sealedSigningKey,
        secrets.sealedUnder,
        createdAt,
      ),
  ]);
  return inserted?.meta.changes === 1;
}

const NOT_DELETED = "EXISTS (SELECT 1 FROM accounts WHERE pos_id = ? AND status <> 'deleted')";

/** Changes an account; a new password and a suspension end its sessions with it. False: not there, or deleted. */
export async function changeAccount(
  db: D1Database,
  posId: string,
  changes: AccountChanges,
  audit: AuditEntry,
): Promise<boolean> {
  const { status, passwordHash, merchantId, currency, timezone, name } = changes;
  const endsSessions = status === "suspended" || passwordHash !== undefined;
  const [, changed] = await db.batch([
    auditIf(db, audit, NOT_DELETED, [posId]),
    db
      .prepare(
        `UPDATE accounts SET status = COALESCE(?, status), password_hash = COALESCE(?, password_hash),
           merchant_id = COALESCE(?, merchant_id), currency = COALESCE(?, currency),
           timezone = COALESCE(?, timezone), name = COALESCE(?, name)
         WHERE pos_id = ? AND status <> 'deleted'`,
      )
      .bind(...[status, passwordHash, merchantId, currency, timezone, name].map((value) => value ?? null), posId),
    ...(endsSessions ? [revokeSessions(db, posId, audit.at)] : []),
  ]);
  return changed?.meta.changes === 1;
}

/** Marks an account as deleted and forgets its sessions, open bind keys and prebind list. False: it already was. */
export async function deleteAccount(db: D1Database, posId: string, audit: AuditEntry): Promise<boolean> {
  const [, deleted] = await db.batch([
    auditIf(db, audit, NOT_DELETED, [posId]),
    db.prepare("UPDATE accounts SET status = 'deleted' WHERE pos_id = ? AND status <> 'deleted'").bind(posId),
    revokeSessions(db, posId, audit.at),
    db.prepare("DELETE FROM bind_keys WHERE pos_id = ? AND used_by IS NULL").bind(posId),
    db.prepare("DELETE FROM prebound_terminals WHERE pos_id = ?").bind(posId),
  ]);
  return deleted?.meta.changes === 1;
}

const KEY_COLUMNS = `signing_key AS signingKey, previous_signing_key AS previousSigningKey,
  previous_signing_key_until AS previousSigningKeyUntil`;

export function findSealedKeys(
  db: D1Database,
  posId: string,
): Promise<(SealedKeys & { status: AccountStatus }) | null> {
  return db.prepare(`SELECT status, ${KEY_COLUMNS} FROM accounts WHERE pos_id = ?`).bind(posId).first();
}

/**
 * Puts new sealed keys in the place of those that were read. False: somebody else has changed them since; read again.
 * Without `audit` it is the same keys sealed anew, which is no change.
 */
export async function replaceSealedKeys(
  db: D1Database,
  posId: string,
  before: SealedKeys,
  after: SealedKeys & { sealedUnder: string },
  audit?: AuditEntry,
): Promise<boolean> {
  const condition = "pos_id = ? AND signing_key = ? AND previous_signing_key IS ?";
  const values = [posId, before.signingKey, before.previousSigningKey];
  const update = db
    .prepare(
      `UPDATE accounts SET signing_key = ?, previous_signing_key = ?, previous_signing_key_until = ?, sealed_under = ?
       WHERE ${condition}`,
    )
    .bind(after.signingKey, after.previousSigningKey, after.previousSigningKeyUntil, after.sealedUnder, ...values);
  const statements =
    audit === undefined
      ? [update]
      : [auditIf(db, audit, `EXISTS (SELECT 1 FROM accounts WHERE ${condition})`, values), update];
  return (await db.batch(statements)).at(-1)?.meta.changes === 1;
}

/** Accounts whose keys are not sealed under `kid`. */
export async function accountsNotSealedUnder(
  db: D1Database,
  kid: string,
  limit: number,
): Promise<(SealedKeys & { posId: string })[]> {
  const { results } = await db
    .prepare(`SELECT pos_id AS posId, ${KEY_COLUMNS} FROM accounts WHERE sealed_under <> ? ORDER BY pos_id LIMIT ?`)
    .bind(kid, limit)
    .all<SealedKeys & { posId: string }>();
  return results;
}
