/** Transactions that were 22 when events were last tallied. Later ones are found in the events themselves. */

export interface Unsettled {
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

export class UnsettledRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): Unsettled[] {
    return [...this.#sql.exec<Row>("SELECT * FROM unsettled ORDER BY request_id")].map((row) => ({
      requestId: row.request_id,
      event: row.event,
      deviceId: row.device_id,
      currency: row.currency,
      transAmt: row.trans_amt,
    }));
  }

  save({ requestId, event, deviceId, currency, transAmt }: Unsettled): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO unsettled (request_id, event, device_id, currency, trans_amt) VALUES (?, ?, ?, ?, ?)",
      requestId,
      event,
      deviceId,
      currency,
      transAmt,
    );
  }

  /** Writes nothing if it does not exist. */
  remove(requestId: number): void {
    this.#sql.exec("DELETE FROM unsettled WHERE request_id = ?", requestId);
  }
}
