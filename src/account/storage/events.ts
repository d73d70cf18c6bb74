/** The account's feed (I7). */
import { type AccountEvent, isAboutTransaction } from "../../protocol/events.ts";
import { hundredths } from "../amounts.ts";

export interface KeptEvent {
  number: number;
  /** When it was recorded. */
  at: number;
  event: AccountEvent;
}

export class Events {
  readonly #sql: SqlStorage;
  #appended = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The number of the newest event; 0 if there is none. The newest is never deleted, so numbers are never reused. */
  get newest(): number {
    return this.#sql.exec<{ newest: number | null }>("SELECT MAX(number) AS newest FROM events").one().newest ?? 0;
  }

  /** The number of the oldest kept event; 0 if there is none. */
  get oldest(): number {
    return this.#sql.exec<{ oldest: number | null }>("SELECT MIN(number) AS oldest FROM events").one().oldest ?? 0;
  }

  find(number: number): AccountEvent | null {
    const body = this.body(number);
    return body === null ? null : (JSON.parse(body) as AccountEvent);
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
    this.#appended = true;
  }

  /** The turn was undone, and with it what it appended. */
  rollBack(): void {
    this.#appended = false;
  }

  /** Whether an event was appended since the last call. */
  takeAppended(): boolean {
    const appended = this.#appended;
    this.#appended = false;
    return appended;
  }

  /** An event as the text to deliver; null if there is none. */
  body(number: number): string | null {
    const row = this.#sql.exec<{ body: string }>("SELECT body FROM events WHERE number = ?", number).toArray()[0];
    return row?.body ?? null;
  }

  /** At most `limit` events after a number, in order, each as the text to deliver. */
  bodiesAfter(number: number, limit: number): { number: number; body: string }[] {
    return this.#sql
      .exec<{ number: number; body: string }>(
        "SELECT number, body FROM events WHERE number > ? ORDER BY number LIMIT ?",
        number,
        limit,
      )
      .toArray();
  }

  /** At most `limit` events after a number, in order. */
  after(number: number, limit: number): KeptEvent[] {
    return this.#kept("SELECT number, at, body FROM events WHERE number > ? ORDER BY number LIMIT ?", number, limit);
  }

  /** At most `limit` events before a number and not before `first`, newest first. */
  before(number: number, first: number, limit: number): KeptEvent[] {
    return this.#kept(
      "SELECT number, at, body FROM events WHERE number < ? AND number >= ? ORDER BY number DESC LIMIT ?",
      number,
      first,
      limit,
    );
  }

  #kept(query: string, ...values: number[]): KeptEvent[] {
    return this.#sql
      .exec<{ number: number; at: number; body: string }>(query, ...values)
      .toArray()
      .map((row) => ({ number: row.number, at: row.at, event: JSON.parse(row.body) as AccountEvent }));
  }

  remove(number: number): void {
    this.#sql.exec("DELETE FROM events WHERE number = ?", number);
  }
}
