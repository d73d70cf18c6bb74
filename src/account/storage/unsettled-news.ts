/** Transactions that became 22, or are 22 no more, and D1 does not know yet. Ordinary ones have no row here. */
import type { UnsettledCopy } from "../../storage/unsettled.ts";

/** One transaction as it stands. `copy` null: it is settled. */
export interface UnsettledNewsRow {
  requestId: number;
  /** The number of the event that says so: of two rows the higher one is the newer. */
  event: number;
  copy: UnsettledCopy | null;
}

/** Rows that D1 is told at a time. */
const ROWS_TOLD = 50;

export class UnsettledNews {
  readonly #sql: SqlStorage;
  /** Whether there is none, once that is known: it is asked in every turn. */
  #isEmpty: boolean | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The turn was undone. */
  rollBack(): void {
    this.#isEmpty = null;
  }

  put({ requestId, event, copy }: UnsettledNewsRow): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO unsettled_news (request_id, event, body) VALUES (?, ?, ?)",
      requestId,
      event,
      copy === null ? null : JSON.stringify(copy),
    );
    this.#isEmpty = false;
  }

  get isEmpty(): boolean {
    this.#isEmpty ??= this.#sql.exec("SELECT 1 FROM unsettled_news LIMIT 1").toArray().length === 0;
    return this.#isEmpty;
  }

  /** The oldest ones. */
  rows(): UnsettledNewsRow[] {
    if (this.isEmpty) return [];
    return this.#sql
      .exec<{ request_id: number; event: number; body: string | null }>(
        "SELECT request_id, event, body FROM unsettled_news ORDER BY event LIMIT ?",
        ROWS_TOLD,
      )
      .toArray()
      .map(({ request_id, event, body }) => ({
        requestId: request_id,
        event,
        copy: body === null ? null : (JSON.parse(body) as UnsettledCopy),
      }));
  }

  /** D1 has these. What has changed meanwhile stays. */
  told(rows: readonly UnsettledNewsRow[]): void {
    for (const { requestId, event } of rows) {
      this.#sql.exec("DELETE FROM unsettled_news WHERE request_id = ? AND event = ?", requestId, event);
    }
    this.#isEmpty = null;
  }
}
