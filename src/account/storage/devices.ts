/**
 * Every terminal that is or was bound to the account. References are claimed for these only, and no other terminal is
 * called.
 */
import { BoundedMap } from "../../bounds/bounded-map.ts";
import type { DeviceNews } from "../../rpc/account.ts";
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

  save({ terminalId, bindingVersion, bound }: DeviceNews): void {
    this.#sql.exec(
      `INSERT INTO devices (terminal_id, binding_version, bound) VALUES (?, ?, ?)
       ON CONFLICT (terminal_id) DO UPDATE SET binding_version = excluded.binding_version, bound = excluded.bound`,
      terminalId,
      bindingVersion,
      bound ? 1 : 0,
    );
    this.#found.set(terminalId, { bound, bindingVersion });
  }

  /** @param atMost how many */
  bound(atMost = -1): string[] {
    const query = "SELECT terminal_id FROM devices WHERE bound = 1 ORDER BY terminal_id LIMIT ?";
    return [...this.#sql.exec<{ terminal_id: string }>(query, atMost)].map((row) => row.terminal_id);
  }
}
