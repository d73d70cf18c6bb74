/**
 * Every terminal that is or was bound to the account. References are claimed for these only, and no other terminal is
 * called.
 */
import type { DeviceNews } from "../calls.ts";

export interface Device {
  /** As far as the account knows. The terminal's object has the last word. */
  bound: boolean;
  bindingVersion: number;
}

export class Devices {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(terminalId: string): Device | null {
    const row = this.#sql
      .exec<{ bound: number; binding_version: number }>(
        "SELECT bound, binding_version FROM devices WHERE terminal_id = ?",
        terminalId,
      )
      .toArray()[0];
    return row === undefined ? null : { bound: row.bound === 1, bindingVersion: row.binding_version };
  }

  /** The answer to its news tells the terminal `toldVersion` of the terms. */
  save({ terminalId, bindingVersion, bound }: DeviceNews, toldVersion: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO devices (terminal_id, binding_version, bound, told_version) VALUES (?, ?, ?, ?)",
      terminalId,
      bindingVersion,
      bound ? 1 : 0,
      toldVersion,
    );
  }

  bound(): string[] {
    return this.#ids("SELECT terminal_id FROM devices WHERE bound = 1 ORDER BY terminal_id");
  }

  /** At most `limit` bound terminals that do not know this version of the terms. */
  notTold(version: number, limit: number): string[] {
    const query = "SELECT terminal_id FROM devices WHERE bound = 1 AND told_version < ? ORDER BY terminal_id LIMIT ?";
    return this.#ids(query, version, limit);
  }

  told(terminalId: string, version: number): void {
    this.#sql.exec(
      "UPDATE devices SET told_version = ?1 WHERE terminal_id = ?2 AND told_version < ?1",
      version,
      terminalId,
    );
  }

  #ids(query: string, ...values: SqlStorageValue[]): string[] {
    return [...this.#sql.exec<{ terminal_id: string }>(query, ...values)].map((row) => row.terminal_id);
  }
}
