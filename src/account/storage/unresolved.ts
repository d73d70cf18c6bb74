/** Transactions that were 22 when events were last tallied. Later ones are found in the events themselves. */
import { upsert } from "../../objects/storage/upsert.ts";

export interface Unresolved {
  requestId: number;
  event: number;
  deviceId: string;
  currency: string;
  /** Hundredths; null if it has none. */
  transAmt: number | null;
}

interface Row extends Record<string, SqlStorageValue> {
  request_id: number;
  event: number;
  device_id: string;
  currency: string;
  trans_amt: number | null;
}

const SAVE = upsert("unresolved", ["request_id"], ["event", "device_id", "currency", "trans_amt"]);

export class UnresolvedRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): Unresolved[] {
    return [...this.#sql.exec<Row>("SELECT * FROM unresolved ORDER BY request_id")].map((row) => ({
      requestId: row.request_id,
      event: row.event,
      deviceId: row.device_id,
      currency: row.currency,
      transAmt: row.trans_amt,
    }));
  }

  save({ requestId, event, deviceId, currency, transAmt }: Unresolved): void {
    this.#sql.exec(SAVE, requestId, event, deviceId, currency, transAmt);
  }

  /** Writes nothing if it does not exist. */
  remove(requestId: number): void {
    this.#sql.exec("DELETE FROM unresolved WHERE request_id = ?", requestId);
  }
}
