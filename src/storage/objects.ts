/** The generation of D1, and how far objects have told it. */
import { writeRow } from "./upsert.ts";
import { MINUTE } from "../time/units.ts";
import type { NumberBlock } from "../rpc/keeper.ts";

export type Kind = "account" | "terminal";

/** An object in D1, and the generation that it has told everything of. */
export interface Listed {
  id: string;
  generation: string;
}

export interface Generation {
  tick: number;
  generation: string;
}

export async function readGeneration(db: D1Database): Promise<Generation> {
  const row = await db.prepare("SELECT tick, generation FROM generation").first<Generation>();
  if (row === null) throw new Error("generation has no row: apply the migrations");
  return row;
}

/** A tick only grows. */
export async function writeGeneration(db: D1Database, { tick, generation }: Generation): Promise<void> {
  await db.prepare("UPDATE generation SET tick = MAX(tick, ?), generation = ?").bind(tick, generation).run();
}

/** What an object finds in D1 before it tells it something. */
export interface Standing {
  generation: string;
  /** Of the object's own row; null: there is none. */
  version: number | null;
}

/** The statement that reads it. */
export function readStanding(db: D1Database, kind: Kind, id: string): D1PreparedStatement {
  const { table, id: column } = TABLES[kind];
  return db
    .prepare(`SELECT generation, (SELECT version FROM ${table} WHERE ${column} = ?) AS version FROM generation`)
    .bind(id);
}

const TABLES: Record<Kind, { table: string; id: string }> = {
  account: { table: "accounts", id: "pos_id" },
  terminal: { table: "terminals", id: "terminal_id" },
};

/** The next objects of a kind, in the order of their ids. */
export async function listObjects(db: D1Database, kind: Kind, after: string, limit: number): Promise<Listed[]> {
  const { table, id } = TABLES[kind];
  const { results } = await db
    .prepare(`SELECT ${id} AS id, generation FROM ${table} WHERE ${id} > ? ORDER BY ${id} LIMIT ?`)
    .bind(after, limit)
    .all<Listed>();
  return results;
}

/** Nobody has anything to tell about this row: it has no object. */
export async function noteNobody(db: D1Database, kind: Kind, id: string, generation: string): Promise<void> {
  const { table, id: column } = TABLES[kind];
  await db.prepare(`UPDATE ${table} SET generation = ? WHERE ${column} = ?`).bind(generation, id).run();
}

/**
 * Objects whose note to D1 failed: for what keeps one object's notes from being written, such as a statement that D1
 * refuses, while D1 itself is there. An object retries, and notes it each time.
 */

/** What has not failed again for this long was told, or its object forgot. */
const CURRENT = 10 * MINUTE;

/** What an object is called here, in the audit log, and by others that have something to tell it. */
export function accountObject(posId: string): string {
  return `account:${posId}`;
}

export function terminalObject(terminalId: string): string {
  return `terminal:${terminalId}`;
}

/** @param object `terminal:` and a terminalId, `account:` and a posId @param since the oldest change that is missing */
export async function noteUntold(db: D1Database, object: string, since: number, now: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO untold (object, since, noted_at) VALUES (?, ?, ?)
       ON CONFLICT (object) DO UPDATE SET noted_at = excluded.noted_at`,
    )
    .bind(object, since, now)
    .run();
}

/** The statement of a note that is written: nothing of its object is missing any more. */
export function allTold(db: D1Database, object: string): D1PreparedStatement {
  return db.prepare("DELETE FROM untold WHERE object = ?").bind(object);
}

/** When the oldest change was made that D1 lacks, as `oldest`: epoch milliseconds or null. */
export function oldestUntold(db: D1Database, now: number): D1PreparedStatement {
  return db.prepare("SELECT MIN(since) AS oldest FROM untold WHERE noted_at > ?").bind(now - CURRENT);
}

/** Which terminal has which transaction numbers, so that a transaction is found by its number alone. */

/** A terminal's object notes a block that it holds; noted again, the row is kept as long as if it were new. */
export function noteBlock(
  database: D1Database,
  terminalId: string,
  { first, last }: NumberBlock,
  now: number,
): D1PreparedStatement {
  return writeRow(database, "number_blocks", { first }, { last, terminal_id: terminalId, noted_at: now });
}

/** The terminal that has a number; null if none has, or D1 has not been told. */
export async function terminalOfNumber(database: D1Database, number: number): Promise<string | null> {
  const block = await database
    .prepare("SELECT last, terminal_id FROM number_blocks WHERE first <= ? ORDER BY first DESC LIMIT 1")
    .bind(number)
    .first<{ last: number; terminal_id: string }>();
  return block === null || block.last < number ? null : block.terminal_id;
}
