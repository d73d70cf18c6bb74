/** What accounts must be told about the terminal's binding: written in the turn that changes it, deleted when told. */
import type { Sql } from "../../objects/storage/turn-sql.ts";

export interface BindingChange {
  posId: string;
  /** The version of the binding after the change. */
  bindingVersion: number;
  bound: boolean;
  /** Epoch milliseconds. */
  changedAt: number;
}

/** An account is told only its newest change. */
export class BindingNewsRows {
  readonly #sql: Sql;
  /** The rows in SQL, by posId; null: not read yet. */
  #rows: Map<string, BindingChange> | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The turn was undone: reads the rows again. */
  rollBack(): void {
    this.#rows = null;
  }

  all(): ReadonlyMap<string, BindingChange> {
    this.#rows ??= this.#read();
    return this.#rows;
  }

  put(change: BindingChange): void {
    const { posId, bindingVersion, bound, changedAt } = change;
    this.#sql.exec(
      "INSERT OR REPLACE INTO binding_news (pos_id, binding_version, bound, changed_at) VALUES (?, ?, ?, ?)",
      posId,
      bindingVersion,
      bound ? 1 : 0,
      changedAt,
    );
    this.#rows?.set(posId, change);
  }

  /** The account knows it. A newer change stays. */
  told({ posId, bindingVersion }: BindingChange): void {
    this.#sql.exec("DELETE FROM binding_news WHERE pos_id = ? AND binding_version = ?", posId, bindingVersion);
    if (this.#rows?.get(posId)?.bindingVersion === bindingVersion) this.#rows.delete(posId);
  }

  #read(): Map<string, BindingChange> {
    const rows = this.#sql.exec<{ pos_id: string; binding_version: number; bound: number; changed_at: number }>(
      "SELECT pos_id, binding_version, bound, changed_at FROM binding_news",
    );
    return new Map(
      [...rows].map(({ pos_id: posId, binding_version: bindingVersion, bound, changed_at: changedAt }) => [
        posId,
        { posId, bindingVersion, bound: bound === 1, changedAt },
      ]),
    );
  }
}
