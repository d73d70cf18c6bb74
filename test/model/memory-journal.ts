/** The journal in memory: what the object's SQLite would answer, and what its constraints would refuse. */
import type { KeptAs, Transaction } from "../../src/terminal/lane/index.ts";
import type { TransfersParts } from "../../src/terminal/transfers.ts";
import { Violation } from "./oracle.ts";
import { keyOf } from "./vocabulary.ts";

type LookUps = TransfersParts["journal"];

export class MemoryJournal implements LookUps {
  readonly #rows = new Map<number, Transaction>();
  readonly #references = new Map<string, number>();
  readonly #kept = new Set<number>();
  readonly #stray = new Set<number>();

  /** I2: a completed row is never written again. I1: a reference has one row. */
  write(transaction: Transaction): void {
    const { requestId, posId, referenceId } = transaction;
    if (this.#rows.get(requestId)?.state === "completed") {
      throw new Violation("I2", `${requestId} is completed and written again: ${JSON.stringify(transaction)}`);
    }
    const key = keyOf(posId, referenceId);
    const known = this.#references.get(key);
    if (known !== undefined && known !== requestId) {
      throw new Violation("I1", `${key} has a row ${known}, and ${requestId} is written`);
    }
    this.#references.set(key, requestId);
    this.#rows.set(requestId, transaction);
  }

  keep(requestId: number, as: KeptAs): void {
    (as === "stray" ? this.#stray : this.#kept).add(requestId);
  }

  holdsStray(requestId: number): boolean {
    return this.#stray.has(requestId);
  }

  /** I4: a report with this status could be acknowledged: it is in the row, or kept beside it. */
  holds(requestId: number, statusCode: string): boolean {
    const row = this.#rows.get(requestId);
    if (row?.state === "completed" && row.outcome?.statusCode === statusCode) return true;
    return this.#kept.has(requestId);
  }

  open(): Map<number, Transaction> {
    return new Map([...this.#rows].filter(([, { state }]) => state !== "completed").toSorted(([a], [b]) => a - b));
  }

  byRequestId(requestId: number): Transaction | null {
    return this.#rows.get(requestId) ?? null;
  }

  byReference(posId: string, referenceId: string): Transaction | null {
    const requestId = this.#references.get(keyOf(posId, referenceId));
    return requestId === undefined ? null : this.byRequestId(requestId);
  }

  newestThatReached(posId: string): Transaction | null {
    let newest: Transaction | null = null;
    for (const row of this.#rows.values()) {
      if (row.posId === posId && row.reached && row.transType !== null && row.requestId > (newest?.requestId ?? 0)) {
        newest = row;
      }
    }
    return newest;
  }

  voidsOf(requestId: number): Transaction[] {
    const number = String(requestId);
    const voids: Transaction[] = [];
    for (const row of this.#rows.values()) {
      if (row.transType === "void" && row.terms.transId === number) voids.push(row);
    }
    return voids;
  }

  hasTransactionsOf(posId: string): boolean {
    for (const row of this.#rows.values()) if (row.posId === posId) return true;
    return false;
  }

  page(): Transaction[] {
    return [...this.#rows.values()];
  }
}
