/** What the terminal says about one request, on its current connection. */
import type { RefusalReason } from "../../protocol/frames.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import type { GatewayCode } from "../../protocol/gateway-codes.ts";
import { STAGES } from "../../protocol/limits/transfers.ts";
import { conclude, makePending, settle, settleAs } from "./answers.ts";
import { cancelSettled, proveAccepted, resendCancel } from "./hello.ts";
import { type Draft, type Report, answeredCancel, change, log, withStage } from "./lane.ts";
import type { Transaction } from "./transaction.ts";

/** `transaction` is null where this terminal was never sent such a request. */
export interface AboutRequest {
  requestId: number;
  transaction: Transaction | null;
}

export interface Progress extends AboutRequest {
  stage: string;
}

export interface Refused extends AboutRequest {
  attempt: number;
  reason: RefusalReason;
}

export interface Result extends AboutRequest {
  report: Report;
}

export function accepted(draft: Draft, event: AboutRequest): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null) return;
  if (transaction.state !== "settled") {
    const proved = proveAccepted(draft, transaction);
    // It seemed never to have been taken, so the wish to cancel it did not go out with the hello.
    if (transaction.undelivered !== null) resendCancel(draft, proved);
  } else if (transaction.outcome?.statusCode === "11") {
    cancelSettled(draft, transaction.requestId, transaction.attempt);
  }
}

export function progress(draft: Draft, event: Progress): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null || transaction.state === "settled") return;
  const proved = proveAccepted(draft, transaction);
  // A stage that is said again is no news, and nobody's reports may grow the row without end.
  if (proved.stages.at(-1)?.stage === event.stage || proved.stages.length >= STAGES) return;
  change(draft, proved, { stages: withStage(proved, event.stage, draft.now) });
}

/** An answer about a request that was never sent would be a report out of nothing. */
function sentBefore(draft: Draft, event: AboutRequest): Transaction | null {
  const { transaction } = event;
  if (transaction !== null && transaction.attempt > 0) return transaction;
  stray(draft, { requestId: event.requestId, statusCode: null });
  return null;
}

/** A report about a request that this terminal was never sent. */
export interface Stray {
  requestId: number;
  /** The status of a signed result; null where it is another report, which is no evidence of anything. */
  statusCode: StatusCode | null;
}

/**
 * The terminal is told to forget it, and no transaction changes. A signed result is kept first: it may be all that is
 * left of a payment (I4).
 */
export function stray(draft: Draft, { requestId, statusCode }: Stray): void {
  if (statusCode !== null) {
    log(draft, "error", "unknown-request-has-result", requestId, statusCode);
    draft.effects.push({ kind: "keep", requestId, as: "stray" });
  } else log(draft, "warning", "unknown-request-reported", requestId);
  draft.effects.push({ kind: "send-unknown", requestId });
}

/**
 * A refusal counts for the very attempt and connection that it answers: a refusal of an earlier attempt that was stuck
 * somewhere says nothing about the newest.
 */
export function refused(draft: Draft, event: Refused): void {
  const { transaction } = event;
  if (transaction === null) {
    log(draft, "warning", "unknown-request-reported", event.requestId);
    return;
  }
  const { current } = draft.link;
  if (
    transaction.state === "sent" &&
    transaction.attempt === event.attempt &&
    transaction.sending?.connection === current?.number
  ) {
    refuseAttempt(draft, transaction, event.reason);
  } else if (transaction.state === "accepted" && event.reason === "unknown") {
    log(draft, "error", "terminal-forgot-accepted-request", transaction.requestId);
    makePending(draft, transaction, "forgotten", { cancel: answeredCancel(transaction) });
  } else {
    log(draft, "warning", "refusal-without-effect", transaction.requestId, event.reason);
    // An asker does not wait for an answer that has just arrived. While the request still runs, though, its own
    // POS waits in the same place, and for more than this.
    const openEnded = transaction.state === "pending" || (transaction.state !== "settled" && transaction.ended);
    if (event.reason === "unknown" && openEnded) conclude(draft, transaction);
  }
}

/** The attempt will not be started: an 11, whatever the reason. */
function refuseAttempt(draft: Draft, transaction: Transaction, reason: RefusalReason): void {
  const undelivered = transaction.cancel === "none" ? "NOT_DELIVERED" : "CANCELLED";
  const code = reason === "unknown" ? undelivered : REFUSED[reason];
  settleAs(draft, transaction, code, { reached: false, cancel: answeredCancel(transaction) });
}

const REFUSED: Readonly<Record<Exclude<RefusalReason, "unknown">, GatewayCode>> = {
  busy: "TERMINAL_BUSY",
  expired: "TERMINAL_REFUSED",
  unsupported: "TERMINAL_REFUSED",
  unbound: "TERMINAL_REFUSED",
};

/**
 * A signed result. I2: a 22 turns into 00 or 11 once, and those never change. I4: the acknowledgement leaves after the
 * row is durable, and whatever it acknowledges is in the row or beside it.
 */
export function result(draft: Draft, event: Result): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null) return;
  const { report } = event;
  const { requestId } = transaction;
  if (transaction.state === "settled") reportOnSettled(draft, transaction, report);
  else if (report.contradicts) {
    log(draft, "error", "result-contradicts-request", requestId);
    draft.effects.push({ kind: "keep", requestId, as: "evidence" });
    makePending(draft, transaction, "contradiction", {
      acceptanceProved: true,
      reached: true,
      cancel: answeredCancel(transaction),
    });
  } else if (report.statusCode === "22") {
    makePending(draft, transaction, "reported", {
      outcome: report.outcome,
      acceptanceProved: true,
      reached: true,
      cancel: answeredCancel(transaction),
    });
  } else {
    settle(draft, transaction, report.outcome, "terminal", {
      acceptanceProved: true,
      reached: true,
      cancel: answeredCancel(transaction),
    });
  }
  draft.effects.push({ kind: "send-ack", requestId, statusCode: report.statusCode });
}

function reportOnSettled(draft: Draft, transaction: Transaction, report: Report): void {
  if (transaction.outcome?.statusCode === report.statusCode && !report.contradicts) return;
  // A 22 that the terminal sent before its own 00 or 11 comes late, and contradicts nothing.
  if (report.statusCode === "22" && transaction.settledBy === "terminal") return;
  log(draft, "error", "result-conflicts-with-settled", transaction.requestId);
  draft.effects.push({ kind: "keep", requestId: transaction.requestId, as: "conflict" });
}
