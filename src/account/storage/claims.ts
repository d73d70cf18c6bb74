/** The registry of references: the device of each (I1), and what is recorded under it. */
import type { VoidedBy } from "../../protocol/events.ts";
import { Table } from "../../objects/storage/table.ts";

/** A void and the transaction that it voided: a reference may be reused after 400 days. */
export interface VoidMark extends VoidedBy {
  /** The voided transaction's number. */
  of: number;
}

export interface Claim {
  referenceId: string;
  deviceId: string;
  /** The last admission, accurate to a day. */
  admittedAt: number;
  /** The recorded transaction; null if none is recorded. */
  requestId: number | null;
  revision: number;
  event: number | null;
  /** When the recorded transaction was completed; null if it is open, or none is recorded. */
  completedAt: number | null;
  voided: VoidMark | null;
}

export class Claims {
  readonly #sql: SqlStorage;
  readonly #rows: Table<Claim>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new Table(sql, "claims", {
      referenceId: "key",
      deviceId: "plain",
      admittedAt: "plain",
      requestId: "plain",
      revision: "plain",
      event: "plain",
      completedAt: "plain",
      voided: "json",
    });
  }

  find(referenceId: string): Claim | null {
    return this.#rows.select("WHERE reference_id = ?", referenceId)[0] ?? null;
  }

  /** Writes a claim without a recorded transaction. @returns false, and writes nothing, if the reference has a claim */
  add({ referenceId, deviceId, admittedAt }: Claim): boolean {
    const { rowsWritten } = this.#sql.exec(
      `INSERT INTO claims (reference_id, device_id, admitted_at, revision) VALUES (?, ?, ?, 0)
       ON CONFLICT (reference_id) DO NOTHING`,
      referenceId,
      deviceId,
      admittedAt,
    );
    return rowsWritten > 0;
  }

  /** Writes one row, new or not. */
  save(claim: Claim): void {
    this.#rows.save(claim);
  }

  remove(referenceId: string): void {
    this.#sql.exec("DELETE FROM claims WHERE reference_id = ?", referenceId);
  }

  /** At most `limit` claims after a reference, ordered by reference. */
  after(referenceId: string, limit: number): Claim[] {
    return this.#rows.select("WHERE reference_id > ? ORDER BY reference_id LIMIT ?", referenceId, limit);
  }
}
