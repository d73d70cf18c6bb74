/** One row per transaction in the object's SQLite. Members that are searched have a column; the others are JSON. */
import { type LaneTransaction, INITIAL_PROGRESS } from "../lane/index.ts";
import type { TransactionState } from "../../../protocol/transactions.ts";
import type { TypeOrTombstone } from "../../../protocol/transfer-types.ts";
import type { Sql } from "../../durable/storage/rows.ts";
import type { TurnParticipant } from "../../durable/turns.ts";
import { PENDING_TRANSACTIONS } from "../../../protocol/limits.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/**
 * One step of pruning looks at, and deletes, at most this many rows, so that it never delays a payment. They are more
 * than the pending rows that a journal may begin with.
 */
export const JOURNAL_PRUNE_ROWS = 2 * PENDING_TRANSACTIONS;

/** The kind of the outbox's entries about transactions that their account lacks. The key is the requestId. */
export const OUTCOME = "outcome";

type Column =
  "requestId" | "posId" | "referenceId" | "transType" | "state" | "attempt" | "reached" | "receivedAt" | "completedAt";

interface Row extends Record<string, SqlStorageValue> {
  request_id: number;
  pos_id: string;
  reference_id: string;
  trans_type: TypeOrTombstone;
  state: TransactionState;
  attempt: number;
  reached: number;
  received_at: number;
  completed_at: number | null;
  body: string;
}

const COLUMNS =
  "request_id, pos_id, reference_id, trans_type, state, attempt, reached, received_at, completed_at, body";

export class Journal implements TurnParticipant {
  readonly #sql: Sql;
  /** The number as this turn has read and changed it; null before it is read. */
  #newest: number | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  forget(): void {
    this.#newest = null;
  }

  /** Returns the highest number, or 0 if there is no transaction. */
  get newest(): number {
    const query = "SELECT MAX(request_id) AS newest FROM transactions";
    this.#newest ??= this.#sql.exec<{ newest: number | null }>(query).one().newest ?? 0;
    return this.#newest;
  }

  /** Returns every transaction that is not completed, the oldest first. */
  open(): Map<number, LaneTransaction> {
    const rows = this.#all("WHERE completed_at IS NULL ORDER BY request_id");
    return new Map(rows.map((transaction) => [transaction.requestId, transaction]));
  }

  byRequestId(requestId: number): LaneTransaction | null {
    return this.#all("WHERE request_id = ?", requestId)[0] ?? null;
  }

  byReference(posId: string, referenceId: string): LaneTransaction | null {
    return this.#all("WHERE pos_id = ? AND reference_id = ?", posId, referenceId)[0] ?? null;
  }

  /** Returns the account's newest transaction that reached the terminal, which `getLast` is about. */
  newestThatReached(posId: string): LaneTransaction | null {
    const which = "WHERE pos_id = ? AND reached = 1 AND trans_type IS NOT NULL ORDER BY request_id DESC LIMIT 1";
    return this.#all(which, posId)[0] ?? null;
  }

  /** Returns the oldest first, without voids that were refused immediately. */
  listVoids(requestId: number): LaneTransaction[] {
    return this.#all("WHERE voids = ? ORDER BY request_id", requestId);
  }

  /** A tombstone counts too: the terminal was bound to the account. */
  hasTransactions(posId: string): boolean {
    return this.#sql.exec("SELECT 1 FROM transactions WHERE pos_id = ? LIMIT 1", posId).toArray().length > 0;
  }

  /** Returns the newest first, before the given requestId. */
  page(before: number, rows: number): LaneTransaction[] {
    return this.#all("WHERE request_id < ? ORDER BY request_id DESC LIMIT ?", before, rows);
  }

  /** The database refuses a number or reference that exists (I1). */
  insert(transaction: LaneTransaction): void {
    const { requestId, posId, referenceId, transType, state, attempt, reached, receivedAt, completedAt } = transaction;
    this.#sql.exec(
      `INSERT INTO transactions (request_id, pos_id, reference_id, trans_type, state, attempt, reached, received_at,
         completed_at, voids, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      requestId,
      posId,
      referenceId,
      transType,
      state,
      attempt,
      reached ? 1 : 0,
      receivedAt,
      completedAt,
      // A void that is completed already has voided nothing, and never will.
      state === "completed" ? null : (transaction.terms.transId ?? null),
      bodyOf(transaction),
    );
    if (this.#newest !== null && this.#newest < requestId) this.#newest = requestId;
  }

  /**
   * Sets the columns that have changed: SQLite writes an index again with each update that names one of its columns.
   *
   * @param before the stored row
   */
  update(transaction: LaneTransaction, before: LaneTransaction): void {
    const { requestId, state, attempt, reached, completedAt } = transaction;
    const columns: [column: string, value: SqlStorageValue][] = [
      ["state", state],
      ["attempt", attempt],
      ["body", bodyOf(transaction)],
    ];
    if (reached !== before.reached) columns.push(["reached", reached ? 1 : 0]);
    if (completedAt !== before.completedAt) columns.push(["completed_at", completedAt]);
    const set = columns.map(([column]) => `${column} = ?`).join(", ");
    const values = columns.map(([, value]) => value);
    this.#sql.exec(`UPDATE transactions SET ${set} WHERE request_id = ?`, ...values, requestId);
  }

  /** Returns when the oldest completed transaction was received, or null if there is none. */
  oldestCompleted(): EpochMs | null {
    const [oldest] = this.#sql
      .exec<{ received_at: number }>(
        "SELECT received_at FROM transactions WHERE state = 'completed' ORDER BY request_id LIMIT 1",
      )
      .toArray();
    return oldest?.received_at ?? null;
  }

  /**
   * Deletes completed transactions that are older than `before`, with their reports. Looks at a
   * bounded number of rows, oldest first. Never deletes pending ones, nor those that their account has not recorded. One
   * that was completed late is kept from its completion on (I4: its result was acknowledged only then).
   *
   * @param after looks at rows with higher numbers
   * @returns the number after which there may be more; null: there is none
   */
  prune(before: number, after: number): number | null {
    const rows = this.#sql
      .exec<{ request_id: number; received_at: number }>(
        "SELECT request_id, received_at FROM transactions WHERE request_id > ? ORDER BY request_id LIMIT ?",
        after,
        JOURNAL_PRUNE_ROWS,
      )
      .toArray();
    const last = rows.at(-1);
    if (last === undefined) return null;
    this.#sql.exec(
      `DELETE FROM transactions WHERE request_id > ? AND request_id <= ? AND state = 'completed' AND completed_at < ?
         AND request_id NOT IN (SELECT CAST(key AS INTEGER) FROM outbox WHERE kind = '${OUTCOME}')`,
      after,
      last.request_id,
      before,
    );
    this.forget();
    this.#sql.exec(
      `DELETE FROM reports WHERE request_id > ? AND request_id <= ? AND kept_as <> 'orphan'
         AND request_id NOT IN (SELECT request_id FROM transactions)`,
      after,
      last.request_id,
    );
    return rows.length === JOURNAL_PRUNE_ROWS && last.received_at < before ? last.request_id : null;
  }

  /** @param which the statement after `SELECT … FROM transactions` */
  #all(which: string, ...bindings: SqlStorageValue[]): LaneTransaction[] {
    const rows = this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM transactions ${which}`, ...bindings);
    return rows.toArray().map(fromRow);
  }
}

