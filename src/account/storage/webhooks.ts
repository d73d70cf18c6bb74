/**
 * The account's webhook endpoints: at most three, read when the object starts and kept in memory, so that an account
 * without webhooks pays nothing for them. Cursors are written only now and then (`CURSOR_EVERY`): after a reset, the events
 * since the last write are delivered a second time.
 */
import type { DisabledBy } from "../../protocol/webhooks.ts";
import { CURSOR_EVERY } from "../limits.ts";
import { upsert } from "../../objects/storage/upsert.ts";

/** One attempt to deliver an event. Times are epoch milliseconds. */
export interface Attempt {
  number: number;
  at: number;
  /** null: no answer in time. */
  status: number | null;
  milliseconds: number;
}

/** What deliveries change about an endpoint. */
export interface Progress {
  /** The number of the last event that was taken or skipped. */
  cursor: number;
  /** Events that were pruned before the endpoint took them. */
  skipped: number;
  /** Failures in a row, and since when. */
  failures: number;
  failingSince: number | null;
  /** null: the next event can be sent at once. */
  retryAt: number | null;
  /** Newest first. */
  attempts: Attempt[];
  disabledBy: DisabledBy | null;
  /** When it was disabled; null while it is enabled. */
  disabledAt: number | null;
}

export interface Endpoint extends Progress {
  /** The number in `wh_<number>`. */
  id: number;
  /** The part of the address that may be shown anywhere (I6). */
  host: string;
  /** Sealed, like the secrets. */
  address: string;
  secret: string;
  previousSecret: string | null;
  /** Until when the previous secret also signs. */
  previousSecretUntil: number | null;
  /** Counts the endpoint's changes: the result of an attempt before a change does not apply after it. */
  generation: number;
}

type Row = Record<string, SqlStorageValue> & {
  id: number;
  host: string;
  address: string;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: number | null;
  disabled_by: DisabledBy | null;
  disabled_at: number | null;
  generation: number;
  cursor: number;
  skipped: number;
  failures: number;
  failing_since: number | null;
  retry_at: number | null;
  attempts: string;
};

const SAVE = upsert(
  "webhooks",
  ["id"],
  [
    "host",
    "address",
    "secret",
    "previous_secret",
    "previous_secret_until",
    "disabled_by",
    "generation",
    "cursor",
    "skipped",
    "failures",
    "failing_since",
    "retry_at",
    "attempts",
    "disabled_at",
  ],
);

export class Webhooks {
  readonly #sql: SqlStorage;
  #endpoints: Map<number, Endpoint>;
  /** Endpoints whose memory is newer than SQL. */
  readonly #unsaved = new Set<number>();
  /** When this instance last wrote each. */
  readonly #savedAt = new Map<number, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#endpoints = this.#read();
  }

  /** The turn was undone: reads the rows again. */
  rollBack(): void {
    this.#endpoints = this.#read();
    this.#unsaved.clear();
  }

  get all(): Endpoint[] {
    return [...this.#endpoints.values()];
  }

  find(id: number): Endpoint | null {
    return this.#endpoints.get(id) ?? null;
  }

  save(endpoint: Endpoint, now: number): void {
    this.#endpoints.set(endpoint.id, endpoint);
    this.#write(endpoint, now);
  }

  /** Notes what an endpoint has taken, and writes it unless it was written recently. */
  note(endpoint: Endpoint, now: number): void {
    this.#endpoints.set(endpoint.id, endpoint);
    if (now >= this.#saveAt(endpoint.id)) this.#write(endpoint, now);
    else this.#unsaved.add(endpoint.id);
  }

  /** Writes what is noted, once it is due. */
  saveDue(now: number): void {
    for (const endpoint of this.all) {
      if (this.#unsaved.has(endpoint.id) && now >= this.#saveAt(endpoint.id)) this.#write(endpoint, now);
    }
  }

  /** When `saveDue` has something to write, epoch milliseconds; null: everything is written. */
  get nextSave(): number | null {
    const times = [...this.#unsaved].map((id) => this.#saveAt(id));
    return times.length === 0 ? null : Math.min(...times);
  }

  remove(id: number): void {
    this.#endpoints.delete(id);
    this.#unsaved.delete(id);
    this.#sql.exec("DELETE FROM webhooks WHERE id = ?", id);
  }

  #saveAt(id: number): number {
    return (this.#savedAt.get(id) ?? -Infinity) + CURSOR_EVERY;
  }

  #write(endpoint: Endpoint, now: number): void {
    this.#unsaved.delete(endpoint.id);
    this.#savedAt.set(endpoint.id, now);
    this.#sql.exec(
      SAVE,
      endpoint.id,
      endpoint.host,
      endpoint.address,
      endpoint.secret,
      endpoint.previousSecret,
      endpoint.previousSecretUntil,
      endpoint.disabledBy,
      endpoint.generation,
      endpoint.cursor,
      endpoint.skipped,
      endpoint.failures,
      endpoint.failingSince,
      endpoint.retryAt,
      JSON.stringify(endpoint.attempts),
      endpoint.disabledAt,
    );
  }

  #read(): Map<number, Endpoint> {
    const rows = this.#sql.exec<Row>("SELECT * FROM webhooks ORDER BY id").toArray();
    return new Map(rows.map((row) => [row.id, fromRow(row)]));
  }
}

function fromRow(row: Row): Endpoint {
  return {
    id: row.id,
    host: row.host,
    address: row.address,
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousSecretUntil: row.previous_secret_until,
    disabledBy: row.disabled_by,
    disabledAt: row.disabled_at,
    generation: row.generation,
    cursor: row.cursor,
    skipped: row.skipped,
    failures: row.failures,
    failingSince: row.failing_since,
    retryAt: row.retry_at,
    attempts: JSON.parse(row.attempts) as Attempt[],
  };
}
