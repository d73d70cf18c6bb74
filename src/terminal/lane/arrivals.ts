/** What the POS's side asks of the lane: a request, the same request again, a cancel, an inquiry. */
import type { Problem } from "../../signing/problem.ts";
import { ANSWER_WAIT, ASK_EVERY, QUEUE_LENGTH, RECONNECT_GRACE, REPLAY_LIFE, WAITER_MARGIN } from "../../limits.ts";
import { gatewayAnswer, settle, settleAs, standing } from "./answers.ts";
import { type Draft, change } from "./lane.ts";
import {
  isWithTerminal,
  sameRequest,
  type Details,
  type Frozen,
  type Outcome,
  type Terms,
  type Transaction,
  type TransactionType,
} from "./transaction.ts";

/** What an asker gets; `follow` is turned into one of the others when the step is over. */
export type Reply =
  | { kind: "answered"; transaction: Transaction; outcome: Outcome; replayed: boolean }
  | { kind: "waiting"; transaction: Transaction; forMilliseconds: number; standing: Outcome }
  | { kind: "refused"; code: 40000 | 40004 | 40009; problems: Problem[] };

interface Arrival {
  posId: string;
  /** The number that a new row takes. */
  requestId: number;
  /** Whether the terminal is bound to this account now. */
  bound: boolean;
  /** The request's life in milliseconds. */
  life: number;
  frozen: Frozen;
  /** What is wrong with a message that is new: verdicts of today, which say nothing about a transaction that is known. */
  problems: Problem[];
}

export interface Submit extends Arrival {
  kind: "submit";
  referenceId: string;
  transType: TransactionType;
  terms: Terms;
  details: Details;
  /** What the journal holds under this account and reference, settled or not. */
  known: Transaction | null;
  channelInactive: boolean;
  /** The asker does not wait until the end: the transaction goes on without it. */
  patient: boolean;
  /** For a void: the sale or cashOut that it names, and all other voids of it. */
  target: Transaction | null;
  otherVoids: readonly Transaction[];
}

export interface Cancel extends Arrival {
  kind: "cancel";
  referenceId: string;
  known: Transaction | null;
  /** This account has transactions on this device, so it may ask without a binding. */
  hasTransactions: boolean;
}

/** What an inquiry or getLast is told that means nothing that is here. */
export const UNKNOWN_TRANS_ID: Problem = {
  path: "transData.transId",
  message: "names no sale or cashOut of this account on this device",
};
export const NO_TRANSACTION: Problem = {
  path: "deviceId",
  message: "has no transaction of this account that has reached it",
};

export interface Inquire extends Arrival {
  kind: "inquire";
  /** The transaction that is meant, null where there is none. */
  target: Transaction | null;
  /** The reference that the inquiry names, if it names one. */
  namedReference: string | null;
  /** Whether it names a transId. */
  namesTransId: boolean;
  hasTransactions: boolean;
}

export function submit(draft: Draft, event: Submit): () => Reply {
  const { known } = event;
  // I1, I3: what is known is joined or replayed before anything else is judged.
  if (known !== null) return repeated(draft, event, known);
  if (!event.bound) return refusedWith(40000, [NOT_BOUND]);
  if (event.problems.length > 0) return refusedWith(40000, event.problems);
  const transaction = newTransaction(draft, event, event.referenceId, event.transType, event.terms, event.details);
  const queued = [...draft.open.values()].filter((other) => other.state === "queued").length;
  const refusal = voidVerdict(event) ?? (event.channelInactive ? "CHANNEL_INACTIVE" : null);
  if (refusal !== null) settleAs(draft, transaction, refusal);
  else if (!isReachable(draft)) settleAs(draft, transaction, "TERMINAL_OFFLINE");
  else if (queued >= QUEUE_LENGTH) settleAs(draft, transaction, "TERMINAL_BUSY");
  else change(draft, transaction, { patient: event.patient });
  return follow(draft, transaction.requestId);
}

/**
 * I6: the same words for a terminal that is not there and one that is somebody else's. Always alone: what else is wrong
 * is only found out about a terminal that is there.
 */
export const NOT_BOUND: Problem = {
  path: "deviceId",
  message: "is not a terminal of this account; bind it first, or name one that GET /api/terminals lists",
};

/** A connection that ended a moment ago, or has just been opened, is waited for within the queue's time. */
function isReachable(draft: Draft): boolean {
  const { current, greeting, lostAt } = draft.link;
  return current !== null || greeting || (lostAt !== null && draft.now - lostAt < RECONNECT_GRACE);
}