/** The format of `body`. Rows are kept for 400 days: every later version of the code must read every earlier format. */
const FORMAT = 1;

/** Stages are pairs, without names: with them, a page of the database would hold three rows, not four. */
interface Body extends Omit<LaneTransaction, Column | "stages"> {
  stages: [stage: string, at: EpochMs][];
}

/** A member that is missing in `body` has this value, as in most rows. */
const { completedAt: _column, ...USUAL } = INITIAL_PROGRESS;

/** Members that nobody needs once a transaction is completed. Its outcome, attempts and stages say the rest. */
const OPEN_MEMBERS: ReadonlySet<string> = new Set<keyof Body>(["sending", "acceptanceProved"]);

function bodyOf(transaction: LaneTransaction): string {
  const { terms, details, frozen, endsAt, stages, state } = transaction;
  const body: Record<string, unknown> = { format: FORMAT, terms, details, frozen, endsAt };
  for (const [name, usual] of Object.entries(USUAL)) {
    const value = transaction[name as keyof typeof USUAL];
    if (value !== usual && !(state === "completed" && OPEN_MEMBERS.has(name))) body[name] = value;
  }
  return JSON.stringify({ ...body, stages: stages.map(({ stage, at }) => [stage, at]) });
}

function fromRow(row: Row): LaneTransaction {
  const { format, stages, ...body } = JSON.parse(row.body) as Body & { format: number };
  if (format !== FORMAT)
    throw new Error(`transaction ${row.request_id} is stored in format ${format}, which is unknown`);
  return {
    ...INITIAL_PROGRESS,
    ...body,
    stages: stages.map(([stage, at]) => ({ stage, at })),
    requestId: row.request_id,
    posId: row.pos_id,
    referenceId: row.reference_id,
    transType: row.trans_type,
    state: row.state,
    attempt: row.attempt,
    reached: row.reached === 1,
    receivedAt: row.received_at,
    completedAt: row.completed_at,
  };
}
