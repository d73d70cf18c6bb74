/** A transaction as its account records it. */
import type { PaymentMethod } from "../../protocol/payment-methods.ts";
import type { RecordEntry, RecordedTimes } from "../account/rpc.ts";
import type { TransactionType } from "../../protocol/transfer-types.ts";
import { currentAnswer, type ConnectionLink, type LaneTransaction } from "./lane/index.ts";
import type { Stage } from "../../protocol/stages.ts";

/** A tombstone is not one of these, because it is not recorded. */
export type RealTransaction = LaneTransaction & { transType: TransactionType };

export function isReal(transaction: LaneTransaction): transaction is RealTransaction {
  return transaction.transType !== null;
}

/**
 * @param link for the gateway's own 22, which is created again each time
 * @param voided the voided transaction; null if this is no void, or the journal has deleted it
 */
export function buildRecordEntry(
  transaction: RealTransaction,
  deviceId: string,
  link: ConnectionLink,
  voided: LaneTransaction | null,
): RecordEntry {
  const { requestId, revision, transType, referenceId, terms, frozen, completedBy } = transaction;
  const { statusCode, responseCode, responseText } = currentAnswer(transaction, link);
  return {
    requestId,
    revision,
    deviceId,
    transaction: {
      transType,
      merchantId: frozen.merchantId,
      referenceId,
      statusCode,
      responseCode,
      responseText: responseText ?? null,
      completedBy,
      transAmt: frozen.transAmt ?? null,
      cashAmt: frozen.cashAmt ?? null,
      currency: frozen.currency,
      // The assertion holds, because payment methods are checked when the request arrives, and stored as text.
      paymentMethod: (terms.paymentMethod ?? frozen.paymentMethod ?? null) as PaymentMethod | null,
      ...reportedMembers(transaction),
      transId: terms.transId ?? null,
    },
    receivedAt: transaction.receivedAt,
    completedAt: transaction.completedAt,
    times: transaction.completedAt === null ? null : measureTimes(transaction),
    voids:
      voided !== null && statusCode === "00" ? { requestId: voided.requestId, referenceId: voided.referenceId } : null,
  };
}

const REPORTED = ["cardNo", "invNo", "batchNo", "tid", "mid", "rrn", "apprCode", "transDateTime"] as const;

type Reported = Pick<RecordEntry["transaction"], (typeof REPORTED)[number] | "paymentChannel">;

/** The gateway's own answer is not a result and has none of these. */
function reportedMembers({ outcome, completedBy, pendingReason, terms }: LaneTransaction): Reported {
  const isReport = completedBy === "terminal" || pendingReason === "reported";
  const data = isReport ? (outcome?.transData ?? {}) : {};
  const reported = Object.fromEntries(REPORTED.map((name) => [name, data[name] || null])) as Reported;
  return { ...reported, paymentChannel: data["paymentChannel"] || terms.paymentChannel || null };
}

/**
 * A part that did not happen is missing: a transaction that was never sent has no delivery. The
 * gateway's share ends with the turn that takes the request: that turn stores and sends it, unless it must wait for the
 * terminal.
 */
export function measureTimes({ stages, receivedAt, completedBy }: LaneTransaction): RecordedTimes {
  const taken = stages[0];
  if (taken === undefined) return {};
  const accepted = stages.find(({ stage }) => stage === "accepted");
  const before = accepted === undefined ? [] : stages.slice(0, stages.indexOf(accepted));
  const lastSent = before.findLast(({ stage }) => stage === "sent");
  const result = completedBy === "terminal" ? firstResult(stages) : undefined;
  return {
    gateway: between(receivedAt, taken.at),
    ...(accepted === undefined || lastSent === undefined ? {} : { delivery: between(lastSent.at, accepted.at) }),
    ...(accepted === undefined || result === undefined ? {} : { customer: between(accepted.at, result) }),
  };
}

/** Returns undefined if the transaction was 22 first: nobody measured how long its result took. */
function firstResult(stages: readonly Stage[]): number | undefined {
  const ended = stages.find(({ stage }) => stage === "pending" || stage === "completed");
  return ended?.stage === "completed" ? ended.at : undefined;
}

/** The result is never negative, although the clocks of two machines differ. */
function between(from: number, to: number): number {
  return Math.max(to - from, 0);
}