/** Judged in the turn that writes the void's row, so that two voids of one sale cannot both pass. */
function voidVerdict(event: Submit): "TRANSACTION_NOT_FOUND" | "NOT_VOIDABLE" | "ALREADY_VOIDED" | null {
  if (event.transType !== "void") return null;
  const { target } = event;
  if (target === null || target.transType === "void" || target.transType === null) return "TRANSACTION_NOT_FOUND";
  if (event.otherVoids.some((other) => other.outcome?.statusCode === "00" && other.state === "settled")) {
    return "ALREADY_VOIDED";
  }
  if (event.otherVoids.some((other) => other.state !== "settled")) return "NOT_VOIDABLE";
  return target.state === "settled" && target.outcome?.statusCode === "00" ? null : "NOT_VOIDABLE";
}

function newTransaction(
  draft: Draft,
  event: Arrival,
  referenceId: string,
  transType: TransactionType | null,
  terms: Terms,
  details: Details,
): Transaction {
  return {
    requestId: event.requestId,
    posId: event.posId,
    referenceId,
    transType,
    terms,
    details,
    frozen: event.frozen,
    receivedAt: draft.now,
    endsAt: draft.now + event.life,
    state: "queued",
    attempt: 0,
    sending: null,
    acceptanceProved: false,
    reached: false,
    cancel: "none",
    putBackUntil: null,
    busyUntil: null,
    undelivered: null,
    ended: false,
    patient: false,
    askedAt: null,
    pendingReason: null,
    outcome: null,
    settledBy: null,
    settledAt: null,
    conclusions: 0,
    stages: [{ stage: "received", at: draft.now }],
  };
}

function repeated(draft: Draft, event: Submit, known: Transaction): () => Reply {
  // A tombstone answers whatever arrives later under its reference, of any type and amount.
  if (known.transType === null) return answered(known, true);
  if (!sameRequest(known, event.transType, event.terms)) {
    return refusedWith(40009, [
      {
        path: "referenceId",
        message:
          `was used for another ${known.transType} (number ${known.requestId}) with other terms; ` +
          "take a new referenceId for a new transaction, or repeat the first one unchanged",
      },
    ]);
  }
  if (known.state === "settled") {
    if (draft.now - known.receivedAt <= REPLAY_LIFE) return answered(known, true);
    const day = new Date(known.receivedAt).toISOString().slice(0, 10);
    return refusedWith(40009, [
      {
        path: "referenceId",
        message:
          `was used on ${day} (UTC), more than 24 hours ago; take a new referenceId for a new transaction, ` +
          "or send an inquiry to learn how the earlier one ended",
      },
    ]);
  }
  if (isOpenEnded(known)) return askTerminal(draft, known);
  if (event.patient) callerPatient(draft, known.requestId);
  return follow(draft, known.requestId);
}

/** Nothing will come of waiting unless the terminal is asked: pending, or past its end. */
function isOpenEnded(transaction: Transaction): boolean {
  return transaction.state === "pending" || transaction.ended;
}

/** The terminal is asked what became of it, at most every 5 s; where it cannot be asked the 22 stands. */
function askTerminal(draft: Draft, transaction: Transaction): () => Reply {
  const { askedAt } = transaction;
  const justAsked = askedAt !== null && draft.now - askedAt < ASK_EVERY;
  if (draft.link.current === null || justAsked) return () => asItStands(draft, transaction);
  change(draft, transaction, { askedAt: draft.now });
  draft.effects.push({ kind: "send-ask", requestId: transaction.requestId, attempt: transaction.attempt });
  return follow(draft, transaction.requestId, ANSWER_WAIT);
}

export function cancel(draft: Draft, event: Cancel): () => Reply {
  const { known } = event;
  if (known === null) return tombstone(draft, event, event.referenceId, event.hasTransactions);
  if (known.state === "settled") return answered(known, true);
  if (known.state === "queued") {
    settleAs(draft, known, "CANCELLED", { cancel: "answered" });
    return follow(draft, known.requestId);
  }
  // The wish is in the row before the frame leaves, and is sent again after every hello until it is answered.
  const justSent = known.cancel === "wished" && known.askedAt !== null && draft.now - known.askedAt < ASK_EVERY;
  if (!justSent) {
    change(draft, known, { cancel: "wished", askedAt: draft.now });
    if (draft.link.current !== null) {
      draft.effects.push({ kind: "send-cancel", requestId: known.requestId, attempt: known.attempt });
    }
  }
  return follow(draft, known.requestId, ANSWER_WAIT);
}

