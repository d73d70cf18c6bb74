/** Sessions: one per login, with the ingredients of its current token pair. */
import { BoundedMap } from "../../bounds/bounded-map.ts";
import type { PairIngredients } from "../../keys/token-pair.ts";
import { REMEMBERED } from "../limits.ts";
import { upsert } from "../../objects/storage/upsert.ts";

export interface Session {
  sessionId: string;
  /** The newest pair. */
  pair: PairIngredients;
  /** The refresh token that was exchanged for the pair, and when; null if the login created the pair. */
  previousRefreshId: string | null;
  rotatedAt: number | null;
}

interface Row extends Record<string, SqlStorageValue> {
  session_id: string;
  expires_at: number;
  kid: string;
  timezone: string;
  issued_at: number;
  access_id: string;
  access_expires_at: number;
  refresh_id: string;
  previous_refresh_id: string | null;
  rotated_at: number | null;
}

const SAVE = upsert(
  "sessions",
  ["session_id"],
  [
    "expires_at",
    "kid",
    "timezone",
    "issued_at",
    "access_id",
    "access_expires_at",
    "refresh_id",
    "previous_refresh_id",
    "rotated_at",
  ],
);

export class Sessions {
  readonly #sql: SqlStorage;
  #ended = false;
  /** Sessions that `has` has found: each transfer asks. Forgotten when any session ends. */
  #found = new BoundedMap<string, true>(REMEMBERED);

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** null if there is no such session, or it has ended. */
  find(sessionId: string): Session | null {
    const row = this.#sql.exec<Row>("SELECT * FROM sessions WHERE session_id = ?", sessionId).toArray()[0];
    if (row === undefined) return null;
    const pair: PairIngredients = {
      kid: row.kid,
      timezone: row.timezone,
      issuedAt: row.issued_at,
      accessId: row.access_id,
      accessExpiresAt: row.access_expires_at,
      refreshId: row.refresh_id,
      refreshExpiresAt: row.expires_at,
    };
    return { sessionId, pair, previousRefreshId: row.previous_refresh_id, rotatedAt: row.rotated_at };
  }

  has(sessionId: string): boolean {
    if (this.#found.get(sessionId) !== undefined) return true;
    const found = this.#sql.exec("SELECT 1 FROM sessions WHERE session_id = ?", sessionId).toArray().length > 0;
    if (found) this.#found.set(sessionId, true);
    return found;
  }

  save({ sessionId, pair, previousRefreshId, rotatedAt }: Session): void {
    this.#sql.exec(
      SAVE,
      sessionId,
      pair.refreshExpiresAt,
      pair.kid,
      pair.timezone,
      pair.issuedAt,
      pair.accessId,
      pair.accessExpiresAt,
      pair.refreshId,
      previousRefreshId,
      rotatedAt,
    );
  }

  end(sessionId: string): void {
    this.#noteEnd(this.#sql.exec("DELETE FROM sessions WHERE session_id = ?", sessionId));
  }

  endAll(): void {
    this.#noteEnd(this.#sql.exec("DELETE FROM sessions"));
  }

  /** Deletes sessions whose tokens have all expired. */
  forgetEnded(now: number): void {
    this.#noteEnd(this.#sql.exec("DELETE FROM sessions WHERE expires_at <= ?", now));
  }

  #noteEnd({ rowsWritten }: { rowsWritten: number }): void {
    if (rowsWritten === 0) return;
    this.#ended = true;
    this.#forget();
  }

  #forget(): void {
    this.#found = new BoundedMap(REMEMBERED);
  }

  /** The turn was undone: no session has begun or ended. */
  rollBack(): void {
    this.#ended = false;
    this.#forget();
  }

  /** Whether a session has ended since the last call. */
  takeEnded(): boolean {
    const ended = this.#ended;
    this.#ended = false;
    return ended;
  }

  /**
   * Remembers a signed login until then.
   *
   * @param signature in lower case
   * @returns false if it was used before
   */
  useLogin(signature: string, until: number, now: number): boolean {
    this.#sql.exec("DELETE FROM used_logins WHERE until < ?", now);
    const { rowsWritten } = this.#sql.exec(
      "INSERT INTO used_logins (signature, until) VALUES (?, ?) ON CONFLICT DO NOTHING",
      signature,
      until,
    );
    return rowsWritten > 0;
  }
}
