/** The account's feed (I7). */
import { type AccountEvent, isAboutTransaction } from "../../protocol/events.ts";
import { hundredths } from "../amounts.ts";

/** An event as it is kept beside its body. */
export interface KeptEvent {
  number: number;
  /** When it was recorded. */
  at: number;
  event: AccountEvent;
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

  find(number: number): AccountEvent | null {
    const row = this.#sql.exec<{ body: string }>("SELECT body FROM events WHERE number = ?", number).toArray()[0];
    return row === undefined ? null : (JSON.parse(row.body) as AccountEvent);
  }

  /** @param at when it was recorded, epoch milliseconds */
  add(event: AccountEvent, at: number): void {
    const transaction = isAboutTransaction(event) ? event.data : null;
    this.#sql.exec(
      "INSERT INTO events (number, at, day, type, trans_amt, cash_amt, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
      event.number,
      at,
      "day" in event.data ? event.data.day : null,
      event.type,
      hundredths(transaction?.transAmt ?? null),
      hundredths(transaction?.cashAmt ?? null),
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
    ].map((row) => ({ number: row.number, at: row.at, event: JSON.parse(row.body) as AccountEvent }));
  }

  remove(number: number): void {
    this.#sql.exec("DELETE FROM events WHERE number = ?", number);
  }
}
