/**
 * The SQL of an object's stores. It can refuse writes, so that a turn that rarely writes begins without a transaction
 * (`turns.ts`).
 */

/** What stores use of the platform's SQL. */
export type Sql = Pick<SqlStorage, "exec">;

/** Every statement of a store that only reads begins with this word. */
const READS = /^\s*SELECT\b/u;

/** A statement would have written. It was not executed. */
export class WriteRefused extends Error {}

export class TurnSql implements Sql {
  readonly #sql: Sql;
  #refusesWrites = false;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  exec<Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]): SqlStorageCursor<Row> {
    if (this.#refusesWrites && !READS.test(query)) throw new WriteRefused("this turn began without a transaction");
    return this.#sql.exec<Row>(query, ...bindings);
  }

  /** Does the work, in which a write throws `WriteRefused`. */
  withoutWrites<T>(work: () => T): T {
    this.#refusesWrites = true;
    try {
      return work();
    } finally {
      this.#refusesWrites = false;
    }
  }
}
