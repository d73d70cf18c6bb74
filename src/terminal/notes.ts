/** The object's notes to D1: copies for listings. Written after the fact, in order, and repeated until they are there. */
import { auditIf } from "../storage/audit.ts";
import type { TerminalRecord } from "./record.ts";

/** What D1 should say of this terminal now. */
export interface Note {
  posId: string | null;
  bindingVersion: number;
  /** D1 has not been told of this binding yet. */
  bindingIsNew: boolean;
  connected: boolean;
  connection: number;
}

/** The note that is due, or null when D1 has been told everything. A disconnect is noted only when it is due. */
export function dueNote(record: TerminalRecord, connected: boolean, disconnectIsDue: boolean): Note | null {
  const noteConnected = connected || (record.notedConnected && !disconnectIsDue);
  const connection = connected ? record.connections : record.notedConnection;
  const nothingNew =
    record.notedBindingVersion === record.bindingVersion &&
    record.notedConnected === noteConnected &&
    record.notedConnection === connection;
  if (nothingNew) return null;
  return {
    posId: record.binding?.posId ?? null,
    bindingVersion: record.bindingVersion,
    bindingIsNew: record.notedBindingVersion !== record.bindingVersion,
    connected: noteConnected,
    connection,
  };
}

/**
 * A note only overwrites an older one, so one that comes late does no harm. A new account behind the terminal leaves a
 * row in the audit log, however it came there; the end of a binding is logged by who ended it.
 */
export async function writeNote(database: D1Database, terminalId: string, note: Note, now: number): Promise<void> {
  const update = database
    .prepare(
      `UPDATE terminals SET
         bound_pos_id = CASE WHEN binding_version <= ?2 THEN ?1 ELSE bound_pos_id END,
         binding_version = MAX(binding_version, ?2),
         connected = CASE WHEN connection_number <= ?4 THEN ?3 ELSE connected END,
         connection_number = MAX(connection_number, ?4)
       WHERE terminal_id = ?5`,
    )
    .bind(note.posId, note.bindingVersion, note.connected ? 1 : 0, note.connection, terminalId);
  if (note.posId === null || !note.bindingIsNew) {
    await update.run();
    return;
  }
  const { posId, bindingVersion } = note;
  const bound = auditIf(
    database,
    { at: now, actor: `terminal:${terminalId}`, action: "terminal.bind", target: terminalId, details: { posId } },
    "EXISTS (SELECT 1 FROM terminals WHERE terminal_id = ? AND binding_version < ? AND bound_pos_id IS NOT ?)",
    [terminalId, bindingVersion, posId],
  );
  await database.batch([bound, update]);
}

/**
 * Reserves the next block of transaction numbers for this object; returns its first number. Never one below `least`, the
 * end of the object's last block: one terminal's numbers only grow, even when D1 was restored to an earlier time.
 */
export async function reserveNumbers(database: D1Database, size: number, least: number): Promise<number> {
  const next = await database
    .prepare("UPDATE transaction_numbers SET next = MAX(next, ?2) + ?1 WHERE only = 1 RETURNING next")
    .bind(size, least)
    .first<number>("next");
  if (next === null) throw new Error("transaction_numbers has no row: apply the migrations");
  return next - size;
}
