/** The account's feed (I7). */
import { isoWithOffset } from "../../../protocol/time/zone.ts";
import type { AccountRecord } from "./record.ts";
import type { AccountEvent, EventContent } from "../../../protocol/events.ts";
import type { RecordedTimes } from "../rpc.ts";
import type { TurnParticipant } from "../../durable/turns.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

export interface StoredEvent {
  number: number;
  /** The time at which it was recorded. */
  at: EpochMs;
  event: AccountEvent;
  /** Only a completed transaction has times. */
  times: RecordedTimes;
}

/** The format of `body`: 1 is the JSON text that readers and webhooks get, byte for byte. */
const FORMAT = 1;

export class Events implements TurnParticipant {
  readonly #sql: SqlStorage;
  /** The number as this turn has read and changed it; null before it is read. */
  #newest: number | null = null;
  #isChanged = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether this turn has added an event. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  forget(): void {
    this.#newest = null;
    this.#isChanged = false;
  }

  /** It is 0 without events. The newest event is never deleted, so numbers are never reused. */
  get newest(): number {
    const query = "SELECT MAX(number) AS newest FROM events";
    this.#newest ??= this.#sql.exec<{ newest: number | null }>(query).one().newest ?? 0;
    return this.#newest;
  }

  /** It is 0 without events. */
  get oldest(): number {
    return this.#sql.exec<{ oldest: number | null }>("SELECT MIN(number) AS oldest FROM events").one().oldest ?? 0;
  }

  find(number: number): AccountEvent | null {
    const body = this.body(number);
    return body === null ? null : eventIn(body);
  }

  /**
   * This is the only way into the feed (I7): the event gets the next number, in the turn of the change that it reports.
   */
  append(
    { posId, timezone }: Pick<AccountRecord, "posId" | "timezone">,
    { type, data, times = null }: EventContent & { times?: RecordedTimes | null },
    now: EpochMs,
  ): number {
    const number = this.newest + 1;
    // The type `EventContent` ensures that type and data belong together.
    const event = { id: eventId(posId, number), number, type, timestamp: isoWithOffset(now, timezone), data };
    this.add(event as AccountEvent, now, times);
    return number;
  }

  /**
   * @param at when it was recorded
   * @param times null: the event completes no transaction
   */
  add(event: AccountEvent, at: EpochMs, times: RecordedTimes | null): void {
    this.#sql.exec(
      "INSERT INTO events (number, at, format, body, times) VALUES (?, ?, ?, ?, ?)",
      event.number,
      at,
      FORMAT,
      JSON.stringify(event),
      times === null ? null : JSON.stringify(times),
    );
    this.#newest = event.number;
    this.#isChanged = true;
  }

  /** The text to deliver. */
  body(number: number): string | null {
    const [row] = this.#sql.exec<{ body: string }>("SELECT body FROM events WHERE number = ?", number).toArray();
    return row?.body ?? null;
  }

  /** In order, each as the text to deliver. @param limit a constant of the caller, see `Outbox.targets` */
  bodiesAfter(number: number, limit: number): { number: number; body: string }[] {
    return this.#sql
      .exec<{ number: number; body: string }>(
        `SELECT number, body FROM events WHERE number > ? ORDER BY number LIMIT ${limit}`,
        number,
      )
      .toArray();
  }

  /** The first event recorded at or after this time; the number after the newest if there is none. */
  firstSince(time: number): number {
    let [low, high] = [Math.max(this.oldest, 1), this.newest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      // Numbers are without gaps, except where old ones were deleted.
      const row = this.#sql
        .exec<{ number: number; at: EpochMs }>(
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
  after(number: number, limit = -1): StoredEvent[] {
    return this.#kept(
      "SELECT number, at, body, times FROM events WHERE number > ? ORDER BY number LIMIT ?",
      number,
      limit,
    );
  }

  /** Newest first; `first` is included. */
  before(number: number, first: number, limit: number): StoredEvent[] {
    return this.#kept(
      "SELECT number, at, body, times FROM events WHERE number < ? AND number >= ? ORDER BY number DESC LIMIT ?",
      number,
      first,
      limit,
    );
  }

  #kept(query: string, ...values: number[]): StoredEvent[] {
    return this.#sql
      .exec<{ number: number; at: EpochMs; body: string; times: string | null }>(query, ...values)
      .toArray()
      .map(({ number, at, body, times }) => ({
        number,
        at,
        event: eventIn(body),
        times: times === null ? {} : (JSON.parse(times) as RecordedTimes),
      }));
  }

  remove(number: number): void {
    this.#sql.exec("DELETE FROM events WHERE number = ?", number);
  }
}

/** The id stands in the feed and in the headers of the event's delivery. */
export function eventId(posId: string, number: number): string {
  return `evt_${posId}_${number}`;
}

function eventIn(body: string): AccountEvent {
  return JSON.parse(body) as AccountEvent;
}
