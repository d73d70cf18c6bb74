/** The account's feed (I7). */
import { isoWithOffset } from "../../time/zone.ts";
import type { AccountRecord } from "./record.ts";
import { type AccountEvent, type EventContent, TRANSACTION_MEMBERS } from "../../protocol/events.ts";
import type { RecordedTimes } from "../../rpc/account.ts";
import { Positional } from "../../objects/storage/positional.ts";

export interface KeptEvent {
  number: number;
  /** When it was recorded. */
  at: number;
  event: AccountEvent;
  /** Only of a completed transaction. */
  times: RecordedTimes;
}

interface Stored extends Record<string, SqlStorageValue> {
  number: number;
  type: string;
  body: string;
}

/** The members without a column. The delivered text never changes. */
export const STORED_EVENTS = new Positional<Pick<AccountEvent, "id" | "timestamp" | "data">>([
  "id",
  "timestamp",
  ["data", [...TRANSACTION_MEMBERS]],
]);

/** The stored order. An unknown time is empty. */
const KEPT_TIMES = ["gateway", "queue", "delivery", "customer"] as const satisfies (keyof RecordedTimes)[];

export class Events {
  readonly #sql: SqlStorage;
  #appended = false;
  /** Cached: every turn asks. null: not read yet. */
  #newest: number | null = null;
  /** The newest event completes a transaction; null: unknown. */
  #newestCompletes: boolean | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** 0: no events. The newest event is never deleted, so numbers are never reused. */
  get newest(): number {
    this.#newest ??=
      this.#sql.exec<{ newest: number | null }>("SELECT MAX(number) AS newest FROM events").one().newest ?? 0;
    return this.#newest;
  }

  /** 0: no events. */
  get oldest(): number {
    return this.#sql.exec<{ oldest: number | null }>("SELECT MIN(number) AS oldest FROM events").one().oldest ?? 0;
  }

  find(number: number): AccountEvent | null {
    const row = this.#row(number);
    return row === null ? null : eventOf(row);
  }

  /** The only way into the feed (I7): the event gets the next number, in the turn of the change that it reports. */
  append(
    { posId, timezone }: Pick<AccountRecord, "posId" | "timezone">,
    { type, data, times = null }: EventContent & { times?: RecordedTimes | null },
    now: number,
  ): number {
    const number = this.newest + 1;
    // The type `EventContent` ensures that type and data belong together.
    const event = { id: eventId(posId, number), number, type, timestamp: isoWithOffset(now, timezone), data };
    this.add(event as AccountEvent, now, times);
    return number;
  }

  /**
   * @param at when it was recorded, epoch milliseconds
   * @param times null: the event completes no transaction
   */
  add(event: AccountEvent, at: number, times: RecordedTimes | null): void {
    const { id, timestamp, data } = event;
    this.#sql.exec(
      "INSERT INTO events (number, at, type, body, times) VALUES (?, ?, ?, ?, ?)",
      event.number,
      at,
      event.type,
      STORED_EVENTS.pack({ id, timestamp, data }),
      times === null ? null : KEPT_TIMES.map((name) => times[name]).join(","),
    );
    this.#appended = true;
    this.#newest = event.number;
    this.#newestCompletes = event.type === "transaction.completed";
  }

  rollBack(): void {
    this.#appended = false;
    this.#newest = null;
    this.#newestCompletes = null;
  }

  /** Completions after an event, counted up to `atMost`. */
  completedAfter(number: number, atMost: number): number {
    // After each event, the caller asks about this event alone.
    if (this.#newestCompletes !== null && number + 1 === this.#newest) return this.#newestCompletes ? 1 : 0;
    return this.#sql
      .exec<{ completed: number }>(
        `SELECT COUNT(*) AS completed
         FROM (SELECT 1 FROM events WHERE number > ? AND type = 'transaction.completed' ORDER BY number LIMIT ?)`,
        number,
        atMost,
      )
      .one().completed;
  }

  /** An event was appended since the last call. */
  takeAppended(): boolean {
    const appended = this.#appended;
    this.#appended = false;
    return appended;
  }

  /** The text to deliver. */
  body(number: number): string | null {
    const row = this.#row(number);
    return row === null ? null : JSON.stringify(eventOf(row));
  }

  #row(number: number): Stored | null {
    return (
      this.#sql.exec<Stored>("SELECT number, type, body FROM events WHERE number = ?", number).toArray()[0] ?? null
    );
  }

  /** In order, each as the text to deliver. */
  bodiesAfter(number: number, limit: number): { number: number; body: string }[] {
    return this.#sql
      .exec<Stored>("SELECT number, type, body FROM events WHERE number > ? ORDER BY number LIMIT ?", number, limit)
      .toArray()
      .map((row) => ({ number: row.number, body: JSON.stringify(eventOf(row)) }));
  }

  /** The first event recorded at or after this time; the number after the newest if there is none. */
  firstSince(time: number): number {
    let [low, high] = [Math.max(this.oldest, 1), this.newest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      // Numbers are without gaps, except where old ones were deleted.
      const row = this.#sql
        .exec<{ number: number; at: number }>(
          "SELECT number, at FROM events WHERE number >= ? ORDER BY number LIMIT 1",
          middle,
        )
        .toArray()[0];
      if (row === undefined || row.at >= time) high = middle;
      else low = row.number + 1;
    }
    return low;
  }

  /** In order. @param limit -1: all */
  after(number: number, limit = -1): KeptEvent[] {
    return this.#kept(
      "SELECT number, at, type, body, times FROM events WHERE number > ? ORDER BY number LIMIT ?",
      number,
      limit,
    );
  }

  /** Newest first; `first` is included. */
  before(number: number, first: number, limit: number): KeptEvent[] {
    return this.#kept(
      "SELECT number, at, type, body, times FROM events WHERE number < ? AND number >= ? ORDER BY number DESC LIMIT ?",
      number,
      first,
      limit,
    );
  }

  #kept(query: string, ...values: number[]): KeptEvent[] {
    return this.#sql
      .exec<Stored & { at: number; times: string | null }>(query, ...values)
      .toArray()
      .map((row) => ({
        number: row.number,
        at: row.at,
        event: eventOf(row),
        times: timesFrom(row.times),
      }));
  }

  remove(number: number): void {
    this.#sql.exec("DELETE FROM events WHERE number = ?", number);
  }
}

/** In the feed and in the headers of its delivery. */
export function eventId(posId: string, number: number): string {
  return `evt_${posId}_${number}`;
}

function eventOf({ number, type, body }: Stored): AccountEvent {
  const { id, timestamp, data } = STORED_EVENTS.unpack(body);
  return { id, number, type, timestamp, data } as AccountEvent;
}

function timesFrom(text: string | null): RecordedTimes {
  if (text === null) return {};
  const values = text.split(",");
  const known = KEPT_TIMES.flatMap((name, index) => (values[index] ? [[name, Number(values[index])] as const] : []));
  return Object.fromEntries(known);
}
