/**
 * Audit rows on their way to D1. A row is written in the turn of the change that it tells of, into the object's own
 * SQLite, and deleted when D1 has it. Rows are numbered and their numbers never used again; D1 takes each number of an
 * object once. So D1 gets every row exactly once, and in order, whatever fails in between.
 */
import type { AuditEntry, NumberedAuditEntry } from "../../storage/audit.ts";
import { OUTBOX_ROWS } from "../limits.ts";
import type { TerminalRecordStore } from "./record.ts";

export class Outbox {
  readonly #sql: SqlStorage;
  readonly #records: TerminalRecordStore;

  constructor(sql: SqlStorage, records: TerminalRecordStore) {
    this.#sql = sql;
    this.#records = records;
  }

  /** Writes down what the turn has changed, and who wanted it. The terminal is enrolled. */
  add(entry: Omit<AuditEntry, "target">): void {
    const { record } = this.#records;
    if (record === null) throw new Error("the terminal is not enrolled");
    const number = record.outboxNumber + 1;
    const body = JSON.stringify({ ...entry, target: record.terminalId } satisfies AuditEntry);
    this.#sql.exec("INSERT INTO outbox (number, body) VALUES (?, ?)", number, body);
    this.#records.update({ outboxNumber: number });
  }

  /** Known without a look at the table. */
  get isEmpty(): boolean {
    const { record } = this.#records;
    return record === null || record.outboxNumber === record.outboxTold;
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
    this.#records.update({ outboxTold: upTo });
  }
}
