/** I1: the device of each reference, and its recorded transaction. */
import type { VoidedBy } from "../../protocol/events.ts";
import { Table } from "../../objects/storage/rows.ts";
import type { ContraryCopy, UnresolvedCopy } from "../../storage/unresolved.ts";
import type { DeviceNews } from "../../rpc/account.ts";

/** A reference may be reused after 400 days, so the mark names the voided transaction. */
export interface VoidMark extends VoidedBy {
  of: number;
}

export interface Claim {
  referenceId: string;
  deviceId: string;
  /** The last admission, accurate to a day. */
  admittedAt: number;
  /** null: no transaction is recorded. */
  requestId: number | null;
  revision: number;
  event: number | null;
  /** null: the recorded transaction is open, or none is recorded. */
  completedAt: number | null;
  voided: VoidMark | null;
}

export class Claims {
  readonly #sql: SqlStorage;
  readonly #rows: Table<Claim>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new Table(sql, "claims", {
      referenceId: "key",
      deviceId: "plain",
      admittedAt: "plain",
      requestId: "plain",
      revision: "plain",
      event: "plain",
      completedAt: "plain",
      voided: "json",
    });
  }

  find(referenceId: string): Claim | null {
    return this.#rows.select("WHERE reference_id = ?", referenceId)[0] ?? null;
  }

  /** Writes a claim without a recorded transaction. @returns false, and writes nothing, if the reference has a claim */
  add({ referenceId, deviceId, admittedAt }: Claim): boolean {
    const { rowsWritten } = this.#sql.exec(
      `INSERT INTO claims (reference_id, device_id, admitted_at, revision) VALUES (?, ?, ?, 0)
       ON CONFLICT (reference_id) DO NOTHING`,
      referenceId,
      deviceId,
      admittedAt,
    );
    return rowsWritten > 0;
  }

  save(claim: Claim): void {
    this.#rows.save(claim);
  }

  remove(referenceId: string): void {
    this.#sql.exec("DELETE FROM claims WHERE reference_id = ?", referenceId);
  }

  /** Ordered by reference. */
  after(referenceId: string, limit: number): Claim[] {
    return this.#rows.select("WHERE reference_id > ? ORDER BY reference_id LIMIT ?", referenceId, limit);
  }
}

interface ContraryResult {
  requestId: number;
  deviceId: string;
  /** Of the report: a report that is told again is known. */
  version: number;
  /** Until an operator closes it. */
  open: boolean;
  copy: UnresolvedCopy & { contrary: ContraryCopy };
}

export class ContraryResults {
  readonly #rows: Table<ContraryResult>;

  constructor(sql: SqlStorage) {
    this.#rows = new Table(sql, "contrary_results", {
      requestId: "key",
      deviceId: "key",
      version: "key",
      open: "flag",
      copy: "json",
    });
  }

  /** Oldest first. Of more than one terminal only if the counter of numbers was ever set back. */
  of(requestId: number): ContraryResult[] {
    return this.#rows.select("WHERE request_id = ? ORDER BY version", requestId);
  }

  /** Oldest first. */
  open(): ContraryResult[] {
    return this.#rows.select("WHERE open = 1 ORDER BY version");
  }

  save(result: ContraryResult): void {
    this.#rows.save(result);
  }
}

/**
 * Every terminal that is or was bound to the account. References are claimed only for these, and no other terminal is
 * called.
 */
export interface Device {
  terminalId: string;
  /** As far as the account knows. Only the terminal's object is sure. */
  bound: boolean;
  bindingVersion: number;
}

export class Devices {
  readonly #sql: SqlStorage;
  readonly #rows: Table<Device>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new Table(sql, "devices", { terminalId: "key", bindingVersion: "plain", bound: "flag" });
  }

  find(terminalId: string): Device | null {
    return this.#rows.select("WHERE terminal_id = ?", terminalId)[0] ?? null;
  }

  save({ terminalId, bindingVersion, bound }: DeviceNews): void {
    this.#rows.save({ terminalId, bindingVersion, bound });
  }

  bound(atMost = -1): string[] {
    const query = "SELECT terminal_id FROM devices WHERE bound = 1 ORDER BY terminal_id LIMIT ?";
    return [...this.#sql.exec<{ terminal_id: string }>(query, atMost)].map((row) => row.terminal_id);
  }
}
