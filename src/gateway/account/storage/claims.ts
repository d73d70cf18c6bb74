/** The device of each reference (I1), and its recorded transaction. */
import type { VoidedBy } from "../../../protocol/events.ts";
import { RowTable } from "../../durable/storage/rows.ts";
import type { ConflictCopy, PendingCopy } from "../../d1/pending.ts";
import type { DeviceUpdate } from "../rpc.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/** A reference may be reused after 400 days, so the mark names the voided transaction. */
export interface VoidMark extends VoidedBy {
  of: number;
}

export interface Claim {
  referenceId: string;
  deviceId: string;
  /** The time of the last admission, accurate to a day. */
  admittedAt: EpochMs;
  /** It is null if no transaction is recorded. */
  requestId: number | null;
  revision: number;
  event: number | null;
  /** It is null if the recorded transaction is open, or none is recorded. */
  completedAt: EpochMs | null;
  voided: VoidMark | null;
}

export class Claims {
  readonly #sql: SqlStorage;
  readonly #rows: RowTable<Claim>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new RowTable(sql, "claims", {
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

  /** Returns the claims of pending transactions, in the order of their newest events. */
  pending(): Claim[] {
    return this.#rows.select("WHERE request_id IS NOT NULL AND completed_at IS NULL ORDER BY event");
  }

  /** Returns claims in the order of their references. */
  after(referenceId: string, limit: number): Claim[] {
    return this.#rows.select("WHERE reference_id > ? ORDER BY reference_id LIMIT ?", referenceId, limit);
  }
}

interface ConflictingResult {
  requestId: number;
  deviceId: string;
  /** The version of the report, by which a repeated one is recognized. */
  version: number;
  /** The time when an operator closed it; null while it is open. */
  closedAt: EpochMs | null;
  copy: PendingCopy & { conflict: ConflictCopy };
}

export class ConflictingResults {
  readonly #sql: SqlStorage;
  readonly #rows: RowTable<ConflictingResult>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new RowTable(sql, "conflicting_results", {
      requestId: "key",
      deviceId: "key",
      version: "key",
      closedAt: "plain",
      copy: "json",
    });
  }

  /**
   * Returns the oldest first. They belong to more than one terminal only if the counter of numbers was ever set back.
   */
  of(requestId: number): ConflictingResult[] {
    return this.#rows.select("WHERE request_id = ? ORDER BY version", requestId);
  }

  /** Returns the oldest first. */
  open(): ConflictingResult[] {
    return this.#rows.select("WHERE closed_at IS NULL ORDER BY version");
  }

  save(result: ConflictingResult): void {
    this.#rows.save(result);
  }

  /** Removes at most `limit` results, in the order in which operators closed them. */
  removeClosedBefore(time: number, limit: number): void {
    const query =
      "SELECT request_id, device_id, version FROM conflicting_results WHERE closed_at < ? ORDER BY closed_at LIMIT ?";
    this.#sql.exec(`DELETE FROM conflicting_results WHERE (request_id, device_id, version) IN (${query})`, time, limit);
  }
}

/**
 * Every terminal that is bound to the account, or was and may still have transactions of it. References are claimed only
 * for these, and no other terminal is called.
 */
export interface ClaimedDevice {
  terminalId: string;
  /** Whether the device is bound, according to the account. Only the terminal's object is authoritative. */
  bound: boolean;
  bindingVersion: number;
}

export class Devices {
  readonly #sql: SqlStorage;
  readonly #rows: RowTable<ClaimedDevice>;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#rows = new RowTable(sql, "devices", { terminalId: "key", bindingVersion: "plain", bound: "flag" });
  }

  find(terminalId: string): ClaimedDevice | null {
    return this.#rows.select("WHERE terminal_id = ?", terminalId)[0] ?? null;
  }

  save({ terminalId, bindingVersion, bound }: DeviceUpdate): void {
    this.#rows.save({ terminalId, bindingVersion, bound });
  }

  /** Records that pruning has found claims of these terminals. */
  noteClaims(terminalIds: ReadonlySet<string>, now: EpochMs): void {
    const query =
      "UPDATE devices SET claims_seen_at = ? WHERE bound = 0 AND terminal_id IN (SELECT value FROM json_each(?))";
    this.#sql.exec(query, now, JSON.stringify([...terminalIds]));
  }

  /**
   * Removes at most `limit` terminals that are not bound, and of which nothing is claimed.
   */
  removeUnused(
    { unboundBefore, unclaimedSince }: { unboundBefore: number; unclaimedSince: number },
    limit: number,
  ): void {
    // A binding's version is its time (`Outbox.nextVersion`).
    const query =
      "SELECT terminal_id FROM devices WHERE bound = 0 AND binding_version < ? AND claims_seen_at < ? LIMIT ?";
    this.#sql.exec(`DELETE FROM devices WHERE terminal_id IN (${query})`, unboundBefore, unclaimedSince, limit);
  }

  bound(atMost = -1): string[] {
    const query = "SELECT terminal_id FROM devices WHERE bound = 1 ORDER BY terminal_id LIMIT ?";
    return [...this.#sql.exec<{ terminal_id: string }>(query, atMost)].map((row) => row.terminal_id);
  }
}
