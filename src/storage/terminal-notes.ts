/** What a terminal's object writes to D1: copies for lists, and the rows of its outbox. */
import { delivered, terminalObject } from "./undelivered.ts";
import type { NumberBlock } from "../keeper/calls.ts";
import { noteBlock } from "./number-blocks.ts";
import { auditOnce, type NumberedAuditEntry } from "./audit.ts";

/** What D1 should say about this terminal now. */
export interface TerminalNote {
  posId: string | null;
  bindingVersion: number;
  connected: boolean;
  connection: number;
  /** When the last connection ended, and its last activity: epoch milliseconds. */
  offlineSince: number | null;
  lastHeartbeat: number | null;
  retired: boolean;
  /** A secret that D1 does not know: its version, and the kid of the master key that seals it. */
  newSecret: { version: number; sealedUnder: string | null } | null;
  /** Transaction numbers that the terminal holds, if D1 does not know all of them, and the time of this note. */
  blocks: readonly NumberBlock[];
  at: number;
}

/**
 * Writes all of it, or nothing. A note only overwrites an older one, so a late or repeated one does no harm: a binding and
 * a connection have growing numbers, retirement is final, and a noted login with the new secret or a newer one stays.
 *
 * @param audit rows of the object's outbox, in order; the log accepts each once
 */
export async function writeTerminalNote(
  database: D1Database,
  terminalId: string,
  {
    posId,
    bindingVersion,
    connected,
    connection,
    offlineSince,
    lastHeartbeat,
    retired,
    newSecret,
    blocks,
    at,
  }: TerminalNote,
  audit: readonly NumberedAuditEntry[],
): Promise<void> {
  const update = database
    .prepare(
      `UPDATE terminals SET
         bound_pos_id = CASE WHEN binding_version <= ?2 THEN ?1 ELSE bound_pos_id END,
         binding_version = MAX(binding_version, ?2),
         connected = CASE WHEN connection_number <= ?4 THEN ?3 ELSE connected END,
         offline_since = CASE WHEN connection_number <= ?4 THEN ?9 ELSE offline_since END,
         last_heartbeat = CASE WHEN connection_number <= ?4 THEN COALESCE(?10, last_heartbeat) ELSE last_heartbeat END,
         connection_number = MAX(connection_number, ?4),
         status = CASE WHEN ?6 = 1 THEN 'retired' ELSE status END,
         secret_version = CASE WHEN secret_version < ?7 THEN 0 ELSE secret_version END,
         sealed_under = COALESCE(?8, sealed_under)
       WHERE terminal_id = ?5`,
    )
    .bind(
      posId,
      bindingVersion,
      connected ? 1 : 0,
      connection,
      terminalId,
      retired ? 1 : 0,
      newSecret?.version ?? 0,
      newSecret?.sealedUnder ?? null,
      offlineSince,
      lastHeartbeat,
    );
  const object = terminalObject(terminalId);
  const rows = audit.map((entry) => auditOnce(database, object, entry));
  const numbers = blocks.map((block) => noteBlock(database, terminalId, block, at));
  await database.batch([...rows, update, ...numbers, delivered(database, object)]);
}
