/** A transaction as its account records it, with how long each part of it took (`protocol/statistics.ts`). */
import type { PaymentMethod } from "../protocol/payment-methods.ts";
import type { RecordEntry, RecordedTimes } from "../rpc/account.ts";
import { needsTarget, type TransactionType } from "../protocol/transfer-types.ts";
import { currentAnswer, type Link, type Transaction } from "./lane/index.ts";
import type { Stage } from "../protocol/stages.ts";

/** A transaction that is not a tombstone: tombstones are not recorded. */
export type RealTransaction = Transaction & { transType: TransactionType };

export function isReal(transaction: Transaction): transaction is RealTransaction {
  return transaction.transType !== null;
}

/**
 * @param deviceId the terminal
 * @param link for the gateway's own 22, which is created again each time
 * @param voided the voided transaction, if this is a void and the journal still has it; null otherwise
 */
export function recordEntry(
  transaction: RealTransaction,
  deviceId: string,
  link: Link,
  voided: Transaction | null,
): RecordEntry {
  const { requestId, revision, transType, referenceId, terms, frozen, state, completedBy } = transaction;
  const { statusCode, responseCode, responseText } = currentAnswer(transaction, link);
  const isVoid = needsTarget(transType);
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
      completedBy: state === "completed" ? completedBy : null,
      transAmt: frozen.transAmt ?? null,
      cashAmt: frozen.cashAmt ?? null,
      currency: frozen.currency,
      // The assertion: payment methods are checked when the request arrives, and stored as text.
      paymentMethod: (terms.paymentMethod ?? frozen.paymentMethod ?? null) as PaymentMethod | null,
      ...reportedMembers(transaction),
      transId: isVoid ? (terms.transId ?? null) : null,
    },
    receivedAt: transaction.receivedAt,
    completedAt: transaction.completedAt,
    times: transaction.completedAt === null ? null : timesOf(transaction),
    voids:
      isVoid && state === "completed" && statusCode === "00" && voided !== null
        ? { requestId: voided.requestId, referenceId: voided.referenceId }
        : null,
  };
}

const REPORTED = ["cardNo", "invNo", "batchNo", "tid", "mid", "rrn", "apprCode", "transDateTime"] as const;

type Reported = Pick<RecordEntry["transaction"], (typeof REPORTED)[number] | "paymentChannel">;

/** The members of the terminal's result. The gateway's own answer is not a result and has none of them. */
function reportedMembers({ outcome, completedBy, pendingReason, terms }: Transaction): Reported {
  const isReport = completedBy === "terminal" || pendingReason === "reported";
  const data = isReport ? (outcome?.transData ?? {}) : {};
  const reported = Object.fromEntries(REPORTED.map((name) => [name, data[name] || null])) as Reported;
  return { ...reported, paymentChannel: data["paymentChannel"] || terms.paymentChannel || null };
}

/**
 * Milliseconds. What did not happen is missing: a transaction that was never sent has no delivery. The gateway's share ends
 * with the turn that takes the request: that turn stores it and sends it, unless it has to wait for the terminal.
 */
export function timesOf({ stages, receivedAt, completedBy }: Transaction): RecordedTimes {
  const taken = stages[0];
  if (taken === undefined) return {};
  const sent = stages.find(({ stage }) => stage === "sent");
  const accepted = stages.findIndex(({ stage }) => stage === "accepted");
  const lastSent = stages.slice(0, Math.max(accepted, 0)).findLast(({ stage }) => stage === "sent");
  const result = completedBy === "terminal" ? firstResult(stages) : undefined;
  return {
    gateway: between(receivedAt, taken.at),
    ...(sent === undefined ? {} : { queue: between(taken.at, sent.at) }),
    ...(lastSent === undefined ? {} : { delivery: between(lastSent.at, stages[accepted]?.at ?? lastSent.at) }),
    ...(accepted < 0 || result === undefined ? {} : { customer: between(stages[accepted]?.at ?? result, result) }),
  };
}

/** When the terminal's result came; undefined where the transaction was 22 first, and nobody measured how long it took. */
function firstResult(stages: readonly Stage[]): number | undefined {
  const ended = stages.find(({ stage }) => stage === "pending" || stage === "completed");
  return ended?.stage === "completed" ? ended.at : undefined;
}

/** Clocks of two machines: never negative. */
function between(from: number, to: number): number {
  return Math.max(to - from, 0);
}
