import {
  type LaneDraft,
  changeTransaction,
  alert,
  withStage,
  type LaneTransaction,
  type StoredReports,
  type Report,
  answeredCancel,
  keep,
  warn,
} from "./lane.ts";
import { completeAs, completeBusy, completeTransaction, concludeTransaction, makePending } from "./completion.ts";
import { send, SEND_BEFORE_END } from "./queue.ts";
import type { RefusalReason } from "../../../protocol/frames.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import { STAGES } from "../../../protocol/limits.ts";
import { SECOND, type Milliseconds } from "../../../protocol/time/units.ts";

/**
 * This is added to `deliverBy` before non-delivery is certain: a hello may take 10 s, so a clock may lag by as much.
 */
export const UNDELIVERED_AFTER_DELIVER_BY = 15 * SECOND;

export interface Hello {
  connection: number;
  /** The time from `welcome` to `hello`. */
  roundTrip: Milliseconds;
  memory: string;
  /** The requestIds that the terminal has accepted and whose 00 or 11 is not acknowledged. */
  listed: ReadonlySet<number>;
  listedButCompleted11: readonly { requestId: number; attempt: number }[];
  softwareVersion: string;
  terminalSn: string;
}

/**
 * Sorts the requests that a terminal lists as open by what the journal knows about them (`find`, completed or not).
 *
 * @returns `unknown`: the requests that it was never sent. I4: the terminal keeps them until their results are stored,
 * which it sends after this hello.
 */
export function sortOpenRequests(
  open: readonly number[],
  find: (requestId: number) => LaneTransaction | null,
): Pick<Hello, "listed" | "listedButCompleted11"> & { unknown: number[] } {
  const listed = new Set<number>();
  const listedButCompleted11: Hello["listedButCompleted11"][number][] = [];
  const unknown: number[] = [];
  for (const requestId of new Set(open)) {
    const transaction = find(requestId);
    if (transaction === null || transaction.attempt === 0) unknown.push(requestId);
    else if (transaction.state !== "completed") listed.add(requestId);
    // If the acknowledgement of the terminal's own 11 was lost, the 11 arrives and is acknowledged again. Any other must be
    // stopped.
    else if (transaction.outcome?.statusCode === "11" && transaction.completedBy !== "terminal") {
      listedButCompleted11.push({ requestId, attempt: transaction.attempt });
    }
  }
  return { listed, listedButCompleted11, unknown };
}

/**
 * The terminal has stopped reading every earlier connection before it sent this hello, which makes its `open` list a
 * proof.
 */
export function handleHello(draft: LaneDraft, event: Hello): void {
  draft.link = {
    current: {
      number: event.connection,
      memory: event.memory,
      heardAt: draft.now,
      roundTrip: event.roundTrip,
      probedAt: null,
      pingedAt: null,
    },
    lostAt: draft.link.lostAt,
    softwareVersion: event.softwareVersion,
    terminalSn: event.terminalSn,
  };
  for (const transaction of draft.open.values()) reconcile(draft, transaction, event);
  for (const { requestId, attempt } of event.listedButCompleted11) cancelCompleted(draft, requestId, attempt);
}

function reconcile(draft: LaneDraft, transaction: LaneTransaction, event: Hello): void {
  if (transaction.state === "queued") return;
  if (event.listed.has(transaction.requestId)) {
    resendCancel(draft, proveAccepted(draft, transaction));
    return;
  }
  // The hello of its own memory has decided. Only a late `accepted` or a listing changes that, not the hello of another
  // memory.
  if (transaction.undelivered !== null) return;
  switch (transaction.state) {
    case "sent":
      if (transaction.sending?.memory !== event.memory) makePending(draft, transaction, "other-memory");
      else notTaken(draft, transaction);
      return;
    case "accepted":
      if (transaction.sending?.memory !== event.memory) makePending(draft, transaction, "other-memory");
      else {
        alert(draft, "accepted_request_forgotten", transaction.requestId);
        makePending(draft, transaction, "forgotten");
      }
      return;
    case "pending":
      // The request was sent, never proved accepted, and is pending only because another memory said hello: now its own
      // memory is back without it. Every other pending row was proved accepted, and stays regardless of the list.
      if (
        !transaction.acceptanceProved &&
        transaction.pendingReason === "other-memory" &&
        transaction.sending?.memory === event.memory
      ) {
        decideUndelivered(draft, transaction);
      } else resendCancel(draft, transaction);
      return;
    case "completed":
      return;
  }
}

