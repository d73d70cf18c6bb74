/**
 * Results that did not change their transaction, stored for the operator: each may be all that is left of a payment
 * (I4).
 */
import type { Sql } from "../../durable/storage/rows.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import type { StoredReports, StoredAs } from "../lane/index.ts";
import { OPEN_REQUESTS } from "../../../protocol/limits.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/**
 * One transaction has at most this many stored reports. The first ones show what happened; more only fill the object.
 */
export const KEPT_REPORTS = 100;

/**
 * The object stores at most this many results about requests that the terminal was never sent: as many as a terminal
 * can have open, a megabyte. The terminal keeps any more.
 */
const ORPHAN_REPORTS = OPEN_REQUESTS;

export interface StoredReport {
  keptAs: StoredAs;
  keptAt: EpochMs;
  /** The result's specified fields, with card data masked. */
  report: JsonObject;
}

/** A signed result about a request that this terminal was never sent. */
type OrphanReport = Omit<StoredReport, "keptAs"> & { requestId: number };

export class StoredReportTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  beside(requestId: number, report: JsonObject): StoredReports {
    const body = JSON.stringify(report);
    const rows = this.#sql
      .exec<{ kept_as: StoredAs; same: number }>(
        "SELECT kept_as, body = ? AS same FROM reports WHERE request_id = ?",
        body,
        requestId,
      )
      .toArray();
    const as = rows.filter(({ same }) => same === 1).map(({ kept_as }) => kept_as);
    return { as, hasRoom: rows.length < KEPT_REPORTS };
  }

  /** All orphan reports share one limit. */
  orphan(requestId: number, report: JsonObject): StoredReports {
    const { as } = this.beside(requestId, report);
    const { orphans } = this.#sql
      .exec<{ orphans: number }>("SELECT COUNT(*) AS orphans FROM reports WHERE kept_as = 'orphan'")
      .one();
    return { as, hasRoom: orphans < ORPHAN_REPORTS };
  }

  add(requestId: number, keptAs: StoredAs, report: JsonObject, now: EpochMs): void {
    this.#sql.exec(
      "INSERT INTO reports (request_id, kept_as, kept_at, body) VALUES (?, ?, ?, ?)",
      requestId,
      keptAs,
      now,
      JSON.stringify(report),
    );
  }

  /** Returns the oldest first. */
  of(requestId: number): StoredReport[] {
    const rows = this.#sql.exec<{ kept_as: StoredAs; kept_at: number; body: string }>(
      "SELECT kept_as, kept_at, body FROM reports WHERE request_id = ? ORDER BY report_id",
      requestId,
    );
    return [...rows].map((row) => ({
      keptAs: row.kept_as,
      keptAt: row.kept_at,
      report: JSON.parse(row.body) as JsonObject,
    }));
  }

  /** Returns null if there is none. */
  oldestOrphan(): EpochMs | null {
    const query = "SELECT kept_at FROM reports WHERE kept_as = 'orphan' ORDER BY kept_at LIMIT 1";
    return this.#sql.exec<{ kept_at: number }>(query).toArray()[0]?.kept_at ?? null;
  }

  pruneOrphans(before: number): void {
    this.#sql.exec("DELETE FROM reports WHERE kept_as = 'orphan' AND kept_at < ?", before);
  }

  /** Returns the newest first. */
  orphans(): OrphanReport[] {
    const rows = this.#sql.exec<{ request_id: number; kept_at: number; body: string }>(
      "SELECT request_id, kept_at, body FROM reports WHERE kept_as = 'orphan' ORDER BY report_id DESC",
    );
    return [...rows].map((row) => ({
      requestId: row.request_id,
      keptAt: row.kept_at,
      report: JSON.parse(row.body) as JsonObject,
    }));
  }
}

/** Each login is valid once. Logins are only in SQL, so that this survives a restart. */

export class UsedLogins {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get count(): number {
    return this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM logins").one().count;
  }

  forgetBefore(time: number): void {
    this.#sql.exec("DELETE FROM logins WHERE signed_at < ?", time);
  }

  has(signature: string): boolean {
    return this.#sql.exec("SELECT 1 FROM logins WHERE signature = ?", signature).toArray().length > 0;
  }

  /**
   * @param signature in lower case
   * @param signedAt the login's `datetime`
   */
  add(signature: string, signedAt: EpochMs): void {
    this.#sql.exec("INSERT INTO logins (signature, signed_at) VALUES (?, ?)", signature, signedAt);
  }
}
