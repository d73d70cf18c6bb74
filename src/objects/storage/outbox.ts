/**
 * Audit rows on their way to D1. A row is written in the turn of the change that it tells of, into the object's own
 * SQLite, and deleted when D1 has it. Rows are numbered and their numbers never used again; D1 takes each number of an
 * object once. So D1 gets every row exactly once, and in order, whatever fails in between.
 */
import type { AuditEntry, NumberedAuditEntry } from "../../storage/audit.ts";

/** Rows that D1 is told at a time. */
const OUTBOX_ROWS = 50;

/** What the object's own row says of its outbox: the newest row's number, and the newest one's that D1 has. */
export interface OutboxCounters {
  outboxNumber: number;
  outboxTold: number;
}

/** The object's own row, which holds the counters. */
export interface OutboxOwner {
  /** The terminalId or posId, which is the target of every row; null before the object has an identity. */
  readonly target: string | null;
  readonly counters: OutboxCounters;
  update(counters: Partial<OutboxCounters>): void;
}

/** Needs a table `outbox (number INTEGER PRIMARY KEY, body TEXT)`. */
export class Outbox {
  readonly #sql: SqlStorage;
  readonly #owner: OutboxOwner;

  constructor(sql: SqlStorage, owner: OutboxOwner) {
    this.#sql = sql;
    this.#owner = owner;
  }

  /** Writes down what the turn has changed, and who wanted it. Throws before the object has an identity. */
  add(entry: Omit<AuditEntry, "target">): void {
    const { target, counters } = this.#owner;
    if (target === null) throw new Error("the object has no identity yet");
    const number = counters.outboxNumber + 1;
    const body = JSON.stringify({ ...entry, target } satisfies AuditEntry);
    this.#sql.exec("INSERT INTO outbox (number, body) VALUES (?, ?)", number, body);
    this.#owner.update({ outboxNumber: number });
  }

  /** Known without a look at the table. */
  get isEmpty(): boolean {
    const { outboxNumber, outboxTold } = this.#owner.counters;
    return outboxNumber === outboxTold;
  }

  /** The oldest rows, in their order. */
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
