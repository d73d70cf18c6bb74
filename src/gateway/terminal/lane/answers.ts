/** What a transaction of the lane answers now. How it ends is in `completion.ts`. */
import { type LaneDraft, type ConnectionLink, holdsLaneUntil, type LaneTransaction } from "./lane.ts";
import { type GatewayCode, waitsFor } from "../../../protocol/gateway-codes.ts";
import { gatewayAnswer, type Outcome, MANDATORY, type TransactionData } from "../../../protocol/transactions.ts";
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
