import { writeRow } from "./upsert.ts";
import { HOUR, MINUTE, type EpochMs } from "../../protocol/time/units.ts";
import { auditIf } from "./audit.ts";
import { NO_OBJECT } from "./terminals.ts";
import type { NumberBlock } from "../coordinator/rpc.ts";

export type ObjectKind = "account" | "terminal";

const TABLES = {
  account: { table: "accounts", id: "pos_id", end: "status = 'deleted'", action: "account.delete" },
  terminal: {
    table: "terminals",
    id: "terminal_id",
    end: `status = 'retired', version = ${NO_OBJECT}`,
    action: "terminal.retire",
  },
} as const;

/** Lists the ids of the next objects, in their order. */
export async function listObjects(db: D1Database, kind: ObjectKind, after: string, limit: number): Promise<string[]> {
  const { table, id } = TABLES[kind];
  const { results } = await db
    .prepare(`SELECT ${id} AS id FROM ${table} WHERE ${id} > ? ORDER BY ${id} LIMIT ?`)
    .bind(after, limit)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}

/** An enrolment writes its row before it makes the object. */
const BEING_MADE = HOUR;

/**
 * No object confirms the row: D1 was restored to a time at which it had one. The row stays, as one that has ended, with
 * an audit row. Such a terminal can be enrolled again.
 */
export async function markMissing(db: D1Database, kind: ObjectKind, id: string, now: EpochMs): Promise<void> {
  const { table, id: column, end, action } = TABLES[kind];
  const row = `${column} = ? AND status NOT IN ('deleted', 'retired') AND created_at < ?`;
  const values = [id, now - BEING_MADE];
  const entry = { at: now, actor: "resync", action, target: id, details: { reason: "No object has this id." } };
  await db.batch([
    auditIf(db, entry, `EXISTS (SELECT 1 FROM ${table} WHERE ${row})`, values),
    db.prepare(`UPDATE ${table} SET ${end} WHERE ${row}`).bind(...values),
  ]);
}

/** The object's name here, in the audit log, and in the outboxes of other objects. */
export function accountObject(posId: string): string {
  return `account:${posId}`;
}

export function terminalObject(terminalId: string): string {
  return `terminal:${terminalId}`;
}

/** @param name as `accountObject` or `terminalObject` returns it */
export function readObjectName(name: string): { kind: ObjectKind; id: string } {
  return { kind: name.startsWith(accountObject("")) ? "account" : "terminal", id: name.slice(name.indexOf(":") + 1) };
}

/**
 * Objects of which D1 has refused a delivery while it answers. An object notes it with each failure, so a note that is not
 * repeated in the longest time between two attempts, ten minutes, is over.
 */
export const WAITING_NOTE_LIFE = 11 * MINUTE;

interface WaitingEntries {
  entries: number;
  /** Since when the oldest waits. */
  oldest: EpochMs | null;
}

/** @param object see `accountObject` */
export async function noteWaiting(
  db: D1Database,
  object: string,
  { entries, oldest }: WaitingEntries,
  now: EpochMs,
): Promise<void> {
  await db
    .prepare(
      "INSERT INTO outbox_waiting (object, entries, oldest, noted_at) VALUES (?, ?, ?, ?) ON CONFLICT (object) DO UPDATE " +
        "SET entries = excluded.entries, oldest = excluded.oldest, noted_at = excluded.noted_at",
    )
    .bind(object, entries, oldest ?? now, now)
    .run();
}

/** D1 has taken everything that it had refused. */
export function noWaiting(db: D1Database, object: string): D1PreparedStatement {
  return db.prepare("DELETE FROM outbox_waiting WHERE object = ?").bind(object);
}

/** What D1 is known to lack. */
export interface OutboxSum extends WaitingEntries {
  objects: number;
  /** Whose change is the oldest; null: nobody's. */
  object: string | null;
}

/** Answers with one `OutboxSum`. @param kind missing: all objects */
export function outboxSum(db: D1Database, now: EpochMs, kind: ObjectKind | "" = ""): D1PreparedStatement {
  return db
    .prepare(
      `SELECT COUNT(*) AS objects, COALESCE(SUM(entries), 0) AS entries, MIN(oldest) AS oldest, object
       FROM outbox_waiting WHERE noted_at > ? AND object LIKE ? || '%'`,
    )
    .bind(now - WAITING_NOTE_LIFE, kind);
}

/** Finds a transaction by its number alone. A block that is noted again is kept as long as a new one. */
export function noteBlock(
  database: D1Database,
  terminalId: string,
  { first, last }: NumberBlock,
  now: EpochMs,
): D1PreparedStatement {
  return writeRow(database, "number_blocks", { last, terminal_id: terminalId }, { first, noted_at: now });
}

/** Blocks that are looked at: without overlaps, the first one decides. */
const BLOCKS_LOOKED_AT = 100;

/**
 * Finds the terminals whose blocks have the number. There is none if D1 lacks the block. There are two if the counter
 * of numbers was set back, by a restore of the coordinator's object to an earlier time.
 */
export async function terminalsOfNumber(database: D1Database, number: number): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT DISTINCT terminal_id FROM (SELECT first, terminal_id FROM number_blocks WHERE last >= ?1
         ORDER BY last LIMIT ${BLOCKS_LOOKED_AT})
       WHERE first <= ?1 ORDER BY terminal_id`,
    )
    .bind(number)
    .all<{ terminal_id: string }>();
  return results.map((row) => row.terminal_id);
}

/** The highest number that any terminal has, as far as D1 has the blocks; 0: none. */
export async function highestNumber(database: D1Database): Promise<number> {
  return (await database.prepare("SELECT MAX(last) AS highest FROM number_blocks").first<number>("highest")) ?? 0;
}
