/**
 * Finds an account's newest transaction that reached the terminal, in a number of rows that does not grow with the
 * journal, and without an index, which would be one more row written with each change.
 *
 * A completed row never changes. So the transaction is the account's newest row, or one that was open when that row was
 * written (`open_before` names those), or the newest of the rows that were completed by then (`reached_before`).
 */
import type { Sql } from "../../objects/storage/rows.ts";
import type { TransactionState } from "../../protocol/transactions.ts";

interface Row extends Record<string, SqlStorageValue> {
  request_id: number;
  pos_id: string;
  trans_type: string | null;
  state: TransactionState;
  reached: number;
  open_before: string | null;
  /** 0: none. */
  reached_before: number;
}

const ROWS = "SELECT request_id, pos_id, trans_type, state, reached, open_before, reached_before FROM transactions";

export class LastReached {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The transaction's number; 0 if the account has none. */
  find(posId: string): number {
    return this.#upTo(this.#newestOf(posId), false) ?? this.#search(posId, "");
  }

  /**
   * Called before a row is inserted for the account.
   *
   * @returns what that row names as `reached_before`
   */
  beforeNewRow(posId: string): number {
    const newest = this.#newest();
    if (newest !== null && newest.pos_id !== posId) {
      this.#sql.exec(
        `INSERT INTO newest_rows (pos_id, request_id) VALUES (?, ?)
         ON CONFLICT (pos_id) DO UPDATE SET request_id = excluded.request_id`,
        newest.pos_id,
        newest.request_id,
      );
    }
    return this.#upTo(this.#newestOf(posId, newest), true) ?? this.#search(posId, "AND state = 'completed'");
  }

  /** What the journal's newest row must name as `reached_before` once it no longer names its completed rows. */
  beforeFewerNames(): number {
    return this.#upTo(this.#newest(), true) ?? 0;
  }

  forgetDeleted(): void {
    this.#sql.exec("DELETE FROM newest_rows WHERE request_id NOT IN (SELECT request_id FROM transactions)");
  }

  /** The account's newest row, usually the newest of all. */
  #newestOf(posId: string, newest = this.#newest()): Row | null {
    if (newest === null || newest.pos_id === posId) return newest;
    return this.#row("WHERE request_id = (SELECT request_id FROM newest_rows WHERE pos_id = ?)", posId);
  }

  #newest(): Row | null {
    return this.#row("ORDER BY request_id DESC LIMIT 1");
  }

  #row(which: string, ...bindings: SqlStorageValue[]): Row | null {
    return this.#sql.exec<Row>(`${ROWS} ${which}`, ...bindings).toArray()[0] ?? null;
  }

  /**
   * @param row an account's newest
   * @param onlyCompleted without transactions that may still turn out not to have reached the terminal
   * @returns 0: there is none; null: there is no row
   */
  #upTo(row: Row | null, onlyCompleted: boolean): number | null {
    if (row === null) return null;
    const fitting = [row, ...this.#named(row)].filter(
      ({ pos_id, trans_type, state, reached }) =>
        pos_id === row.pos_id && trans_type !== null && reached === 1 && (state === "completed" || !onlyCompleted),
    );
    return Math.max(row.reached_before, ...fitting.map(({ request_id }) => request_id));
  }

  #named({ open_before }: Row): Row[] {
    if (open_before === null) return [];
    return this.#sql.exec<Row>(`${ROWS} WHERE request_id IN (SELECT value FROM json_each(?))`, open_before).toArray();
  }

  /** Reads the account's rows: it has none, or its newest one is deleted and few are left. */
  #search(posId: string, more: "" | "AND state = 'completed'"): number {
    const query = `SELECT MAX(request_id) AS newest FROM transactions
       WHERE pos_id = ? AND reached = 1 AND trans_type IS NOT NULL ${more}`;
    return this.#sql.exec<{ newest: number | null }>(query, posId).one().newest ?? 0;
  }
}
