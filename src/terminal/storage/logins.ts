/** The logins that the terminal has used: each is valid once. Only in SQL, so that it survives a restart. */
import type { Sql } from "../../objects/storage/turn-sql.ts";

export class UsedLogins {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get count(): number {
    return this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM logins").one().count;
  }

  /** Deletes those signed before `time`, epoch milliseconds. */
  forgetBefore(time: number): void {
    this.#sql.exec("DELETE FROM logins WHERE signed_at < ?", time);
  }

  has(signature: string): boolean {
    return this.#sql.exec("SELECT 1 FROM logins WHERE signature = ?", signature).toArray().length > 0;
  }

  /**
   * @param signature in lower case
   * @param signedAt the login's `datetime`, epoch milliseconds
   */
  add(signature: string, signedAt: number): void {
    this.#sql.exec("INSERT INTO logins (signature, signed_at) VALUES (?, ?)", signature, signedAt);
  }
}
