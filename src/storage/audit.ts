/** The audit log: who changed what, and when. */
import type { AuditAction } from "./audit-actions.ts";

export type { AuditAction };

export interface AuditEntry {
  /** Epoch milliseconds. */
  at: number;
  /** An operator's name, `account:` and a posId, `terminal:` and a terminalId; `nobody` of an unknown token. */
  actor: string;
  action: AuditAction;
  /** A posId, a terminalId, a channel's name, or the address of somebody who was refused. */
  target: string;
  /** What the change was, without any secret (I6). */
  details: Record<string, string | number | boolean | string[]>;
}

/** A row of an object's outbox. */
export interface NumberedAuditEntry extends AuditEntry {
  /** The object's own number of it, which it never uses again. */
  number: number;
}

export interface AuditRow extends Omit<AuditEntry, "details"> {
  id: number;
  /** A JSON object. */
  details: string;
}

/** The statement that writes an entry. */
export function audit(db: D1Database, entry: AuditEntry): D1PreparedStatement {
  return auditIf(db, entry, "1", []);
}

/**
 * The statement that writes an entry where `condition` holds. It stands in front of the change in the same batch, with
 * the change's own condition: both happen or neither does.
 */
export function auditIf(
  db: D1Database,
  { at, actor, action, target, details }: AuditEntry,
  condition: string,
  values: unknown[],
): D1PreparedStatement {
  return db
    .prepare(`INSERT INTO audit_log (at, actor, action, target, details) SELECT ?, ?, ?, ?, ? WHERE ${condition}`)
    .bind(at, actor, action, target, JSON.stringify(details), ...values);
}

/** The statement that writes a row of an object's outbox, unless the log has it already. */
export function auditOnce(
  db: D1Database,
  object: string,
  { number, at, actor, action, target, details }: NumberedAuditEntry,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO audit_log (at, actor, action, target, details, object, outbox_number)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .bind(at, actor, action, target, JSON.stringify(details), object, number);
}

/** At most `limit` entries with a lower id than `before`, the newest first. */
export async function listAudit(db: D1Database, before: number, limit: number): Promise<AuditRow[]> {
  const { results } = await db
    .prepare("SELECT id, at, actor, action, target, details FROM audit_log WHERE id < ? ORDER BY id DESC LIMIT ?")
    .bind(before, limit)
    .all<AuditRow>();
  return results;
}
