/**
 * The account's webhook endpoints: at most three, read when the object starts and kept in memory, so that an account
 * without any pays nothing for them. What an endpoint has taken is written now and then only (`CURSOR_EVERY`): what is not
 * written yet is delivered a second time after a reset.
 */
import type { DisabledBy } from "../../protocol/webhooks.ts";
import { CURSOR_EVERY } from "../limits.ts";

/** One try to deliver an event. Times are epoch milliseconds. */
export interface Attempt {
  number: number;
  at: number;
  /** null: no answer in time. */
  status: number | null;
  milliseconds: number;
}

/** What becomes of an endpoint while it is delivered to. */
export interface Progress {
  /** The number of the last event taken, or left out. */
  cursor: number;
  /** Events that were pruned before they could be taken. */
  skipped: number;
  /** Failures in a row, and since when. */
  failures: number;
  failingSince: number | null;
  /** null: nothing keeps the next event from being sent at once. */
  retryAt: number | null;
  /** The newest first. */
  attempts: Attempt[];
  disabledBy: DisabledBy | null;
}

export interface Endpoint extends Progress {
  /** The number in `wh_<number>`. */
  id: number;
  /** What the address is known as where only the host may be shown (I6). */
  host: string;
  /** Sealed, as are the secrets. */
  address: string;
  secret: string;
  previousSecret: string | null;
  /** Until when the previous one signs along. */
  previousSecretUntil: number | null;
  /** Counts the changes of the endpoint: what was sent before one says nothing about what is after it. */
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
  generation: number;
  cursor: number;
  skipped: number;
  failures: number;
  failing_since: number | null;
  retry_at: number | null;
  attempts: string;
};

export class Webhooks {
  readonly #sql: SqlStorage;
  #endpoints: Map<number, Endpoint>;
  /** Endpoints of which memory knows more than SQL. */
  readonly #unsaved = new Set<number>();
  /** When each was last written by this instance. */
  readonly #savedAt = new Map<number, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#endpoints = this.#read();
  }

  /** The turn was undone: SQL holds what was there before. */
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

  /** Writes a new endpoint, or a change of one. */
  save(endpoint: Endpoint, now: number): void {
    this.#endpoints.set(endpoint.id, endpoint);
    this.#write(endpoint, now);
  }

  /** Notes what an endpoint has taken, and writes it unless that was done a moment ago. */
  note(endpoint: Endpoint, now: number): void {
    this.#endpoints.set(endpoint.id, endpoint);
    if (now >= this.#saveAt(endpoint.id)) this.#write(endpoint, now);
    else this.#unsaved.add(endpoint.id);
  }

  /** Writes what was noted and not written, as far as its time has come. */
  saveDue(now: number): void {
    for (const id of this.#unsaved) {
      const endpoint = this.#endpoints.get(id);
      if (endpoint !== undefined && now >= this.#saveAt(id)) this.#write(endpoint, now);
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
      `INSERT OR REPLACE INTO webhooks (id, host, address, secret, previous_secret, previous_secret_until, disabled_by,
         generation, cursor, skipped, failures, failing_since, retry_at, attempts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    generation: row.generation,
    cursor: row.cursor,
    skipped: row.skipped,
    failures: row.failures,
    failingSince: row.failing_since,
    retryAt: row.retry_at,
    attempts: JSON.parse(row.attempts) as Attempt[],
  };
}
