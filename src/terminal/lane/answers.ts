/** The answers that the gateway makes itself, and the two ways a transaction is brought to one. */
import { type Draft, type Link, change, withStage } from "./lane.ts";
import type { Outcome, PendingReason, StatusCode, Transaction } from "./transaction.ts";

const TEXTS = {
  TERMINAL_OFFLINE: "The terminal is not connected. Nothing was sent to it; check the terminal and try again.",
  TERMINAL_BUSY: "The terminal is busy. Nothing was started; try again when it is free.",
  NOT_DELIVERED: "The terminal did not receive the request. Nothing was charged; try again.",
  TERMINAL_REFUSED: "The terminal refused the request. Nothing was charged; check the terminal.",
  CANCELLED: "The transaction was cancelled. Nothing was charged.",
  CHANNEL_INACTIVE: "The payment channel is not available for this currency. Choose another one.",
  TRANSACTION_NOT_FOUND: "This device has no sale or cash out of this account with that transId. Nothing was voided.",
  NOT_VOIDABLE: "The transaction cannot be voided as it stands. Ask for its status with an inquiry.",
  ALREADY_VOIDED: "The transaction has been voided before. Nothing was changed.",
  TERMINAL_TIMEOUT: "The terminal has not answered in time. Ask again with the same referenceId; do not charge again.",
  TERMINAL_LOST: "The connection to the terminal is lost. Ask again with the same referenceId; do not charge again.",
  IN_PROGRESS: "The transaction is still running. Ask again with the same referenceId.",
  UNCONFIRMED: "The terminal could not confirm the outcome. Check the terminal and the operator; do not charge again.",
} as const;

export type GatewayCode = keyof typeof TEXTS;

const STATUS: Record<GatewayCode, StatusCode> = {
  TERMINAL_OFFLINE: "11",
  TERMINAL_BUSY: "11",
  NOT_DELIVERED: "11",
  TERMINAL_REFUSED: "11",
  CANCELLED: "11",
  CHANNEL_INACTIVE: "11",
  TRANSACTION_NOT_FOUND: "11",
  NOT_VOIDABLE: "11",
  ALREADY_VOIDED: "11",
  TERMINAL_TIMEOUT: "22",
  TERMINAL_LOST: "22",
  IN_PROGRESS: "22",
  UNCONFIRMED: "22",
};

/** An answer of the gateway's own, with the versions that the terminal last reported. */
export function gatewayAnswer(code: GatewayCode, versions: Pick<Link, "softwareVersion" | "terminalSn">): Outcome {
  return {
    statusCode: STATUS[code],
    responseCode: code,
    responseText: TEXTS[code],
    softwareVersion: versions.softwareVersion,
    terminalSn: versions.terminalSn,
  };
}

/** How a transaction stands now: the frozen answer of a settled one, else a 22 made anew each time. */
export function standing(transaction: Transaction, link: Link): Outcome {
  if (transaction.state === "settled" && transaction.outcome !== null) return transaction.outcome;
  if (transaction.state === "pending") {
    return transaction.pendingReason === "reported" && transaction.outcome !== null
      ? transaction.outcome
      : gatewayAnswer("UNCONFIRMED", link);
  }
  if (!transaction.ended) return gatewayAnswer("IN_PROGRESS", link);
  return gatewayAnswer(link.current === null ? "TERMINAL_LOST" : "TERMINAL_TIMEOUT", link);
}

/** Tells whoever waits how the transaction stands now. */
export function conclude(draft: Draft, transaction: Transaction, members: Partial<Transaction> = {}): void {
  const next = change(draft, transaction, { ...members, conclusions: transaction.conclusions + 1 });
  draft.effects.push({ kind: "conclude", transaction: next });
}

/**
 * I2: the one way into `settled`. The answer is frozen here, and nothing changes it any more.
 */
export function settle(
  draft: Draft,
  transaction: Transaction,
  outcome: Outcome,
  by: "terminal" | "gateway" | "operator",
  members: Partial<Transaction> = {},
): void {
  conclude(draft, transaction, {
    ...members,
    state: "settled",
    outcome,
    settledBy: by,
    settledAt: draft.now,
    undelivered: null,
    putBackUntil: null,
    pendingReason: null,
    stages: withStage(transaction, "settled", draft.now),
  });
}

/** Settles with one of the gateway's own answers. */
export function settleAs(
  draft: Draft,
  transaction: Transaction,
  code: GatewayCode,
  members: Partial<Transaction> = {},
): void {
  settle(draft, transaction, gatewayAnswer(code, draft.link), "gateway", members);
}

/** The outcome is open, and only the terminal or the operator can say more: whoever waits is answered at once. */
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
    putBackUntil: null,
    stages: transaction.state === "pending" ? transaction.stages : withStage(transaction, "pending", draft.now),
  });
}
