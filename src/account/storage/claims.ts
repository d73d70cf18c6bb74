/** The registry of references: the device of each (I1), and what is recorded under it. */
import type { VoidedBy } from "../../protocol/events.ts";
import { upsert } from "../../objects/storage/upsert.ts";

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

interface Row extends Record<string, SqlStorageValue> {
  reference_id: string;
  device_id: string;
  admitted_at: number;
  request_id: number | null;
  revision: number;
  event: number | null;
  completed_at: number | null;
  voided: string | null;
}

const SAVE = upsert(
  "claims",
  ["reference_id"],
  ["device_id", "admitted_at", "request_id", "revision", "event", "completed_at", "voided"],
);

export class Claims {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(referenceId: string): Claim | null {
    const row = this.#sql.exec<Row>("SELECT * FROM claims WHERE reference_id = ?", referenceId).toArray()[0];
    return row === undefined ? null : fromRow(row);
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
    this.#sql.exec(
      SAVE,
      claim.referenceId,
      claim.deviceId,
      claim.admittedAt,
      claim.requestId,
      claim.revision,
      claim.event,
      claim.completedAt,
      claim.voided === null ? null : JSON.stringify(claim.voided),
    );
  }

  remove(referenceId: string): void {
    this.#sql.exec("DELETE FROM claims WHERE reference_id = ?", referenceId);
  }

  /** At most `limit` claims after a reference, ordered by reference. */
  after(referenceId: string, limit: number): Claim[] {
    return [
      ...this.#sql.exec<Row>(
        "SELECT * FROM claims WHERE reference_id > ? ORDER BY reference_id LIMIT ?",
        referenceId,
        limit,
      ),
    ].map(fromRow);
  }
}

function fromRow(row: Row): Claim {
  return {
    referenceId: row.reference_id,
    deviceId: row.device_id,
    admittedAt: row.admitted_at,
    requestId: row.request_id,
    revision: row.revision,
    event: row.event,
    completedAt: row.completed_at,
    voided: row.voided === null ? null : (JSON.parse(row.voided) as VoidMark),
  };
}
