/** The generation of D1, and how far objects have told it. */

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