/**
 * The memory that the request was sent to does not list it, so the terminal never accepted it: it is sent again, or
 * completed by proof.
 */
function notTaken(draft: LaneDraft, transaction: LaneTransaction): void {
  if (transaction.cancel !== "none" || transaction.endsAt - draft.now < SEND_BEFORE_END) {
    decideUndelivered(draft, transaction);
  } else {
    send(draft, transaction);
  }
}

/**
 * Non-delivery is certain only when the terminal can no longer start the request, even with a lagging clock (I2). Until
 * then a late `accepted` or a listing wins; after that the decision needs no connection.
 */
function decideUndelivered(draft: LaneDraft, transaction: LaneTransaction): void {
  const responseCode = transaction.cancel === "none" ? "NOT_DELIVERED" : "CANCELLED";
  const at = (transaction.sending?.deliverBy ?? draft.now) + UNDELIVERED_AFTER_DELIVER_BY;
  // If that time has passed, the end of this step completes it.
  changeTransaction(draft, transaction, { undelivered: { at, responseCode } });
}

/**
 * An `accepted`, a listing or a `progress` proves that the terminal has the request, regardless of what was assumed
 * before.
 */
function proveAccepted(draft: LaneDraft, transaction: LaneTransaction): LaneTransaction {
  if (transaction.state === "pending") {
    return transaction.acceptanceProved && transaction.undelivered === null
      ? transaction
      : changeTransaction(draft, transaction, { acceptanceProved: true, undelivered: null });
  }
  if (transaction.state === "accepted") return transaction;
  return changeTransaction(draft, transaction, {
    state: "accepted",
    acceptanceProved: true,
    reached: true,
    undelivered: null,
    stages: withStage(transaction, "accepted", draft.now),
  });
}

/** An unanswered cancel is sent again after every hello. */
function resendCancel(draft: LaneDraft, transaction: LaneTransaction): void {
  if (transaction.cancel !== "wished") return;
  draft.effects.push({ kind: "send-cancel", requestId: transaction.requestId, attempt: transaction.attempt });
}

/**
 * The answer to the POS was that no money moves, so the terminal must stop immediately, and the operator's log records
 * it.
 */
function cancelCompleted(draft: LaneDraft, requestId: number, attempt: number): void {
  alert(draft, "completed_request_held", requestId);
  draft.effects.push({ kind: "send-cancel", requestId, attempt });
}

/** null: this terminal was never sent such a request. */
export interface AboutRequest {
  requestId: number;
  transaction: LaneTransaction | null;
}

export interface ProgressEvent extends AboutRequest {
  stage: string;
}

export interface Refused extends AboutRequest {
  attempt: number;
  reason: RefusalReason;
}

export interface ResultEvent extends AboutRequest {
  report: Report;
  /** It counts only if the report contradicts its request or is about a completed one. */
  kept: StoredReports;
}

export function handleAccepted(draft: LaneDraft, event: AboutRequest): void {
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

export function handleProgress(draft: LaneDraft, event: ProgressEvent): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null || transaction.state === "completed") return;
  const proved = proveAccepted(draft, transaction);
  // A repeated stage adds nothing, and reports must not grow the row without limit.
  if (proved.stages.at(-1)?.stage === event.stage || proved.stages.length >= STAGES) return;
  changeTransaction(draft, proved, { stages: withStage(proved, event.stage, draft.now) });
}

/** A report about a request that was never sent has no meaning. */
function sentBefore(draft: LaneDraft, event: AboutRequest): LaneTransaction | null {
  const { transaction } = event;
  if (transaction !== null && transaction.attempt > 0) return transaction;
  warn(draft, "unknown_request_reported", event.requestId);
  return null;
}

export interface Orphan {
  requestId: number;
  statusCode: StatusCode;
  kept: StoredReports;
}

/**
 * The report may be all that is left of a payment, so it is stored for the operator (I4). Only then may the terminal
 * delete its 00 or 11. After a 22, the outcome is still to come.
 */
