/** Terminals in D1. The terminal's object knows better: what it wrote here of binding and presence are copies. */
import { auditIf, type AuditEntry } from "./audit.ts";

export interface Terminal {
  terminalId: string;
  /** 1 = virtual terminal, 0 = other terminals. */
  isVT: 0 | 1;
  /** The merchant that the operator assigned it to, or null. */
  merchantId: string | null;
  name: string | null;
  status: "enrolled" | "retired";
  createdAt: number;
  /** The version of the secret that the last login was signed with; 0: none since the secret was made. */
  secretVersion: number;
  /** The account that it is bound to, or null. */
  boundPosId: string | null;
  /** Whether it may be connected. */
  connected: 0 | 1;
}

const COLUMNS = `terminal_id AS terminalId, is_vt AS isVT, merchant_id AS merchantId, name, status,
  created_at AS createdAt, secret_version AS secretVersion, bound_pos_id AS boundPosId, connected`;

export function findTerminal(db: D1Database, terminalId: string): Promise<Terminal | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM terminals WHERE terminal_id = ?`).bind(terminalId).first<Terminal>();
}

/** At most `limit` terminals after a terminalId, in the order of their ids, retired ones included. */
export async function listTerminals(db: D1Database, after: string, limit: number): Promise<Terminal[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM terminals WHERE terminal_id > ? ORDER BY terminal_id LIMIT ?`)
    .bind(after, limit)
    .all<Terminal>();
  return results;
}

/** All terminals that are bound to an account. */
export async function terminalsOf(db: D1Database, posId: string): Promise<Terminal[]> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM terminals WHERE bound_pos_id = ? AND status = 'enrolled' ORDER BY terminal_id`)
    .bind(posId)
    .all<Terminal>();
  return results;
}

/** Makes a terminal. False: there is one with this id, or was. */
export async function insertTerminal(
  db: D1Database,
  terminal: Pick<Terminal, "terminalId" | "isVT" | "merchantId" | "name" | "createdAt"> & { sealedUnder: string },
  audit: AuditEntry,
): Promise<boolean> {
  const { terminalId, isVT, merchantId, name, createdAt, sealedUnder } = terminal;
  const [, inserted] = await db.batch([
    auditIf(db, audit, "NOT EXISTS (SELECT 1 FROM terminals WHERE terminal_id = ?)", [terminalId]),
    db
      .prepare(
        `INSERT INTO terminals (terminal_id, is_vt, merchant_id, name, status, created_at, sealed_under)
         VALUES (?, ?, ?, ?, 'enrolled', ?, ?) ON CONFLICT DO NOTHING`,
      )
      .bind(terminalId, isVT, merchantId, name, createdAt, sealedUnder),
  ]);
  return inserted?.meta.changes === 1;
}

const ENROLLED = "EXISTS (SELECT 1 FROM terminals WHERE terminal_id = ? AND status = 'enrolled')";

/** Takes an enrolment back that its object did not take part in. */
export async function withdrawTerminal(db: D1Database, terminalId: string, audit: AuditEntry): Promise<void> {
  await db.batch([
    auditIf(db, audit, ENROLLED, [terminalId]),
    db.prepare("DELETE FROM terminals WHERE terminal_id = ?").bind(terminalId),
  ]);
}

/** Marks a terminal as retired that no object knows of. */
export async function retireTerminal(db: D1Database, terminalId: string, audit: AuditEntry): Promise<void> {
  await db.batch([
    auditIf(db, audit, ENROLLED, [terminalId]),
    db.prepare("UPDATE terminals SET status = 'retired' WHERE terminal_id = ?").bind(terminalId),
  ]);
}

/** Notes the version of the secret that a login was signed with, unless it was noted before. */
export async function noteSecretVersion(db: D1Database, terminal: Terminal, secretVersion: number): Promise<void> {
  if (terminal.secretVersion === secretVersion) return;
  await db
    .prepare("UPDATE terminals SET secret_version = ? WHERE terminal_id = ? AND secret_version = ?")
    .bind(secretVersion, terminal.terminalId, terminal.secretVersion)
    .run();
}

/** Enrolled terminals whose secret is not sealed under `kid`. */
export async function terminalsNotSealedUnder(db: D1Database, kid: string, limit: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT terminal_id AS terminalId FROM terminals
       WHERE sealed_under <> ? AND status = 'enrolled' ORDER BY terminal_id LIMIT ?`,
    )
    .bind(kid, limit)
    .all<{ terminalId: string }>();
  return results.map(({ terminalId }) => terminalId);
}

/** Notes the master key that a terminal's object has sealed its secret under. */
export async function noteSealedUnder(db: D1Database, terminalId: string, kid: string): Promise<void> {
  await db.prepare("UPDATE terminals SET sealed_under = ? WHERE terminal_id = ?").bind(kid, terminalId).run();
}
