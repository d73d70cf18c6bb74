/** A transaction's answers: what the gateway knows and says itself, and the two ways in which a transaction gets an outcome. */
import { type Draft, type Link, change, withStage, type Transaction } from "./lane.ts";
import type { GatewayCode } from "../../protocol/gateway-codes.ts";
import {
  gatewayAnswer,
  type Outcome,
  type PendingReason,
  MANDATORY,
  type TransactionData,
} from "../../protocol/transactions.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import { localDateTime } from "../../time/zone.ts";

/** A transaction's answer now: the frozen one of a completed transaction, otherwise a 22 that is created each time. */
export function currentAnswer(transaction: Transaction, link: Link): Outcome {
  const isTold = transaction.state === "completed" || transaction.pendingReason === "reported";
  const told = isTold ? transaction.outcome : null;
  return withKnownData(transaction, told ?? gatewayAnswer(openCode(transaction, link), link));
}

function openCode({ state, ended }: Transaction, link: Link): GatewayCode {
  if (state === "pending") return "UNCONFIRMED";
  if (!ended) return "IN_PROGRESS";
  return link.current === null ? "TERMINAL_LOST" : "TERMINAL_TIMEOUT";
}

/**
 * The revision of a transaction after a change. I7: the account must record each status that a till may see for a long
 * time. The gateway's own bookkeeping and repetitions are no new status, and a tombstone has none.
 */
function revisionAfter(before: Transaction, after: Transaction): number {
  if (after.transType === null) return before.revision;
  const isNews =
    after.state === "completed" ||
    (after.state === "pending"
      ? before.pendingReason !== after.pendingReason || isToldApart(before, after)
      : after.ended && !before.ended);
  return isNews ? before.revision + 1 : before.revision;
}

/** Whether the terminal's report differs. If it names no time, the gateway fills in the time of the report. */
function isToldApart({ outcome: before }: Transaction, { outcome: after }: Transaction): boolean {
  return JSON.stringify(withoutTime(before)) !== JSON.stringify(withoutTime(after));
}

function withoutTime(outcome: Outcome | null): Outcome | null {
  if (outcome?.transData === undefined) return outcome;
  const { transDateTime: _when, ...transData } = outcome.transData;
  return { ...outcome, transData };
}

/** Answers the waiters with the transaction's current state. */
export function conclude(draft: Draft, transaction: Transaction, members: Partial<Transaction> = {}): Transaction {
  const revision = revisionAfter(transaction, { ...transaction, ...members });
  const isSame = revision === transaction.revision && Object.keys(members).length === 0;
  const next = isSame ? transaction : change(draft, transaction, { ...members, revision });
  draft.effects.push({ kind: "conclude", transaction: next });
  return next;
}

/** The outcome of a transaction, and who says it. */
interface Completion {
  outcome: Outcome;
  completedBy: "terminal" | "gateway" | "operator";
}

/** I2: the only way into `completed`. The answer is frozen here and never changes. */
export function complete(
  draft: Draft,
  transaction: Transaction,
  members: Partial<Transaction> & Completion,
): Transaction {
  return conclude(draft, transaction, {
    ...members,
    state: "completed",
    completedAt: draft.now,
    undelivered: null,
    pendingReason: null,
    stages: withStage(transaction, "completed", draft.now),
  });
}

/** Completes with one of the gateway's own answers. */
export function completeAs(
  draft: Draft,
  transaction: Transaction,
  code: GatewayCode,
  members: Partial<Transaction> = {},
): void {
  complete(draft, transaction, { ...members, outcome: gatewayAnswer(code, draft.link), completedBy: "gateway" });
}

/** The outcome is open, and only the terminal or the operator can resolve it: answers the waiters at once. */
export function makePending(
  draft: Draft,
  transaction: Transaction,
  reason: PendingReason,
  members: Partial<Transaction> = {},
): void {
  conclude(draft, transaction, {
    undelivered: null,
    ...members,
    state: "pending",
    pendingReason: reason,
    stages: transaction.state === "pending" ? transaction.stages : withStage(transaction, "pending", draft.now),
  });
}

/** @param at the time of the transaction's completion, epoch milliseconds */
export function knownData({ requestId, terms, details, frozen }: Transaction, at: number): TransactionData {
  const data: TransactionData = { transId: terms.transId ?? String(requestId), paymentChannel: "" };
  if (frozen.transAmt !== undefined) data["transAmt"] = frozen.transAmt;
  if (frozen.cashAmt !== undefined) data["cashAmt"] = frozen.cashAmt;
  data["transDateTime"] = localDateTime(at, frozen.timezone);
  data["currency"] = frozen.currency;
  for (const name of MANDATORY) data[name] = "";
  if (details.metadata !== undefined) data["metadata"] = details.metadata;
  return data;
}

/** Whether an answer that is no approval has what is known, too. */
const ALWAYS_TOLD: Readonly<Record<TransactionType, boolean>> = { sale: true, cashOut: true, void: false };

/**
 * Adds what is known to an answer that has no details, the gateway's own or a terminal's: to every approval, and so that a till
 * can ask by number to all about a sale or cashOut. It is derived from frozen members each time, not stored: always the same
 * for a completed transaction. Nothing is known about a tombstone, and a void that failed would name the payment that it did
 * not void.
 */
export function withKnownData(transaction: Transaction, outcome: Outcome): Outcome {
  const { transType } = transaction;
  const isTold = outcome.statusCode === "00" || (transType !== null && ALWAYS_TOLD[transType]);
  if (outcome.transData !== undefined || !isTold) return outcome;
  return { ...outcome, transData: knownData(transaction, transaction.completedAt ?? transaction.receivedAt) };
}
