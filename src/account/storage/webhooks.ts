/**
 * At most three endpoints, read when the object starts and kept in memory, so that an account without webhooks pays
 * nothing for them. Cursors are written only every `CURSOR_EVERY`: after a reset, the events since the last write are
 * delivered a second time.
 */
import type { DisabledBy } from "../../protocol/webhooks.ts";
import { CURSOR_EVERY } from "../limits.ts";
import { type Columns, Table } from "../../objects/storage/rows.ts";

export const WEBHOOKS_TABLE = `
      -- At most three. Of an address only the host is readable here; address and secrets are sealed.
      CREATE TABLE webhooks (
        id INTEGER PRIMARY KEY,
        host TEXT NOT NULL,
        address TEXT NOT NULL,
        secret TEXT NOT NULL,
        previous_secret TEXT,
        previous_secret_until INTEGER,
        disabled_by TEXT CHECK (disabled_by IN ('account', 'operator', 'failing', 'gone')),
        disabled_at INTEGER,
        generation INTEGER NOT NULL,
        cursor INTEGER NOT NULL,
        skipped INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        failing_since INTEGER,
        retry_at INTEGER,
        attempts TEXT NOT NULL
      ) STRICT;
`;

/** Times are epoch milliseconds. */
export interface Attempt {
  number: number;
  at: number;
  /** null: no answer in time. */
  status: number | null;
  milliseconds: number;
}

export interface Progress {
  /** The number of the last event that was accepted or skipped. */
  cursor: number;
  /** Events that were pruned before delivery. */
  skipped: number;
  /** In a row. */
  failures: number;
  failingSince: number | null;
  /** null: the next event can be sent at once. */
  retryAt: number | null;
  /** Newest first. */
  attempts: Attempt[];
  disabledBy: DisabledBy | null;
  /** null: enabled. */
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
  previousSecretUntil: number | null;
  /** Counts changes: the result of an attempt before a change does not apply after it. */
  generation: number;
}

const COLUMNS: Columns<Endpoint> = {
  id: "key",
  host: "plain",
  address: "plain",
  secret: "plain",
  previousSecret: "plain",
  previousSecretUntil: "plain",
  disabledBy: "plain",
  disabledAt: "plain",
  generation: "plain",
  cursor: "plain",
  skipped: "plain",
  failures: "plain",
  failingSince: "plain",
  retryAt: "plain",
  attempts: "json",
};

export class Webhooks {
  readonly #sql: SqlStorage;
  readonly #rows: Table<Endpoint>;
  #endpoints: Map<number, Endpoint>;
  readonly #unsaved = new Set<number>();
  readonly #savedAt = new Map<number, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new Table(sql, "webhooks", COLUMNS);
    this.#endpoints = this.#read();
  }

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

  /** Keeps progress in memory, and writes it unless the endpoint was written recently. */
  note(endpoint: Endpoint, now: number): void {
    this.#endpoints.set(endpoint.id, endpoint);
    if (now >= this.#saveAt(endpoint.id)) this.#write(endpoint, now);
    else this.#unsaved.add(endpoint.id);
  }

  saveDue(now: number): void {
    for (const endpoint of this.all) {
      if (this.#unsaved.has(endpoint.id) && now >= this.#saveAt(endpoint.id)) this.#write(endpoint, now);
    }
  }

  /** Epoch milliseconds; null: everything is written. */
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
    this.#rows.save(endpoint);
  }

  #read(): Map<number, Endpoint> {
    return new Map(this.#rows.select("ORDER BY id").map((endpoint) => [endpoint.id, endpoint]));
  }
}
