import { writeRow } from "./upsert.ts";
import { MINUTE } from "../time/units.ts";
import type { NumberBlock } from "../rpc/keeper.ts";

export type Kind = "account" | "terminal";

/** `generation`: the object has told everything of it. */
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

export interface Standing {
  generation: string;
  /** Of the object's own row; null: no row. */
  version: number | null;
}

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

/** In the order of the ids. */
export async function listObjects(db: D1Database, kind: Kind, after: string, limit: number): Promise<Listed[]> {
  const { table, id } = TABLES[kind];
  const { results } = await db
    .prepare(`SELECT ${id} AS id, generation FROM ${table} WHERE ${id} > ? ORDER BY ${id} LIMIT ?`)
    .bind(after, limit)
    .all<Listed>();
  return results;
}

/** The row has no object that could tell anything about it. */
export async function noteNobody(db: D1Database, kind: Kind, id: string, generation: string): Promise<void> {
  const { table, id: column } = TABLES[kind];
  await db.prepare(`UPDATE ${table} SET generation = ? WHERE ${column} = ?`).bind(generation, id).run();
}

/**
 * Objects that could not tell D1, while D1 itself is there: for example, D1 refuses a statement. An object retries, and
 * notes each failure.
 */

/** A failure that is not repeated for this long was told, or its object forgot it. */
const CURRENT = 10 * MINUTE;

/** The object's name here, in the audit log, and for objects that tell it something. */
export function accountObject(posId: string): string {
  return `account:${posId}`;
}

export function terminalObject(terminalId: string): string {
  return `terminal:${terminalId}`;
}

/** @param object `terminal:` and a terminalId, or `account:` and a posId @param since the oldest missing change */
export async function noteUntold(db: D1Database, object: string, since: number, now: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO untold (object, since, noted_at) VALUES (?, ?, ?)
       ON CONFLICT (object) DO UPDATE SET noted_at = excluded.noted_at`,
    )
    .bind(object, since, now)
    .run();
}

/** Deletes the object's note. */
export function allTold(db: D1Database, object: string): D1PreparedStatement {
  return db.prepare("DELETE FROM untold WHERE object = ?").bind(object);
}

export interface UntoldSum {
  /** When the oldest change was made that D1 lacks, epoch milliseconds; null: none known. */
  oldest: number | null;
  /** The objects that made the oldest of these changes, with commas. */
  objects: string | null;
}

/** Objects that are named, at most. */
const NAMED = 5;

/** Answers with one `UntoldSum`. @param kind missing: all objects */
export function oldestUntold(db: D1Database, now: number, kind: Kind | "" = ""): D1PreparedStatement {
  return db
    .prepare(
      `SELECT MIN(since) AS oldest, group_concat(object, ', ') AS objects
       FROM (SELECT object, since FROM untold WHERE noted_at > ? AND object LIKE ? || '%'
         ORDER BY since, object LIMIT ${NAMED})`,
    )
    .bind(now - CURRENT, kind);
}

/** Finds a transaction by its number alone. A block that is noted again is kept as long as a new one. */
export function noteBlock(
  database: D1Database,
  terminalId: string,
  { first, last }: NumberBlock,
  now: number,
): D1PreparedStatement {
  return writeRow(database, "number_blocks", { last, terminal_id: terminalId }, { first, noted_at: now });
}

/** Blocks that are looked at: without overlaps, the first one decides. */
const BLOCKS_LOOKED_AT = 100;

/**
 * Empty: no terminal has the number, or D1 has not been told. More than one: the counter of numbers was set back, by a
 * restore of the keeper's object to an earlier time.
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

/** The highest number that any terminal has, as far as D1 was told; 0: none. */
export async function highestNumber(database: D1Database): Promise<number> {
  return (await database.prepare("SELECT MAX(last) AS highest FROM number_blocks").first<number>("highest")) ?? 0;
}
