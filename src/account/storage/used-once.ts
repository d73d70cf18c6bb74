/** What is valid once: signed logins, and the nonces of signed calls. Each is remembered while its message is acceptable. */
export class UsedOnce {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #column: string;

  constructor(sql: SqlStorage, table: "used_nonces" | "used_logins", column: "nonce" | "signature") {
    this.#sql = sql;
    this.#table = table;
    this.#column = column;
  }

  /**
   * Remembers a text until then, epoch milliseconds.
   *
   * @returns false if it was used before
   */
  use(text: string, until: number, now: number): boolean {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE until < ?`, now);
    const { rowsWritten } = this.#sql.exec(
      `INSERT INTO ${this.#table} (${this.#column}, until) VALUES (?, ?) ON CONFLICT DO NOTHING`,
      text,
      until,
    );
    return rowsWritten > 0;
  }
}
