import {
  type LaneDraft,
  type ConnectionLink,
  changeTransaction,
  holdsLaneUntil,
  withStage,
  type LaneTransaction,
} from "./lane.ts";
import { BUSY_WITH_ANOTHER, busyWith, type GatewayCode, waitsFor } from "../../../protocol/gateway-codes.ts";
import {
  gatewayAnswer,
  type Outcome,
  type PendingReason,
  MANDATORY,
  type TransactionData,
} from "../../../protocol/transactions.ts";
import type { TransactionType } from "../../../protocol/transfer-types.ts";
import { localDateTime } from "../../../protocol/time/zone.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/** Returns the frozen answer of a completed transaction, otherwise a 22 that is created each time. */
export function currentAnswer(transaction: LaneTransaction, link: ConnectionLink): Outcome {
  const isReported = transaction.state === "completed" || transaction.pendingReason === "reported";
  const reported = isReported ? transaction.outcome : null;
  return withKnownData(transaction, reported ?? gatewayAnswer(openCode(transaction, link), link));
}

/**
 * As `currentAnswer`, and of a queued transaction the payment that it waits for: the customer may have paid otherwise,
 * and unless somebody cancels that payment, the next customer's card pays it.
 */
export function answerNow(draft: LaneDraft, transaction: LaneTransaction): Outcome {
  const outcome = currentAnswer(transaction, draft.link);
  const holder = transaction.state === "queued" ? laneHolder(draft) : null;
  return holder === null || holder.posId !== transaction.posId
    ? outcome
    : { ...outcome, responseText: waitsFor(holder.referenceId), openReferenceId: holder.referenceId };
}

/** The transaction that keeps the lane (I5). */
export function laneHolder(draft: LaneDraft): LaneTransaction | null {
  for (const transaction of draft.open.values()) if (draft.now < holdsLaneUntil(transaction)) return transaction;
  return null;
}

function openCode({ state, ended }: LaneTransaction, link: ConnectionLink): GatewayCode {
  if (state === "pending") return "UNCONFIRMED";
  if (!ended) return "IN_PROGRESS";
  return link.current === null ? "TERMINAL_LOST" : "TERMINAL_TIMEOUT";
}

/**
 * I7: the account must record each status that a POS may see for a long time. The gateway's own bookkeeping and
 * repetitions are no new status, and a tombstone has none.
 */
function revisionAfter(before: LaneTransaction, after: LaneTransaction): number {
  if (after.transType === null) return before.revision;
  const hasChanged =
    after.state === "completed" ||
    (after.state === "pending"
      ? before.pendingReason !== after.pendingReason || differsForCallers(before, after)
      : after.ended && !before.ended);
  return hasChanged ? before.revision + 1 : before.revision;
}

/** Whether the terminal's report differs, apart from a time that the gateway filled in. */
function differsForCallers({ outcome: before }: LaneTransaction, { outcome: after }: LaneTransaction): boolean {
  return JSON.stringify(withoutTime(before)) !== JSON.stringify(withoutTime(after));
}

function withoutTime(outcome: Outcome | null): Outcome | null {
  if (outcome?.transData === undefined) return outcome;
  const { transDateTime: _when, ...transData } = outcome.transData;
  return { ...outcome, transData };
}

export function completeTransaction(
  draft: LaneDraft,
  transaction: LaneTransaction,
  members: Partial<LaneTransaction> = {},
): LaneTransaction {
  const revision = revisionAfter(transaction, { ...transaction, ...members });
  const isSame = revision === transaction.revision && Object.keys(members).length === 0;
  const next = isSame ? transaction : changeTransaction(draft, transaction, { ...members, revision });
  draft.effects.push({ kind: "conclude", transaction: next });
  return next;
}

interface Completion {
  outcome: Outcome;
  completedBy: "terminal" | "gateway" | "operator";
}

/** This is the only way into `completed` (I2): the answer is frozen here and never changes. */
export function complete(
  draft: LaneDraft,
  transaction: LaneTransaction,
  members: Partial<LaneTransaction> & Completion,
): LaneTransaction {
  return completeTransaction(draft, transaction, {
    ...members,
    state: "completed",
    completedAt: draft.now,
    undelivered: null,
    pendingReason: null,
    stages: withStage(transaction, "completed", draft.now),
  });
}

export function completeAs(
  draft: LaneDraft,
  transaction: LaneTransaction,
  code: GatewayCode,
  members: Partial<LaneTransaction> = {},
): void {
  complete(draft, transaction, { ...members, outcome: gatewayAnswer(code, draft.link), completedBy: "gateway" });
}

/**
 * Completes it as TERMINAL_BUSY. I6: another account's reference is not named.
 *
 * @param holder the payment that is open at the terminal; null: none is known
 */
export function completeBusy(
  draft: LaneDraft,
  transaction: LaneTransaction,
  holder: LaneTransaction | null,
  members: Partial<LaneTransaction> = {},
): void {
  const answer = gatewayAnswer("TERMINAL_BUSY", draft.link);
  complete(draft, transaction, {
    ...members,
    outcome: holder === null ? answer : { ...answer, ...namedTo(transaction, holder) },
    completedBy: "gateway",
  });
}

function namedTo(
  { posId }: LaneTransaction,
  holder: LaneTransaction,
): Pick<Outcome, "responseText" | "openReferenceId"> {
  const { referenceId } = holder;
  return holder.posId === posId
    ? { responseText: busyWith(referenceId), openReferenceId: referenceId }
    : { responseText: BUSY_WITH_ANOTHER };
}

/** Only the terminal or the operator can resolve the outcome now, so the waiters are answered at once. */
export function makePending(
  draft: LaneDraft,
  transaction: LaneTransaction,
  reason: PendingReason,
  members: Partial<LaneTransaction> = {},
): void {
  completeTransaction(draft, transaction, {
    undelivered: null,
    ...members,
    state: "pending",
    pendingReason: reason,
    stages: transaction.state === "pending" ? transaction.stages : withStage(transaction, "pending", draft.now),
  });
}

/** @param at when the transaction completed */
export function knownData({ requestId, terms, details, frozen }: LaneTransaction, at: EpochMs): TransactionData {
  // The details are those of the request, until a result has more.
  const { paymentChannel = "" } = terms;
  const data: TransactionData = { transId: terms.transId ?? String(requestId), paymentChannel };
  if (frozen.transAmt !== undefined) data["transAmt"] = frozen.transAmt;
  if (frozen.cashAmt !== undefined) data["cashAmt"] = frozen.cashAmt;
  data["transDateTime"] = localDateTime(at, frozen.timezone);
  data["currency"] = frozen.currency;
  for (const name of MANDATORY) data[name] ??= "";
  if (details.metadata !== undefined) data["metadata"] = details.metadata;
  return data;
}

/** Whether answers other than approvals also get the known details. */
const ALWAYS_REPORTED: Readonly<Record<TransactionType, boolean>> = { sale: true, cashOut: true, void: false };

/**
 * Adds the known details to an answer without any: to every approval, and so that a POS can ask by number for all
 * about a sale or cashOut. They are derived from frozen members each time, so a completed transaction always has the
 * same. Nothing is known about a tombstone, and a failed void would name the payment that it did not void.
 */
export function withKnownData(transaction: LaneTransaction, outcome: Outcome): Outcome {
  const { transType } = transaction;
  const isReported = outcome.statusCode === "00" || (transType !== null && ALWAYS_REPORTED[transType]);
  if (outcome.transData !== undefined || !isReported) return outcome;
  return { ...outcome, transData: knownData(transaction, transaction.completedAt ?? transaction.receivedAt) };
}
