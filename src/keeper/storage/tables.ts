import type { Migration } from "../../objects/storage/migrate.ts";
import { FIRST_NUMBER, type WalkKind, LAST_NUMBER } from "../round.ts";
import { type Sql, OwnRow, plain, type RecordOf } from "../../objects/storage/rows.ts";
import { TOLD_LIFE } from "../../objects/limits.ts";
import type { NumberBlock } from "../../rpc/keeper.ts";

/** `MIGRATIONS` is append-only: never edit a step that has run anywhere. */
export const MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
    sql: `
      CREATE TABLE numbers (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        next INTEGER NOT NULL
      ) STRICT;
      INSERT INTO numbers (only, next) VALUES (1, ${FIRST_NUMBER});

      -- What the keeper has written to D1, and where its walk after a restore of D1 is: which kind of objects (null: it
      -- does not walk), and after which. missed: objects of this walk that had not told D1 everything.
      CREATE TABLE watch (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        tick INTEGER NOT NULL,
        generation TEXT NOT NULL,
        kind TEXT,
        after TEXT NOT NULL,
        missed INTEGER NOT NULL,
        step_at INTEGER NOT NULL,
        -- When the keeper asks all terminals with a connection whether they were heard.
        round_at INTEGER NOT NULL
      ) STRICT;

      -- Objects that were made within the time that D1 can be restored to.
      CREATE TABLE created (
        object TEXT PRIMARY KEY,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX created_by_time ON created (at);

      -- Every posId that was ever wanted, by its name in lower case.
      CREATE TABLE pos_ids (
        name TEXT PRIMARY KEY,
        pos_id TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
];

/** A restored D1 may not list the object. @param object `account:` or `terminal:`, and an id */
export function noteCreated(sql: Sql, object: string, now: number): void {
  sql.exec("DELETE FROM created WHERE at < ?", now - TOLD_LIFE);
  sql.exec("INSERT INTO created (object, at) VALUES (?, ?) ON CONFLICT DO NOTHING", object, now);
}

/**
 * Reserves the name for ever: a posId is never reused.
 *
 * @returns the spelling that has the name: another one if an account differs only in case
 */
export function reservePosId(sql: Sql, posId: string): string {
  const name = posId.toLowerCase();
  sql.exec("INSERT INTO pos_ids (name, pos_id) VALUES (?, ?) ON CONFLICT DO NOTHING", name, posId);
  return sql.exec<{ pos_id: string }>("SELECT pos_id FROM pos_ids WHERE name = ?", name).one().pos_id;
}

/** Ordered by name. */
export function listCreated(sql: Sql, after: string, limit: number): string[] {
  const query = "SELECT object FROM created WHERE object > ? ORDER BY object LIMIT ?";
  return sql
    .exec<{ object: string }>(query, after, limit)
    .toArray()
    .map(({ object }) => object);
}

/** What the keeper knows of D1, and of its walk after a restore: one row. */
const FIELDS = {
  /** The highest tick that D1 has confirmed. */
  tick: plain<number>("tick", 0),
  generation: plain<string>("generation", ""),
  /** null: no walk. */
  kind: plain<WalkKind | null>("kind", null),
  after: plain<string>("after", ""),
  /** How many objects of this walk had not told D1 everything. */
  missed: plain<number>("missed", 0),
  /** When the round starts, or was to start, epoch milliseconds; 0: none was ever due. */
  roundAt: plain<number>("round_at", 0),
  /** Epoch milliseconds. */
  stepAt: plain<number>("step_at", 0),
};

export class WatchStore extends OwnRow<typeof FIELDS> {
  constructor(sql: Sql) {
    super(sql, "watch", FIELDS);
  }

  get watch(): RecordOf<typeof FIELDS> {
    return this.record ?? this.create({});
  }
}

/** One statement; see `Keeper.reserveNumbers`. */
export function reserveNumbers(sql: Sql, size: number, above: number): NumberBlock | null {
  const [row] = sql
    .exec<{ next: number }>(
      `UPDATE numbers SET next = MAX(next, ?2 + 1) + ?1
       WHERE only = 1 AND MAX(next, ?2 + 1) + ?1 - 1 <= ?3 RETURNING next`,
      size,
      above,
      LAST_NUMBER,
    )
    .toArray();
  return row === undefined ? null : { first: row.next - size, last: row.next - 1 };
}