export function orphan(draft: LaneDraft, { requestId, statusCode, kept }: Orphan): void {
  alert(draft, "orphan_result_reported", requestId, statusCode);
  if (!keep(draft, requestId, "orphan", kept)) return;
  draft.effects.push(
    statusCode === "22" ? { kind: "send-ack", requestId, statusCode } : { kind: "send-unknown", requestId },
  );
}

/**
 * A refusal counts only for the attempt and connection that it answers: a delayed one of an earlier attempt does not
 * concern the newest.
 */
export function handleRefused(draft: LaneDraft, event: Refused): void {
  const { transaction } = event;
  if (transaction === null) {
    warn(draft, "unknown_request_reported", event.requestId);
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
    alert(draft, "accepted_request_forgotten", transaction.requestId);
    makePending(draft, transaction, "forgotten", { cancel: answeredCancel(transaction) });
  } else {
    warn(draft, "refusal_ignored", transaction.requestId, event.reason);
    // A caller that asked does not wait once an answer has arrived. While the request is in progress, however, its own
    // POS waits in the same place, and for more than this.
    const openEnded = transaction.state === "pending" || (transaction.state !== "completed" && transaction.ended);
    if (event.reason === "unknown" && openEnded) concludeTransaction(draft, transaction);
  }
}

/** Every reason leads to an 11, because the terminal will not start the attempt. */
function refuseAttempt(draft: LaneDraft, transaction: LaneTransaction, reason: RefusalReason): void {
  const undelivered = transaction.cancel === "none" ? "NOT_DELIVERED" : "CANCELLED";
  const members = { reached: false, cancel: answeredCancel(transaction) };
  if (reason === "busy") completeBusy(draft, transaction, newestAccepted(draft), members);
  else completeAs(draft, transaction, reason === "unknown" ? undelivered : "TERMINAL_REFUSED", members);
}

/** What a busy terminal works on, as far as the gateway knows: it may be past its end. Numbers only grow. */
function newestAccepted(draft: LaneDraft): LaneTransaction | null {
  const held = [...draft.open.values()].filter(({ state }) => state === "accepted");
  return held.reduce<LaneTransaction | null>(
    (newest, one) => (newest === null || one.requestId > newest.requestId ? one : newest),
    null,
  );
}

/**
 * A 22 becomes 00 or 11 once, and those never change (I2). The acknowledgement is sent after the row is durable, and
 * everything that it acknowledges is in the row or stored with it (I4).
 */
export function handleResult(draft: LaneDraft, event: ResultEvent): void {
  const transaction = sentBefore(draft, event);
  if (transaction === null) return;
  const { report, kept } = event;
  const { requestId } = transaction;
  const shown = { acceptanceProved: true, reached: true, cancel: answeredCancel(transaction) };
  let isStored = true;
  if (transaction.state === "completed") isStored = reportOnCompleted(draft, transaction, report, kept);
  else if (report.contradicts) {
    alert(draft, "mismatched_result_reported", requestId);
    isStored = keep(draft, requestId, "evidence", kept);
    makePending(draft, transaction, "mismatch", shown);
  } else if (report.statusCode === "22") {
    makePending(draft, transaction, "reported", { ...shown, outcome: report.outcome });
  } else {
    completeTransaction(draft, transaction, { ...shown, outcome: report.outcome, completedBy: "terminal" });
  }
  if (isStored) draft.effects.push({ kind: "send-ack", requestId, statusCode: report.statusCode });
}

/** @returns whether everything that the report says is stored */
function reportOnCompleted(
  draft: LaneDraft,
  transaction: LaneTransaction,
  report: Report,
  kept: StoredReports,
): boolean {
  if (transaction.outcome?.statusCode === report.statusCode && !report.contradicts) return true;
  // A 22 that the terminal sent before its own 00 or 11 arrives late, and contradicts nothing.
  if (report.statusCode === "22" && transaction.completedBy === "terminal") return true;
  alert(draft, "conflicting_result_reported", transaction.requestId);
  const isNew = kept.hasRoom && !kept.as.includes("conflict");
  // A 22 does not prove that money moved.
  if (isNew && report.statusCode !== "22") draft.effects.push({ kind: "contradict", transaction });
  return keep(draft, transaction.requestId, "conflict", kept);
}
