import type { PairIngredients } from "../../secrets/tokens.ts";
import { RowTable } from "../../durable/storage/rows.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

export interface StoredSession {
  sessionId: string;
  pair: PairIngredients;
  /** The refresh token that was exchanged for the pair, and when; null if the login created the pair. */
  previousRefreshId: string | null;
  rotatedAt: EpochMs | null;
}

/** The session ends with its refresh token. */
type Row = Pick<StoredSession, "sessionId" | "previousRefreshId" | "rotatedAt"> &
  Omit<PairIngredients, "refreshExpiresAt"> & { expiresAt: EpochMs };

export class Sessions {
  readonly #sql: SqlStorage;
  readonly #rows: RowTable<Row>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new RowTable(sql, "sessions", {
      sessionId: "key",
      expiresAt: "plain",
      kid: "plain",
      timezone: "plain",
      issuedAt: "plain",
      accessId: "plain",
      accessExpiresAt: "plain",
      refreshId: "plain",
      previousRefreshId: "plain",
      rotatedAt: "plain",
      devices: "json",
    });
  }

  /** Returns null if the session is unknown or has ended. */
  find(sessionId: string): StoredSession | null {
    const [row] = this.#rows.select("WHERE session_id = ?", sessionId);
    if (row === undefined) return null;
    const { expiresAt, previousRefreshId, rotatedAt, sessionId: _name, ...pair } = row;
    return { sessionId, pair: { ...pair, refreshExpiresAt: expiresAt }, previousRefreshId, rotatedAt };
  }

  has(sessionId: string): boolean {
    return this.#sql.exec("SELECT 1 FROM sessions WHERE session_id = ?", sessionId).toArray().length > 0;
  }

  save({ pair: { refreshExpiresAt: expiresAt, ...pair }, ...session }: StoredSession): void {
    this.#rows.save({ ...session, ...pair, expiresAt });
  }

  end(sessionId: string): void {
    this.#sql.exec("DELETE FROM sessions WHERE session_id = ?", sessionId);
  }

  endAll(): void {
    this.#sql.exec("DELETE FROM sessions");
  }

  /** Deletes sessions whose tokens have all expired. */
  forgetEnded(now: EpochMs): void {
    this.#sql.exec("DELETE FROM sessions WHERE expires_at <= ?", now);
  }
}

/** Signed logins, and the nonces of signed calls. Each is remembered while its message is acceptable. */
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
   * @returns false if the text was used before
   */
  use(text: string, until: EpochMs, now: EpochMs): boolean {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE until < ?`, now);
    const { rowsWritten } = this.#sql.exec(
      `INSERT INTO ${this.#table} (${this.#column}, until) VALUES (?, ?) ON CONFLICT DO NOTHING`,
      text,
      until,
    );
    return rowsWritten > 0;
  }
}
