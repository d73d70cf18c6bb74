/**
 * One row per transaction in the object's SQLite. Members that are searched have a column; the rest is JSON, without
 * the names of its members once the transaction is completed.
 */
import { PRUNE_ROWS } from "../limits.ts";
import { type FrozenTerms, type Transaction, INITIAL_PROGRESS } from "../lane/index.ts";
import type { Stage } from "../../protocol/stages.ts";
import type { Details, Terms, TransactionState } from "../../protocol/transactions.ts";
import { Positional } from "../../objects/storage/positional.ts";
import { LastReached } from "./last-reached.ts";
import type { TransactionDetails } from "../../protocol/transfers.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import type { Sql } from "../../objects/storage/rows.ts";

type Column =
  "requestId" | "posId" | "referenceId" | "transType" | "state" | "attempt" | "reached" | "receivedAt" | "completedAt";

interface Row extends Record<string, SqlStorageValue> {
  request_id: number;
  pos_id: string;
  reference_id: string;
  trans_type: TransactionType | null;
  state: TransactionState;
  attempt: number;
  reached: number;
  received_at: number;
  completed_at: number | null;
  body: string;
}

const COLUMNS =
  "request_id, pos_id, reference_id, trans_type, state, attempt, reached, received_at, completed_at, body";

export class Journal {
  readonly #sql: Sql;
  readonly #lastReached: LastReached;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#lastReached = new LastReached(sql);
  }

  /**
   * Every transaction that is not completed, oldest first: of the newest row and the rows that it names, those that are
   * open. A row names the transactions that were open, or not recorded at their account, when it was written. A
   * completed row never opens again, and no new row is older than an existing one, so each row knows where to look.
   * This saves an index of open rows, which would be one more row written with each change.
   */
  open(): Map<number, Transaction> {
    const newest = this.#sql
      .exec<Row & { open_before: string | null }>(
        `SELECT ${COLUMNS}, open_before FROM transactions ORDER BY request_id DESC LIMIT 1`,
      )
      .toArray()[0];
    if (newest === undefined) return new Map();
    const earlier =
      newest.open_before === null
        ? []
        : this.#sql.exec<Row>(
            `SELECT ${COLUMNS} FROM transactions
             WHERE request_id IN (SELECT value FROM json_each(?)) AND state <> 'completed' ORDER BY request_id`,
            newest.open_before,
          );
    const open = [...earlier, ...(newest.state === "completed" ? [] : [newest])];
    return new Map(open.map((row) => [row.request_id, fromRow(row)]));
  }

  /**
   * The newest row and the rows that it names, oldest first: includes every row that may not be recorded at its account
   * yet.
   */
  tail(): Transaction[] {
    return this.tailNumbers()
      .map((requestId) => this.byRequestId(requestId))
      .filter((transaction) => transaction !== null);
  }

  /** May include rows that are deleted meanwhile. */
  tailNumbers(): number[] {
    const newest = this.#sql
      .exec<{ request_id: number; open_before: string | null }>(
        "SELECT request_id, open_before FROM transactions ORDER BY request_id DESC LIMIT 1",
      )
      .toArray()[0];
    if (newest === undefined) return [];
    const { request_id, open_before } = newest;
    return [...(open_before === null ? [] : (JSON.parse(open_before) as number[])), request_id];
  }

  rename(named: readonly number[]): void {
    this.#sql.exec(
      `UPDATE transactions SET open_before = ?, reached_before = ?
       WHERE request_id = (SELECT MAX(request_id) FROM transactions)`,
      textOfNames(named),
      this.#lastReached.beforeFewerNames(),
    );
  }

  byRequestId(requestId: number): Transaction | null {
    return this.#first(`SELECT ${COLUMNS} FROM transactions WHERE request_id = ?`, requestId);
  }

  byReference(posId: string, referenceId: string): Transaction | null {
    return this.#first(`SELECT ${COLUMNS} FROM transactions WHERE pos_id = ? AND reference_id = ?`, posId, referenceId);
  }

  newestThatReached(posId: string): Transaction | null {
    return this.byRequestId(this.#lastReached.find(posId));
  }

  /** Oldest first, without voids that were refused at once. */
  voidsOf(requestId: number): Transaction[] {
    const rows = this.#sql.exec<Row>(
      `SELECT ${COLUMNS} FROM transactions WHERE voids = ? ORDER BY request_id`,
      requestId,
    );
    return [...rows].map(fromRow);
  }

  /** A tombstone counts too: the terminal was bound to the account. */
  hasTransactionsOf(posId: string): boolean {
    return this.#sql.exec("SELECT 1 FROM transactions WHERE pos_id = ? LIMIT 1", posId).toArray().length > 0;
  }

  /** Newest first, before the given requestId. */
  page(before: number, rows: number): Transaction[] {
    return [
      ...this.#sql.exec<Row>(
        `SELECT ${COLUMNS} FROM transactions WHERE request_id < ? ORDER BY request_id DESC LIMIT ?`,
        before,
        rows,
      ),
    ].map(fromRow);
  }

  /**
   * I1: the database refuses a number or reference that exists.
   *
   * @param named the numbers of all other transactions that are not completed now, or not recorded at their account
   */
  insert(transaction: Transaction, named: readonly number[]): void {
    const { requestId, posId, referenceId, transType, state, attempt, reached, receivedAt, completedAt } = transaction;
    this.#sql.exec(
      `INSERT INTO transactions (request_id, pos_id, reference_id, trans_type, state, attempt, reached, received_at,
         completed_at, voids, open_before, reached_before, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      textOfNames(named),
      this.#lastReached.beforeNewRow(posId),
      bodyOf(transaction),
    );
  }

  update(transaction: Transaction): void {
    const { requestId, state, attempt, reached, completedAt } = transaction;
    this.#sql.exec(
      `UPDATE transactions SET state = ?, attempt = ?, reached = ?, completed_at = ?, body = ?
       WHERE request_id = ?`,
      state,
      attempt,
      reached ? 1 : 0,
      completedAt,
      bodyOf(transaction),
      requestId,
    );
  }

  /** When the oldest completed transaction was received, epoch milliseconds; null if there is none. */
  oldestCompleted(): number | null {
    const [oldest] = this.#sql
      .exec<{ received_at: number }>(
        "SELECT received_at FROM transactions WHERE state = 'completed' ORDER BY request_id LIMIT 1",
      )
      .toArray();
    return oldest?.received_at ?? null;
  }

  /**
   * Deletes completed transactions that are older than `before`, epoch milliseconds, with their reports. Looks at a
   * bounded number of rows, oldest first. Never deletes unresolved ones. One that was completed late is kept from its
   * completion on (I4: its result was acknowledged only then).
   *
   * @param after looks at rows with higher numbers
   * @param kept numbers of rows that stay, regardless of age
   * @returns the number after which there may be more; null: there is none
   */
  prune(before: number, after: number, kept: readonly number[]): number | null {
    const rows = this.#sql
      .exec<{ request_id: number; received_at: number }>(
        "SELECT request_id, received_at FROM transactions WHERE request_id > ? ORDER BY request_id LIMIT ?",
        after,
        PRUNE_ROWS,
      )
      .toArray();
    const last = rows.at(-1);
    if (last === undefined) return null;
    this.#sql.exec(
      `DELETE FROM transactions WHERE request_id > ? AND request_id <= ? AND state = 'completed' AND completed_at < ?
         AND request_id NOT IN (SELECT value FROM json_each(?))`,
      after,
      last.request_id,
      before,
      JSON.stringify(kept),
    );
    this.#sql.exec(
      `DELETE FROM reports WHERE request_id > ? AND request_id <= ? AND kept_as <> 'stray'
         AND request_id NOT IN (SELECT request_id FROM transactions)`,
      after,
      last.request_id,
    );
    this.#lastReached.forgetDeleted();
    return rows.length === PRUNE_ROWS && last.received_at < before ? last.request_id : null;
  }

  #first(statement: string, ...bindings: SqlStorageValue[]): Transaction | null {
    const row = this.#sql.exec<Row>(statement, ...bindings).toArray()[0];
    return row === undefined ? null : fromRow(row);
  }
}

function textOfNames(named: readonly number[]): string | null {
  return named.length === 0 ? null : JSON.stringify(named);
}

/** Values that most rows share are not stored: this saves a sixth of the bytes, which are kept for a year. */
const { completedAt: _column, ...PROGRESS_IN_BODY } = INITIAL_PROGRESS;
const USUAL_MEMBERS = Object.entries(PROGRESS_IN_BODY) as [keyof typeof PROGRESS_IN_BODY, unknown][];

/** Members that nobody needs once a transaction is completed. Its outcome, attempts and stages say the rest. */
const OPEN_MEMBERS: ReadonlySet<string> = new Set<keyof typeof INITIAL_PROGRESS>(["sending", "acceptanceProved"]);

/** Append-only: a completed row stores a stage as its place here, and one that is missing here by its name. */
const STORED_STAGES =
  "received queued sent accepted pending completed present reading pin scan authorising printing".split(" ");

/**
 * A completed row's stages: places and times in turn. The first time is epoch milliseconds, each other the milliseconds
 * since the previous one. An open row stores them in full.
 */
type ShortStages = (string | number)[];

interface Body<Stages> extends Omit<Transaction, Column | "stages"> {
  stages: Stages;
}

export const STORED_TRANSACTIONS = new Positional<Body<ShortStages>>([
  ["terms", ["transAmt", "cashAmt", "paymentMethod", "paymentChannel", "transId"] satisfies (keyof Terms)[]],
  [
    "details",
    [
      "referenceLabel",
      "productIndex",
      "promoSale",
      "note",
      "printCount",
      "metadata",
      "invNo",
    ] satisfies (keyof Details)[],
  ],
  [
    "frozen",
    ["merchantId", "currency", "timezone", "transAmt", "cashAmt", "paymentMethod"] satisfies (keyof FrozenTerms)[],
  ],
  "endsAt",
  "cancel",
  "undelivered",
  "ended",
  "detached",
  "askedAt",
  "pendingReason",
  [
    "outcome",
    [
      "statusCode",
      "responseCode",
      "responseText",
      "softwareVersion",
      "terminalSn",
      [
        "transData",
        [
          "transId",
          "paymentChannel",
          "transAmt",
          "cashAmt",
          "transDateTime",
          "currency",
          "invNo",
          "tid",
          "mid",
          "metadata",
          "cardNo",
          "batchNo",
          "entryMode",
          "rrn",
          "apprCode",
          "tvr",
          "appCrypt",
          "aid",
          "cvmType",
          "cardLabel",
          "cardHoldersName",
        ] satisfies (keyof TransactionDetails)[],
      ],
    ],
  ],
  "completedBy",
  "resolvedBy",
  "revision",
  "stages",
]);

/** The members without a column. Written out, because this runs with every event of a transaction. */
function bodyOf(transaction: Transaction): string {
  const { terms, details, frozen, endsAt, stages } = transaction;
  const isCompleted = transaction.state === "completed";
  const body: Record<string, unknown> = { terms, details, frozen, endsAt };
  for (const [name, usual] of USUAL_MEMBERS) {
    const value = transaction[name];
    if (value !== usual && !(isCompleted && OPEN_MEMBERS.has(name))) body[name] = value;
  }
  return isCompleted
    ? STORED_TRANSACTIONS.pack({ ...body, stages: inShort(stages) })
    : JSON.stringify({ ...body, stages });
}

function fromRow(row: Row): Transaction {
  return {
    ...INITIAL_PROGRESS,
    ...(row.state === "completed" ? completedBody(row.body) : (JSON.parse(row.body) as Body<Stage[]>)),
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

function completedBody(text: string): Body<Stage[]> {
  const body = STORED_TRANSACTIONS.unpack(text);
  return { ...body, stages: inFull(body.stages) };
}

function inShort(stages: readonly Stage[]): ShortStages {
  return stages.flatMap(({ stage, at }, index) => {
    const place = STORED_STAGES.indexOf(stage);
    return [place === -1 ? stage : place, at - (stages[index - 1]?.at ?? 0)];
  });
}

function inFull(short: ShortStages): Stage[] {
  const stages: Stage[] = [];
  for (let index = 0; index < short.length; index += 2) {
    const stored = short[index] ?? "";
    const stage = typeof stored === "number" ? (STORED_STAGES[stored] ?? "") : stored;
    stages.push({ stage, at: (stages.at(-1)?.at ?? 0) + Number(short[index + 1]) });
  }
  return stages;
}