export function inquire(draft: Draft, event: Inquire): () => Reply {
  const { target } = event;
  if (target === null) {
    if (!event.hasTransactions && !event.bound) return refusedWith(40000, [NOT_BOUND]);
    if (event.problems.length > 0) return refusedWith(40000, event.problems);
    if (event.namedReference !== null) return tombstone(draft, event, event.namedReference, event.hasTransactions);
    return refusedWith(40004, [event.namesTransId ? UNKNOWN_TRANS_ID : NO_TRANSACTION]);
  }
  if (target.state === "settled") return answered(target, false);
  if (isOpenEnded(target)) return askTerminal(draft, target);
  return () => asItStands(draft, target);
}

function asItStands(draft: Draft, transaction: Transaction): Reply {
  return { kind: "answered", transaction, outcome: standing(transaction, draft.link), replayed: false };
}

/**
 * Asked about, or cancelled, before it arrived: "no such transaction" is a promise too (I2), so it is written down, and
 * whatever comes later under this reference is never sent.
 */
function tombstone(draft: Draft, event: Arrival, referenceId: string, hasTransactions: boolean): () => Reply {
  if (!event.bound && !hasTransactions) return refusedWith(40000, [NOT_BOUND]);
  if (event.problems.length > 0) return refusedWith(40000, event.problems);
  const transaction = newTransaction(draft, event, referenceId, null, {}, {});
  settle(draft, transaction, gatewayAnswer("CANCELLED", draft.link), "gateway");
  return follow(draft, transaction.requestId);
}

function answered(transaction: Transaction, replayed: boolean): () => Reply {
  return () => ({
    kind: "answered",
    transaction,
    outcome: transaction.outcome ?? unsettledAnswer(transaction),
    replayed,
  });
}

function unsettledAnswer(transaction: Transaction): never {
  throw new Error(`transaction ${transaction.requestId} is answered from the journal without an outcome`);
}

function refusedWith(code: 40000 | 40004 | 40009, problems: Problem[]): () => Reply {
  return () => ({ kind: "refused", code, problems });
}

/** The reply is made when the step is over: the transaction may have been sent, or settled, meanwhile. */
function follow(draft: Draft, requestId: number, atMost?: number): () => Reply {
  return () => {
    const transaction = draft.changed.get(requestId) ?? draft.open.get(requestId);
    if (transaction === undefined) throw new Error(`transaction ${requestId} vanished within a step`);
    const outcome = standing(transaction, draft.link);
    if (transaction.state === "settled") return { kind: "answered", transaction, outcome, replayed: false };
    const forMilliseconds = atMost ?? Math.max(0, transaction.endsAt - draft.now) + WAITER_MARGIN;
    return { kind: "waiting", transaction, forMilliseconds, standing: outcome };
  };
}

/** The last asker of a queued transaction has hung up: no prompt for a till that has given up. */
export function callerGone(draft: Draft, requestId: number): void {
  const transaction = draft.open.get(requestId);
  if (transaction?.state === "queued" && !transaction.patient) settleAs(draft, transaction, "CANCELLED");
}

/** An asker has chosen a shorter wait: the transaction goes on without it. */
export function callerPatient(draft: Draft, requestId: number): void {
  const transaction = draft.open.get(requestId);
  if (transaction?.state === "queued" && !transaction.patient) change(draft, transaction, { patient: true });
}

/** The account was suspended: what was sent runs on, what is queued never goes out. */
export function suspend(draft: Draft, posId: string): void {
  for (const transaction of draft.open.values()) {
    if (transaction.posId === posId && transaction.state === "queued") settleAs(draft, transaction, "CANCELLED");
  }
}

/** The operator settles what is pending or past its end; `false` where the transaction is neither. */
export function resolve(draft: Draft, requestId: number, statusCode: "00" | "11", reason: string): boolean {
  const transaction = draft.open.get(requestId);
  const pastItsEnd = transaction !== undefined && isWithTerminal(transaction) && transaction.endsAt <= draft.now;
  if (transaction === undefined || !(transaction.state === "pending" || pastItsEnd)) return false;
  const { softwareVersion, terminalSn } = draft.link;
  const outcome: Outcome = { statusCode, responseCode: "RESOLVED", responseText: reason, softwareVersion, terminalSn };
  settle(draft, transaction, outcome, "operator");
  return true;
}
