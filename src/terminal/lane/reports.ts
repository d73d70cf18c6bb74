/** The terminal's reports about one request, on its current connection. */
import type { RefusalReason } from "../../protocol/frames.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";
import type { GatewayCode } from "../../protocol/gateway-codes.ts";
import { STAGES } from "../../protocol/limits/transfers.ts";
import { conclude, makePending, complete, completeAs } from "./answers.ts";
import { cancelCompleted, proveAccepted, resendCancel } from "./hello.ts";
import { type Draft, type Kept, type Report, answeredCancel, change, keep, alert, warn, withStage } from "./lane.ts";
import type { Transaction } from "./transaction.ts";

/** `transaction` is null if this terminal was never sent such a request. */
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
  /** Counts only if the report contradicts its request or is about a completed one. */
  kept: Kept;
}

export function accepted(draft: Draft, event: AboutRequest): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null) return;
  if (transaction.state !== "completed") {
    const proved = proveAccepted(draft, transaction);
    // It seemed that the terminal never accepted it, so its cancel was not sent with the hello.
    if (transaction.undelivered !== null) resendCancel(draft, proved);
  } else if (transaction.outcome?.statusCode === "11") {
    cancelCompleted(draft, transaction.requestId, transaction.attempt);
  }
}

export function progress(draft: Draft, event: Progress): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null || transaction.state === "completed") return;
  const proved = proveAccepted(draft, transaction);
  // A repeated stage adds nothing, and reports must not grow the row without limit.
  if (proved.stages.at(-1)?.stage === event.stage || proved.stages.length >= STAGES) return;
  change(draft, proved, { stages: withStage(proved, event.stage, draft.now) });
}

/** A report about a request that was never sent has no meaning. */
function sentBefore(draft: Draft, event: AboutRequest): Transaction | null {
  const { transaction } = event;
  if (transaction !== null && transaction.attempt > 0) return transaction;
  warn(draft, "unknown-request-reported", event.requestId);
  return null;
}

/** A signed result about a request that this terminal was never sent. */
export interface Stray {
  requestId: number;
  statusCode: StatusCode;
  kept: Kept;
}

/**
 * I4: it may be all that is left of a payment, so it is stored for the operator. Only then may the terminal forget its 00 or
 * 11. Of a 22, the outcome is still to come.
 */
export function stray(draft: Draft, { requestId, statusCode, kept }: Stray): void {
  alert(draft, "unknown-request-has-result", requestId, statusCode);
  if (!keep(draft, requestId, "stray", kept)) return;
  draft.effects.push(
    statusCode === "22" ? { kind: "send-ack", requestId, statusCode } : { kind: "send-unknown", requestId },
  );
}

/**
 * A refusal counts only for the attempt and connection that it answers: a delayed refusal of an earlier attempt says
 * nothing about the newest.
 */
export function refused(draft: Draft, event: Refused): void {
  const { transaction } = event;
  if (transaction === null) {
    warn(draft, "unknown-request-reported", event.requestId);
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
    alert(draft, "terminal-forgot-accepted-request", transaction.requestId);
    makePending(draft, transaction, "forgotten", { cancel: answeredCancel(transaction) });
  } else {
    warn(draft, "refusal-without-effect", transaction.requestId, event.reason);
    // A caller that asked does not wait for an answer that has just arrived. While the request is in progress, however, its
    // own till waits in the same place, and for more than this.
    const openEnded = transaction.state === "pending" || (transaction.state !== "completed" && transaction.ended);
    if (event.reason === "unknown" && openEnded) conclude(draft, transaction);
  }
}

/** The terminal will not start the attempt: an 11 for every reason. */
function refuseAttempt(draft: Draft, transaction: Transaction, reason: RefusalReason): void {
  const undelivered = transaction.cancel === "none" ? "NOT_DELIVERED" : "CANCELLED";
  const code = reason === "unknown" ? undelivered : REFUSED[reason];
  completeAs(draft, transaction, code, { reached: false, cancel: answeredCancel(transaction) });
}

const REFUSED: Readonly<Record<Exclude<RefusalReason, "unknown">, GatewayCode>> = {
  busy: "TERMINAL_BUSY",
  expired: "TERMINAL_REFUSED",
  unsupported: "TERMINAL_REFUSED",
  unbound: "TERMINAL_REFUSED",
};

/**
 * A signed result. I2: a 22 becomes 00 or 11 once, and those never change. I4: the acknowledgement is sent after the row is
 * durable, and everything that it acknowledges is in the row or stored with it.
 */
export function result(draft: Draft, event: Result): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null) return;
  const { report, kept } = event;
  const { requestId } = transaction;
  const shown = { acceptanceProved: true, reached: true, cancel: answeredCancel(transaction) };
  let isStored = true;
  if (transaction.state === "completed") isStored = reportOnCompleted(draft, transaction, report, kept);
  else if (report.contradicts) {
    alert(draft, "result-contradicts-request", requestId);
    isStored = keep(draft, requestId, "evidence", kept);
    makePending(draft, transaction, "contradiction", shown);
  } else if (report.statusCode === "22") {
    makePending(draft, transaction, "reported", { ...shown, outcome: report.outcome });
  } else {
    complete(draft, transaction, { ...shown, outcome: report.outcome, completedBy: "terminal" });
  }
  if (isStored) draft.effects.push({ kind: "send-ack", requestId, statusCode: report.statusCode });
}

/** @returns whether everything that it says is stored */
function reportOnCompleted(draft: Draft, transaction: Transaction, report: Report, kept: Kept): boolean {
  if (transaction.outcome?.statusCode === report.statusCode && !report.contradicts) return true;
  // A 22 that the terminal sent before its own 00 or 11 arrives late, and contradicts nothing.
  if (report.statusCode === "22" && transaction.completedBy === "terminal") return true;
  alert(draft, "result-conflicts-with-completed", transaction.requestId);
  const isNew = kept.hasRoom && !kept.as.includes("conflict");
  // A 22 says nothing about money.
  if (isNew && report.statusCode !== "22") draft.effects.push({ kind: "contradict", transaction });
  return keep(draft, transaction.requestId, "conflict", kept);
}
