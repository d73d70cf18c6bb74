import type { Migration } from "../../durable/storage/migrate.ts";
import { type Sql, OwnRow } from "../../durable/storage/rows.ts";
import { REMEMBERED_FOR } from "../../durable/storage/outbox.ts";
import type { NumberBlock, ResyncProgress } from "../rpc.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/** It has ten digits, like `transId` (Number(10)). */
export const FIRST_NUMBER = 1_000_000_000;
export const LAST_NUMBER = 9_999_999_999;

/** `MIGRATIONS` is append-only: never edit a step that has run anywhere. */
export const COORDINATOR_MIGRATIONS: readonly Migration[] = [
  {
    id: "0001_initial",
    additive: false,
    sql: `
      CREATE TABLE numbers (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        next INTEGER NOT NULL
      ) STRICT;
      INSERT INTO numbers (only, next) VALUES (1, ${FIRST_NUMBER});

      -- Where a resync is, what it has done, and when the next sweep is: JSON.
      CREATE TABLE watch (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        record TEXT NOT NULL
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

/**
 * Records a new object, which a restored D1 may not list.
 *
 * @param object `account:` or `terminal:`, and an id
 */
export function noteCreated(sql: Sql, object: string, now: EpochMs): void {
  sql.exec("DELETE FROM created WHERE at < ?", now - REMEMBERED_FOR);
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

/** Returns the objects in the order of their names. */
export function listCreated(sql: Sql, after: string, limit: number): string[] {
  const query = "SELECT object FROM created WHERE object > ? ORDER BY object LIMIT ?";
  return sql
    .exec<{ object: string }>(query, after, limit)
    .toArray()
    .map(({ object }) => object);
}

/** The one row of the resync and the sweeps. */
const NOTHING_TO_DO = {
  /** It is null if no resync is running. */
  phase: null as ResyncProgress["phase"],
  after: "",
  /** The time of its next step. */
  stepAt: 0,
  /** The start of the last resync; null if there was none. */
  startedAt: null as number | null,
  endedAt: null as number | null,
  /** The number of objects that it has called, by the result of the call. */
  resynced: 0,
  missing: 0,
  failed: 0,
  /** When the sweep starts, or was to start; 0 if none was ever due. */
  sweepAt: 0,
};

export class WatchStore extends OwnRow<typeof NOTHING_TO_DO> {
  constructor(sql: Sql) {
    super(sql, "watch", NOTHING_TO_DO);
  }

  get watch(): typeof NOTHING_TO_DO {
    return this.record ?? this.create({});
  }
}

/** Reserves the numbers in one statement; see `Coordinator.reserveNumbers`. */
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
