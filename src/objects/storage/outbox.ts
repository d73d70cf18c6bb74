/**
 * Audit rows in transit to D1. A row is written to the object's own SQLite in the turn of its change, and deleted when D1
 * has it. Rows have numbers that are never reused, and D1 accepts each number of an object once. So D1 gets every row
 * exactly once and in order, whatever fails in between.
 */
import type { AuditEntry, NumberedAuditEntry } from "../../storage/audit.ts";
import type { Sql } from "./turn-sql.ts";

/** How many rows one write to D1 has. */
const OUTBOX_ROWS = 50;

/**
 * The counters of the outbox in the object's own row: the number of the newest row, and of the newest one that D1 has.
 */
export interface OutboxCounters {
  outboxNumber: number;
  outboxTold: number;
}

/** The object's own row. */
export interface OutboxOwner {
  /** The terminalId or posId, the target of every row; null before the object has an identity. */
  readonly target: string | null;
  readonly counters: OutboxCounters;
  update(counters: Partial<OutboxCounters>): void;
}

/** Needs a table `outbox (number INTEGER PRIMARY KEY, body TEXT)`. */
export class Outbox {
  readonly #sql: Sql;
  readonly #owner: OutboxOwner;

  constructor(sql: Sql, owner: OutboxOwner) {
    this.#sql = sql;
    this.#owner = owner;
  }

  /** Records a change of this turn and its actor. Throws before the object has an identity. */
  add(entry: Omit<AuditEntry, "target">): void {
    const { target, counters } = this.#owner;
    if (target === null) throw new Error("the object has no identity yet");
    const number = counters.outboxNumber + 1;
    const body = JSON.stringify({ ...entry, target } satisfies AuditEntry);
    this.#sql.exec("INSERT INTO outbox (number, body) VALUES (?, ?)", number, body);
    this.#owner.update({ outboxNumber: number });
  }

  /** Does not read the table. */
  get isEmpty(): boolean {
    const { outboxNumber, outboxTold } = this.#owner.counters;
    return outboxNumber === outboxTold;
  }

  /** The oldest rows, in order. */
  rows(): NumberedAuditEntry[] {
    if (this.isEmpty) return [];
    return this.#sql
      .exec<{ number: number; body: string }>("SELECT number, body FROM outbox ORDER BY number LIMIT ?", OUTBOX_ROWS)
      .toArray()
      .map(({ number, body }) => ({ ...(JSON.parse(body) as AuditEntry), number }));
  }

  /** D1 has every row up to this number. */
  told(upTo: number): void {
    this.#sql.exec("DELETE FROM outbox WHERE number <= ?", upTo);
    this.#owner.update({ outboxTold: upTo });
  }
}
