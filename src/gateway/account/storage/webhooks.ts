import type { DisabledBy } from "../../../protocol/webhooks.ts";
import { type Columns, RowTable } from "../../durable/storage/rows.ts";
import type { TurnParticipant } from "../../durable/turns.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

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

export interface Attempt {
  number: number;
  at: EpochMs;
  /** It is null if there was no answer in time. */
  status: number | null;
  milliseconds: number;
}

export interface DeliveryProgress {
  /** The number of the last event that was accepted or skipped. */
  cursor: number;
  /** The number of events that were pruned before delivery. */
  skipped: number;
  /** The number of failures in a row. */
  failures: number;
  failingSince: number | null;
  /** It is null if the next event can be sent immediately. */
  retryAt: EpochMs | null;
  /** The newest come first. */
  attempts: Attempt[];
  disabledBy: DisabledBy | null;
  /** It is null while the endpoint is enabled. */
  disabledAt: EpochMs | null;
}

export interface Endpoint extends DeliveryProgress {
  /** The number in `wh_<number>`. */
  id: number;
  /** The part of the address that may be shown anywhere (I6). */
  host: string;
  /** The address is sealed, like the secrets. */
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

/** An account has at most three: a turn reads all of them, once. */
export class Webhooks implements TurnParticipant {
  readonly #sql: SqlStorage;
  readonly #rows: RowTable<Endpoint>;
  /** The endpoints as this turn has read them; null before they are read. */
  #all: readonly Endpoint[] | null = null;
  #isChanged = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new RowTable(sql, "webhooks", COLUMNS);
  }

  /** Whether this turn has written any endpoint. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  forget(): void {
    this.#all = null;
    this.#isChanged = false;
  }

  get all(): readonly Endpoint[] {
    this.#all ??= this.#rows.select("ORDER BY id");
    return this.#all;
  }

  find(id: number): Endpoint | null {
    return this.all.find((endpoint) => endpoint.id === id) ?? null;
  }

  save(endpoint: Endpoint): void {
    this.#rows.save(endpoint);
    this.#all = null;
    this.#isChanged = true;
  }

  remove(id: number): void {
    this.#sql.exec("DELETE FROM webhooks WHERE id = ?", id);
    this.#all = null;
    this.#isChanged = true;
  }
}
