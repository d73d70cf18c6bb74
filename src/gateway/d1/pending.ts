/** Transactions of all accounts that are 22 or contradicted: copies of what the accounts' objects have recorded. */
import type { AccountTransaction, ConflictEvent } from "../../protocol/events.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import type { PENDING_FILTERS } from "../../protocol/operator-filters.ts";
import { writeRow } from "./upsert.ts";
import { compares, equals, lister } from "./listing.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** Amounts are hundredths. */
export interface PendingCopy {
  receivedAt: EpochMs;
  currency: string;
  transAmt: number | null;
  cashAmt: number | null;
  terminalId: string;
  referenceId: string;
  transType: TransactionType;
  responseCode: string;
  responseText: string | null;
  /** What the terminal reported after the completion; missing: it is 22. */
  conflict?: ConflictCopy;
}

/** The completed status, which the terminal has contradicted. */
export interface ConflictCopy {
  statusCode: StatusCode;
  completedBy: AccountTransaction["completedBy"];
  reportedAt: EpochMs;
  reported: ConflictEvent["data"]["reported"];
}

interface PendingNote {
  requestId: number;
  terminalId: string;
  /** D1 takes only a higher one. */
  version: number;
  /** null: nothing about it is open. */
  copy: PendingCopy | null;
}

/** A closed row stays for a day, so that no late update opens it again. */
export function pendingStatement(
  db: D1Database,
  posId: string,
  { requestId, terminalId, version, copy }: PendingNote,
  now: EpochMs,
): D1PreparedStatement {
  const { receivedAt = now, currency = "", transAmt = null, ...body } = copy ?? {};
  const values = { received_at: receivedAt, currency, trans_amt: transAmt, body: JSON.stringify(body) };
  const state = { version, open: copy === null ? 0 : 1, noted_at: now, ...values };
  return writeRow(db, "pending", { pos_id: posId, request_id: requestId, terminal_id: terminalId }, state);
}

/** Closes the account's open rows with a lower version. */
export function completedBefore(db: D1Database, posId: string, version: number, now: EpochMs): D1PreparedStatement {
  return db
    .prepare("UPDATE pending SET open = 0, noted_at = ?, version = ? WHERE pos_id = ? AND open = 1 AND version < ?")
    .bind(now, version, posId, version);
}

export interface PendingRow {
  posId: string;
  requestId: number;
  terminalId: string;
  receivedAt: EpochMs;
  currency: string;
  transAmt: number | null;
  /** The rest of the copy, JSON. */
  body: string;
  shopName: string | null;
  /** Of the account; null: D1 does not know it. */
  timezone: string | null;
}

type PendingPosition = Pick<PendingRow, "receivedAt" | "requestId" | "posId" | "terminalId">;

const withShop = (page: string): string =>
  `SELECT u.*, s.name AS shopName, a.timezone FROM (${page}) u
   LEFT JOIN accounts a ON a.pos_id = u.posId LEFT JOIN shops s ON s.merchant_id = a.merchant_id
   ORDER BY u.receivedAt, u.requestId, u.posId, u.terminalId`;

const CONFLICT = "body ->> 'conflict' IS NOT NULL";

/** Lists the oldest first. */
export const listPending = lister<PendingRow, typeof PENDING_FILTERS, PendingPosition | null>({
  columns: `pos_id AS posId, request_id AS requestId, terminal_id AS terminalId, received_at AS receivedAt, currency, trans_amt AS transAmt, body`,
  table: "pending",
  order: "received_at, request_id, pos_id, terminal_id",
  around: withShop,
  after: (position) =>
    position === null
      ? undefined
      : {
          sql: "(received_at, request_id, pos_id, terminal_id) > (?, ?, ?, ?)",
          values: [position.receivedAt, position.requestId, position.posId, position.terminalId],
        },
  conditions: {
    posId: equals("pos_id"),
    terminalId: equals("terminal_id"),
    before: compares("received_at", "<"),
    conflict: (wanted) => ({ sql: wanted ? CONFLICT : `NOT (${CONFLICT})`, values: [] }),
  },
  // So that no account's open payments hide another's, or a contradicted one.
  indexed: ({ posId, conflict }) => {
    if (posId !== undefined) return ["posId", "before"];
    return conflict === true ? ["conflict", "before"] : ["before"];
  },
  always: [{ sql: "open = 1", values: [] }],
});

/** What D1 adds to a payment that an object has found. */
export interface PaymentNotes {
  /** Whether it has a conflicting result that nobody has closed. */
  conflict: boolean;
  shopName: string | null;
}

export const NO_NOTES: PaymentNotes = { conflict: false, shopName: null };

/** Returns one for each payment, in their order. */
export async function readPaymentNotes(
  db: D1Database,
  payments: readonly { posId: string; requestId: string }[],
): Promise<PaymentNotes[]> {
  const { results } = await db
    .prepare(
      `SELECT s.name AS shopName, EXISTS (SELECT 1 FROM pending p WHERE p.pos_id = asked.value ->> 0
           AND p.request_id = CAST(asked.value ->> 1 AS INTEGER) AND p.open = 1 AND p.${CONFLICT}) AS isConflicting
       FROM json_each(?) asked LEFT JOIN accounts a ON a.pos_id = asked.value ->> 0
       LEFT JOIN shops s ON s.merchant_id = a.merchant_id ORDER BY asked.key`,
    )
    .bind(JSON.stringify(payments.map(({ posId, requestId }) => [posId, requestId])))
    .all<{ shopName: string | null; isConflicting: 0 | 1 }>();
  return results.map(({ shopName, isConflicting }) => ({ shopName, conflict: isConflicting === 1 }));
}

/** Money at risk in one currency: open (22) transactions, or those with a conflicting result. */
export interface PendingSum {
  isConflicting: 0 | 1;
  currency: string;
  count: number;
  /** Hundredths: what cards may have been charged, with the cash of cashOuts. */
  transAmt: number;
  /** When the oldest was received or contradicted. */
  oldest: EpochMs;
}

/** Open transactions of one account: 22, or contradicted. */
export interface OpenAccountRow {
  posId: string;
  conflict: number;
  pending: number;
  /** When the oldest was received or contradicted; null: there is none. */
  oldestConflict: EpochMs | null;
  oldestPending: number | null;
}

/** One row for each account, whatever it has open: those with contradicted transactions first, then the oldest. */
export function openAccounts(db: D1Database, limit: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT pos_id AS posId, SUM(${CONFLICT}) AS conflict, SUM(NOT (${CONFLICT})) AS pending,
         MIN(body ->> '$.conflict.reportedAt') AS oldestConflict,
         MIN(CASE WHEN ${CONFLICT} THEN NULL ELSE received_at END) AS oldestPending
       FROM pending WHERE open = 1 GROUP BY pos_id
       ORDER BY oldestConflict IS NULL, oldestConflict, oldestPending, pos_id LIMIT ?`,
    )
    .bind(limit);
}

/** Sums by kind and currency. It reads every open row. */
export function pendingSums(db: D1Database): D1PreparedStatement {
  return db.prepare(
    `SELECT ${CONFLICT} AS isConflicting, currency, COUNT(*) AS count,
       MIN(COALESCE(body ->> '$.conflict.reportedAt', received_at)) AS oldest,
       SUM(COALESCE(trans_amt, 0) + COALESCE(body ->> 'cashAmt', 0)) AS transAmt
     FROM pending WHERE open = 1 GROUP BY 1, 2 ORDER BY 2`,
  );
}
