/** A transaction as the journal keeps it, and the small questions that everybody asks of it. */

import type { Details, Outcome, Terms } from "../../protocol/transactions.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";

/** FrozenTerms when the request arrives: what the transaction is about stays so, whatever becomes of account and binding. */
export interface FrozenTerms {
  merchantId: string;
  currency: string;
  timezone: string;
  /** The amounts that a result must name if it names any; a void has those of the voided transaction. */
  transAmt?: string;
  cashAmt?: string;
  /** Of a void: how the voided transaction was paid. */
  paymentMethod?: string;
}

export type TransactionState = "queued" | "sent" | "accepted" | "pending" | "settled";

/** Why a transaction is pending: only a report of the terminal itself, or the operator, may end it. */
export type PendingReason =
  /** The terminal said 22. */
  | "reported"
  /** A terminal with another memory said hello: nothing is proved. */
  | "other-memory"
  /** The terminal accepted it, and has forgotten it against its duty. */
  | "forgotten"
  /** The terminal's result names another amount or currency. */
  | "contradiction";

export interface Sending {
  /** The connection that the newest attempt went out on. */
  connection: number;
  /** The memory of the terminal that it went to. */
  memory: string;
  at: number;
  deliverBy: number;
}

export interface Stage {
  /** received (by the object), queued, sent, accepted, settled, pending, or a stage of the terminal's `progress`. */
  stage: string;
  /** Epoch milliseconds. */
  at: number;
}

/** One row of the journal. Times are epoch milliseconds. */
export interface Transaction {
  /** Ten digits; a sale's or cashOut's is its `transId`. One terminal's numbers only grow. */
  readonly requestId: number;
  readonly posId: string;
  readonly referenceId: string;
  /** null for a tombstone: a reference that was cancelled or asked about before its request arrived. */
  readonly transType: TransactionType | null;
  readonly terms: Terms;
  readonly details: Details;
  readonly frozen: FrozenTerms;
  /** When the request arrived at the Worker. */
  readonly receivedAt: number;
  /** When its life is over, counted from `receivedAt`. */
  readonly endsAt: number;
  readonly state: TransactionState;
  /** How often it was sent. */
  readonly attempt: number;
  readonly sending: Sending | null;
  /** The terminal has shown that it took it: `accepted`, a listing in `open`, `progress` or any `result`. */
  readonly acceptanceProved: boolean;
  /** It reached the terminal: sent, and neither refused nor proved undelivered. What `getLast` may show. */
  readonly reached: boolean;
  /** `wished`: the terminal owes the answer, and the row is never sent (again). */
  readonly cancel: "none" | "wished" | "answered";
  /** Decided: the terminal never took it, unless it shows otherwise before `at`. */
  readonly undelivered: { at: number; responseCode: "CANCELLED" | "NOT_DELIVERED" } | null;
  /** The request's end has come, and its waiters were told 22. */
  readonly ended: boolean;
  /** An asker chose a shorter wait: the transaction goes on although nobody holds a connection for it. */
  readonly detached: boolean;
  readonly askedAt: number | null;
  readonly pendingReason: PendingReason | null;
  /** The frozen answer when settled; the terminal's last 22 when it reported one. */
  readonly outcome: Outcome | null;
  readonly settledBy: "terminal" | "gateway" | "operator" | null;
  /** The operator who resolved it. */
  readonly resolvedBy: string | null;
  readonly settledAt: number | null;
  /**
   * Counts the statuses that the transaction's account is told of: it grows when the transaction becomes pending, when what
   * is pending changes, when its end passes, and when it is settled, which is the last time. 0: there was none yet.
   */
  readonly revision: number;
  /** How often waiters have been answered: tells a waiter that comes late whether it missed something. */
  readonly conclusions: number;
  readonly stages: readonly Stage[];
}

/** Whether a repetition under the same `referenceId` is the same request (I1, I3). */
export function sameRequest(known: Transaction, transType: TransactionType, terms: Terms): boolean {
  return (
    known.transType === transType &&
    known.terms.transAmt === terms.transAmt &&
    known.terms.cashAmt === terms.cashAmt &&
    known.terms.paymentMethod === terms.paymentMethod &&
    known.terms.paymentChannel === terms.paymentChannel &&
    known.terms.transId === terms.transId
  );
}

/** When the object took it: later than `receivedAt` where the object could not be reached at once. */
export function takenAt({ stages, receivedAt }: Transaction): number {
  return stages[0]?.at ?? receivedAt;
}

/** Whether the terminal may be at work on it, as far as the gateway knows. */
export function isWithTerminal(transaction: Transaction): boolean {
  return transaction.state === "sent" || transaction.state === "accepted";
}

/** Whether a change of the binding has to wait for it: queued, sent or accepted, and within its time. */
export function isRunning(transaction: Transaction, now: number): boolean {
  return transaction.state === "queued" || (isWithTerminal(transaction) && now < transaction.endsAt);
}

/** What a new row says of all that has not happened to it yet. */
export const INITIAL_PROGRESS = {
  sending: null,
  acceptanceProved: false,
  cancel: "none",
  undelivered: null,
  ended: false,
  detached: false,
  askedAt: null,
  pendingReason: null,
  outcome: null,
  settledBy: null,
  resolvedBy: null,
  settledAt: null,
  revision: 0,
  conclusions: 0,
} as const satisfies Partial<Transaction>;
