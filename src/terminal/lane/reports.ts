/** What the terminal says about one request, on its current connection. */
import { PUT_BACK_WAIT, SEND_AGAIN_BEFORE_END, STAGES } from "../../limits.ts";
import { conclude, makePending, settle, settleAs } from "./answers.ts";
import { cancelSettled, proveAccepted, resendCancel } from "./hello.ts";
import { type Draft, type RefusedReason, type Report, change, log, withStage } from "./lane.ts";
import type { Transaction } from "./transaction.ts";

/** `transaction` is null where this terminal was never sent such a request. */
interface AboutRequest {
  requestId: number;
  transaction: Transaction | null;
}

export interface Accepted extends AboutRequest {
  kind: "accepted";
}

export interface Progress extends AboutRequest {
  kind: "progress";
  stage: string;
}

export interface Refused extends AboutRequest {
  kind: "refused";
  attempt: number;
  reason: RefusedReason;
}

export interface Result extends AboutRequest {
  kind: "result";
  report: Report;
}

export function accepted(draft: Draft, event: Accepted): void {
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
  stray(draft, event.requestId);
  return null;
}

/** The terminal is told to forget it; nothing else changes. */
export function stray(draft: Draft, requestId: number): void {
  draft.effects.push({ kind: "send-unknown", requestId });
  log(draft, "warning", "unknown-request-reported", requestId);
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
    makePending(draft, transaction, "forgotten", { cancel: transaction.cancel === "none" ? "none" : "answered" });
  } else {
    log(draft, "warning", "refusal-without-effect", transaction.requestId, event.reason);
    // Whoever asked is not kept waiting for an answer that has just come. While the request still runs, though, its own
    // POS waits in the same place, and for more than this.
    const openEnded = transaction.state === "pending" || (transaction.state !== "settled" && transaction.ended);
    if (event.reason === "unknown" && openEnded) conclude(draft, transaction);
  }
}

function refuseAttempt(draft: Draft, transaction: Transaction, reason: RefusedReason): void {
  const members: Partial<Transaction> = {
    reached: false,
    cancel: transaction.cancel === "none" ? "none" : "answered",
  };
  switch (reason) {
    case "busy":
      if (mayBePutBack(draft, transaction)) {
        change(draft, transaction, { state: "queued", reached: false, putBackUntil: draft.now + PUT_BACK_WAIT });
      } else settleAs(draft, transaction, "TERMINAL_BUSY", members);
      return;
    case "unknown":
      settleAs(draft, transaction, transaction.cancel === "none" ? "NOT_DELIVERED" : "CANCELLED", members);
      return;
    case "expired":
    case "unsupported":
    case "unbound":
      settleAs(draft, transaction, "TERMINAL_REFUSED", members);
      return;
  }
}

function mayBePutBack(draft: Draft, transaction: Transaction): boolean {
  return (
    transaction.busyUntil !== null &&
    draft.now < transaction.busyUntil &&
    transaction.cancel === "none" &&
    transaction.endsAt - draft.now > SEND_AGAIN_BEFORE_END
  );
}

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

function answeredCancel(transaction: Transaction): Transaction["cancel"] {
  return transaction.cancel === "none" ? "none" : "answered";
}

function reportOnSettled(draft: Draft, transaction: Transaction, report: Report): void {
  if (transaction.outcome?.statusCode === report.statusCode && !report.contradicts) return;
  // A 22 that the terminal sent before its own 00 or 11 comes late, and contradicts nothing.
  if (report.statusCode === "22" && transaction.settledBy === "terminal") return;
  log(draft, "error", "result-conflicts-with-settled", transaction.requestId);
  draft.effects.push({ kind: "keep", requestId: transaction.requestId, as: "conflict" });
}
