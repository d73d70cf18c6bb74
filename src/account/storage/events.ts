/** The account's feed (I7). */
import type { TransactionEvent } from "../../protocol/events.ts";

/** An event as it is kept beside its body. */
export interface KeptEvent {
  number: number;
  /** When it was recorded. */
  at: number;
  event: TransactionEvent;
}

export class Events {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The number of the newest event; 0 where there is none. The newest is never deleted, so numbers never come back. */
  get newest(): number {
    return this.#sql.exec<{ newest: number | null }>("SELECT MAX(number) AS newest FROM events").one().newest ?? 0;
  }

  find(number: number): TransactionEvent | null {
    const row = this.#sql.exec<{ body: string }>("SELECT body FROM events WHERE number = ?", number).toArray()[0];
    return row === undefined ? null : (JSON.parse(row.body) as TransactionEvent);
  }

  /**
   * @param amounts in the currency's smallest unit, as hundredths; null where the event has none
   */
  add(event: TransactionEvent, at: number, amounts: { transAmt: number | null; cashAmt: number | null }): void {
    this.#sql.exec(
      "INSERT INTO events (number, at, day, type, trans_amt, cash_amt, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
      event.number,
      at,
      event.data.day,
      event.type,
      amounts.transAmt,
      amounts.cashAmt,
      JSON.stringify(event),
    );
  }

  /** At most `limit` events behind a number, in their order. */
  after(number: number, limit: number): KeptEvent[] {
    return [
      ...this.#sql.exec<{ number: number; at: number; body: string }>(
        "SELECT number, at, body FROM events WHERE number > ? ORDER BY number LIMIT ?",
        number,
        limit,
      ),
    ].map((row) => ({ number: row.number, at: row.at, event: JSON.parse(row.body) as TransactionEvent }));
  }

  remove(number: number): void {
    this.#sql.exec("DELETE FROM events WHERE number = ?", number);
  }
}
