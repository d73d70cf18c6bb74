/** A transaction as the journal stores it, and small questions about it. */

import { type Stage, type ToldStage, TRANSFER_STAGES } from "../../protocol/stages.ts";
import type { Details, Outcome, PendingReason, Terms, TransactionState } from "../../protocol/transactions.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";

/** Frozen when the request arrives: later changes of account and binding do not apply. */
export interface FrozenTerms {
  merchantId: string;
  currency: string;
  timezone: string;
  /** The amounts that a result must have if it names any. A void has those of the voided transaction. */
  transAmt?: string;
  cashAmt?: string;
  /** For a void: how the voided transaction was paid. */
  paymentMethod?: string;
}

export interface Sending {
  /** The connection of the newest attempt. */
  connection: number;
  /** The memory of the terminal that got it. */
  memory: string;
  at: number;
  deliverBy: number;
}

/** One row of the journal. Times are epoch milliseconds. */
export interface Transaction {
  /** Ten digits; for a sale or cashOut, its `transId`. One terminal's numbers only grow. */
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
  /** The terminal has shown that it accepted it: `accepted`, a listing in `open`, `progress` or any `result`. */
  readonly acceptanceProved: boolean;
  /** It reached the terminal: sent, and neither refused nor proved undelivered. `getLast` may show it. */
  readonly reached: boolean;
  /** `wished`: the terminal owes the answer, and the row is never sent (again). */
  readonly cancel: "none" | "wished" | "answered";
  /** Decided: the terminal never accepted it, unless it shows otherwise before `at`. */
  readonly undelivered: { at: number; responseCode: "CANCELLED" | "NOT_DELIVERED" } | null;
  /** The request's end has come, and its waiters got a 22. */
  readonly ended: boolean;
  /** A caller chose a shorter wait: the transaction continues although nobody holds a connection for it. */
  readonly detached: boolean;
  readonly askedAt: number | null;
  readonly pendingReason: PendingReason | null;
  /** The frozen answer when completed; the terminal's last 22 if it reported one. */
  readonly outcome: Outcome | null;
  readonly completedBy: "terminal" | "gateway" | "operator" | null;
  readonly resolvedBy: string | null;
  readonly completedAt: number | null;
  /**
   * Counts the statuses that the account is told about: grows when the transaction becomes pending, when a pending one
   * changes, when its end passes, and when it is completed, which is the last time. 0: none yet.
   */
  readonly revision: number;
  readonly stages: readonly Stage[];
}

/** Whether a message with the same `referenceId` is the same request (I1, I3). */
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

/** When the object received it: later than `receivedAt` if the object could not be reached at once. */
export function takenAt({ stages, receivedAt }: Transaction): number {
  return stages[0]?.at ?? receivedAt;
}

/** Whether the terminal may be processing it, as far as the gateway knows. */
export function isWithTerminal(transaction: Transaction): boolean {
  return transaction.state === "sent" || transaction.state === "accepted";
}

/** Whether it blocks a change of the binding: queued, sent or accepted, and within its time. */
export function isRunning(transaction: Transaction, now: number): boolean {
  return transaction.state === "queued" || (isWithTerminal(transaction) && now < transaction.endsAt);
}

/** The progress of a new row. */
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
  completedBy: null,
  resolvedBy: null,
  completedAt: null,
  revision: 0,
} as const satisfies Partial<Transaction>;

const TOLD: ReadonlySet<string> = new Set(TRANSFER_STAGES);

/** The stages so far, in order. The answer says how the transaction ended. */
export function toldStages({ stages }: Pick<Transaction, "stages">): ToldStage[] {
  return stages.filter((stage): stage is ToldStage => TOLD.has(stage.stage));
}

/** The stages that were added since. Stages are never removed. */
export function newStages(before: Pick<Transaction, "stages">, after: Pick<Transaction, "stages">): ToldStage[] {
  return toldStages({ stages: after.stages.slice(before.stages.length) });
}
