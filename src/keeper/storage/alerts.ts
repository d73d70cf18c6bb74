/** What each of the operators' endpoints was told, and gets next. */
import { type Sql, Table } from "../../objects/storage/rows.ts";
import { TOLD_LIFE } from "../../objects/limits.ts";
import { type AlertSettings, DEFAULT_ALERTS } from "../../protocol/alerts.ts";
import type { ToldMatter } from "../matters.ts";

export const ALERT_TABLES = `
      -- What an endpoint is told, and after how many minutes: a JSON object.
      CREATE TABLE alert_settings (
        endpoint INTEGER PRIMARY KEY,
        settings TEXT NOT NULL
      ) STRICT;

      -- Matters that an endpoint was told of, and that are not over. body: JSON.
      CREATE TABLE told_matters (
        endpoint INTEGER NOT NULL,
        id TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (endpoint, id)
      ) STRICT, WITHOUT ROWID;

      -- The text of each delivery, in the order of an endpoint's numbers.
      CREATE TABLE alerts (
        endpoint INTEGER NOT NULL,
        number INTEGER NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (endpoint, number)
      ) STRICT, WITHOUT ROWID;
`;

export class AlertStore {
  readonly #sql: Sql;
  readonly #settings: Table<{ endpoint: number; settings: Partial<AlertSettings> }>;
  readonly #told: Table<{ endpoint: number; id: string; body: ToldMatter }>;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#settings = new Table(sql, "alert_settings", { endpoint: "key", settings: "json" });
    this.#told = new Table(sql, "told_matters", { endpoint: "key", id: "key", body: "json" });
  }

  settings(endpoint: number): AlertSettings {
    const [row] = this.#settings.select("WHERE endpoint = ?", endpoint);
    return { ...DEFAULT_ALERTS, ...row?.settings };
  }

  setSettings(endpoint: number, settings: AlertSettings): void {
    this.#settings.save({ endpoint, settings });
  }

  /** By id. */
  told(endpoint: number): Map<string, ToldMatter> {
    return new Map(this.#told.select("WHERE endpoint = ?", endpoint).map(({ id, body }) => [id, body]));
  }

  putTold(endpoint: number, told: ToldMatter): void {
    this.#told.save({ endpoint, id: told.matter.id, body: told });
  }

  removeTold(endpoint: number, { matter }: ToldMatter): void {
    this.#sql.exec("DELETE FROM told_matters WHERE endpoint = ? AND id = ?", endpoint, matter.id);
  }

  /** 0: none. The newest alert is never deleted, so numbers are never reused. */
  newest(endpoint: number): number {
    return this.#number("SELECT MAX(number) AS number FROM alerts WHERE endpoint = ?", endpoint);
  }

  /** 0: none. */
  oldest(endpoint: number): number {
    return this.#number("SELECT MIN(number) AS number FROM alerts WHERE endpoint = ?", endpoint);
  }

  #number(query: string, endpoint: number): number {
    return this.#sql.exec<{ number: number | null }>(query, endpoint).one().number ?? 0;
  }

  /** Deletes what was received long ago. @param cursor the newest number that the endpoint has received */
  append(endpoint: number, { number, body }: { number: number; body: string }, cursor: number, now: number): void {
    this.#sql.exec("INSERT INTO alerts (endpoint, number, at, body) VALUES (?, ?, ?, ?)", endpoint, number, now, body);
    const received = "DELETE FROM alerts WHERE endpoint = ? AND number <= ? AND at < ?";
    this.#sql.exec(received, endpoint, cursor, now - TOLD_LIFE);
  }

  next(endpoint: number, cursor: number): { number: number; body: string } | null {
    const query = "SELECT number, body FROM alerts WHERE endpoint = ? AND number > ? ORDER BY number LIMIT 1";
    return this.#sql.exec<{ number: number; body: string }>(query, endpoint, cursor).toArray()[0] ?? null;
  }

  remove(endpoint: number): void {
    for (const table of ["alert_settings", "told_matters", "alerts"]) {
      this.#sql.exec(`DELETE FROM ${table} WHERE endpoint = ?`, endpoint);
    }
  }
}
