/** The nonces of accepted signed calls, kept while their datetime is acceptable: each is valid once. */
export class Nonces {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Remembers a nonce until then, epoch milliseconds.
   *
   * @returns false if it was used before
   */
  use(nonce: string, until: number, now: number): boolean {
    this.#sql.exec("DELETE FROM used_nonces WHERE until < ?", now);
    const { rowsWritten } = this.#sql.exec(
      "INSERT INTO used_nonces (nonce, until) VALUES (?, ?) ON CONFLICT DO NOTHING",
      nonce,
      until,
    );
    return rowsWritten > 0;
  }
}
