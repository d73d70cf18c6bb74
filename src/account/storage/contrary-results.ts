/** Results that contradict a completed transaction, each by itself. */
import { Table } from "../../objects/storage/table.ts";
import type { ContraryCopy, UnresolvedCopy } from "../../storage/unresolved.ts";

export interface ContraryResult {
  requestId: number;
  /** Of the report: one that is told again is known. */
  version: number;
  /** Until an operator closes it. */
  open: boolean;
  /** What D1 is told. */
  copy: UnresolvedCopy & { contrary: ContraryCopy };
}

export class ContraryResults {
  readonly #rows: Table<ContraryResult>;

  constructor(sql: SqlStorage) {
    this.#rows = new Table(sql, "contrary_results", {
      requestId: "key",
      version: "key",
      open: "flag",
      copy: "json",
    });
  }

  /** Those of a transaction, oldest first. */
  of(requestId: number): ContraryResult[] {
    return this.#rows.select("WHERE request_id = ? ORDER BY version", requestId);
  }

  /** All that are open, oldest first. */
  open(): ContraryResult[] {
    return this.#rows.select("WHERE open = 1 ORDER BY version");
  }

  save(result: ContraryResult): void {
    this.#rows.save(result);
  }
}
