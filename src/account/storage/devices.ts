/**
 * Every terminal that is or was bound to the account. References are claimed for these only, and no other terminal is
 * called.
 */
import { BoundedMap } from "../../bounded-map.ts";
import type { DeviceNews } from "../calls.ts";
import { REMEMBERED } from "../limits.ts";

export interface Device {
  /** As far as the account knows. The terminal's object has the last word. */
  bound: boolean;
  bindingVersion: number;
}

export class Devices {
  readonly #sql: SqlStorage;
  /** Terminals that `find` has found: each transfer asks. */
  #found = new BoundedMap<string, Device>(REMEMBERED);

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The turn was undone, and with it what it saved. */
  rollBack(): void {
    this.#found = new BoundedMap(REMEMBERED);
  }

  find(terminalId: string): Device | null {
    const known = this.#found.get(terminalId);
    if (known !== undefined) return known;
    const row = this.#sql
      .exec<{ bound: number; binding_version: number }>(
        "SELECT bound, binding_version FROM devices WHERE terminal_id = ?",
        terminalId,
      )
      .toArray()[0];
    if (row === undefined) return null;
    const device = { bound: row.bound === 1, bindingVersion: row.binding_version };
    this.#found.set(terminalId, device);
    return device;
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
    this.#found.set(terminalId, { bound, bindingVersion });
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
