/** What the POS's side asks of the lane: a request, the same request again, a cancel, an inquiry. */
import { FORGOTTEN_REFERENCE, NOT_BOUND } from "../../protocol/refusals.ts";
import type { Problem } from "../../protocol/problem.ts";
import {
  ANSWER_WAIT,
  ASK_EVERY,
  QUEUE_LENGTH,
  RECONNECT_GRACE,
  REPLAY_LIFE,
  UNSETTLED_TRANSACTIONS,
} from "../../protocol/limits/transfers.ts";
import { WAITER_MARGIN } from "./limits.ts";
import { RESOLVED, TOO_MANY_UNSETTLED } from "../../protocol/gateway-codes.ts";
import { gatewayAnswer } from "../../protocol/transactions.ts";
import { settle, settleAs, settledAnswer, currentAnswer } from "./answers.ts";
import { type Draft, change } from "./lane.ts";
import { isWithTerminal, sameRequest, type FrozenTerms, type Transaction, INITIAL_PROGRESS } from "./transaction.ts";
import { type Details, type Outcome, type Terms } from "../../protocol/transactions.ts";
import { canBeVoided, type TransactionType } from "../../protocol/transfer-types.ts";

/** The reply to a submit, cancel or inquire. */
export type Reply =
  | { kind: "answered"; transaction: Transaction; outcome: Outcome; replayed: boolean }
  | { kind: "waiting"; transaction: Transaction; forMilliseconds: number; standing: Outcome }
  | { kind: "refused"; code: 40000 | 40004 | 40009; problems: Problem[] };

/** The reply to a resolve: the settled transaction, or `not-open` where it was neither pending nor past its end. */
export type Resolution = { kind: "resolved"; transaction: Transaction } | { kind: "not-open" };

/** What every message of a POS brings along. */
export interface Arrival {
  posId: string;
  /** The number that a new row takes. */
  requestId: number;
  /** Whether the terminal is bound to this account now. */
  bound: boolean;
  /** When the message arrived at the Worker, by the Worker's clock. Epoch milliseconds. */
  arrivedAt: number;
  /** The request's life in milliseconds, from its arrival. */
  life: number;
  frozen: FrozenTerms;
  /** What is wrong with a message that is new: verdicts of today, which say nothing about a transaction that is known. */
  problems: Problem[];
  /** The account has a transaction recorded under the reference that is meant. */
  recorded: boolean;
}

export interface Submit extends Arrival {
  referenceId: string;
  transType: TransactionType;
  terms: Terms;
  details: Details;
  /** What the journal holds under this account and reference, settled or not. */
  known: Transaction | null;
  channelInactive: boolean;
  /** The account was suspended or deleted after the request had been admitted. */
  stopped: boolean;
  /** A connection is open that may still say hello. */
  greeting: boolean;
  /** The asker does not wait until the end: the transaction goes on without it. */
  detached: boolean;
  /** For a void: the sale or cashOut that it names, and all other voids of it. */
  target: Transaction | null;
  otherVoids: readonly Transaction[];
}

export interface Cancel extends Arrival {
  referenceId: string;
  known: Transaction | null;
  /** This account has transactions on this device, so it may ask without a binding. */
  hasTransactions: boolean;
}

export interface Inquire extends Arrival {
  /** The transaction that is meant, null where there is none. */
  target: Transaction | null;
  /** The reference that the inquiry names, if it names one. */
  namedReference: string | null;
  /** What is said where there is no target and no named reference. */
  missing: Problem;
  hasTransactions: boolean;
}

export interface Resolve {
  requestId: number;
  statusCode: "00" | "11";
  reason: string;
  /** Who resolves it. */
  operator: string | null;
}

export function submit(draft: Draft, event: Submit): () => Reply {
  const { known } = event;
  // I1, I3: what is known is joined or replayed before anything else is judged.
  if (known !== null) return repeated(draft, event, known);
  // A deleted account's terminals are unbound: that is not what the till is to be told.
  if (!event.bound && !event.stopped) return refusedWith(40000, [NOT_BOUND]);
  const refused = unwritable(event);
  if (refused !== null) return refused;
  const transaction = newTransaction(draft, event, event.referenceId, event.transType, event.terms, event.details);
  if (event.stopped) {
    settleAs(draft, transaction, "CANCELLED");
    return follow(draft, transaction.requestId);
  }
  if (draft.open.size >= UNSETTLED_TRANSACTIONS) {
    const busy = { ...gatewayAnswer("TERMINAL_BUSY", draft.link), responseText: TOO_MANY_UNSETTLED };
    settle(draft, transaction, busy, "gateway");
    return follow(draft, transaction.requestId);
  }
  const queued = [...draft.open.values()].filter((other) => other.state === "queued").length;
  const refusal = targetVerdict(event) ?? (event.channelInactive ? "CHANNEL_INACTIVE" : null);
  if (refusal !== null) settleAs(draft, transaction, refusal);
  else if (!isReachable(draft, event)) settleAs(draft, transaction, "TERMINAL_OFFLINE");
  else if (queued >= QUEUE_LENGTH) settleAs(draft, transaction, "TERMINAL_BUSY");
  else change(draft, transaction, { detached: event.detached });
  return follow(draft, transaction.requestId);
}

/**
 * The refusal of a message that would have to be written down; null: it may be. What the account has recorded and the
 * journal does not know was forgotten: the reference is used, and nothing can be said about it.
 */
function unwritable({ problems, recorded }: Arrival): (() => Reply) | null {
  if (problems.length > 0) return refusedWith(40000, problems);
  return recorded ? refusedWith(40009, [FORGOTTEN_REFERENCE]) : null;
}

/** A connection that ended a moment ago, or has just been opened, is waited for within the queue's time. */
function isReachable(draft: Draft, { greeting }: Submit): boolean {
  const { current, lostAt } = draft.link;
  return current !== null || greeting || (lostAt !== null && draft.now - lostAt < RECONNECT_GRACE);
}

type VoidRefusal = "TRANSACTION_NOT_FOUND" | "NOT_VOIDABLE" | "ALREADY_VOIDED";

/** Whether the transaction that the request is about allows it; null: it does, or there is none. */
function targetVerdict(event: Submit): VoidRefusal | null {
  switch (event.transType) {
    case "sale":
    case "cashOut":
      return null;
    case "void":
      return voidVerdict(event);
    default:
      return event.transType satisfies never;
  }
}

/** Judged in the turn that writes the void's row, so that two voids of one sale cannot both pass. */
function voidVerdict(event: Submit): VoidRefusal | null {
  const { target } = event;
  if (target === null || !canBeVoided(target.transType)) return "TRANSACTION_NOT_FOUND";
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
  const receivedAt = arrivalOf(event, draft.now);
  return {
    requestId: event.requestId,
    posId: event.posId,
    referenceId,
    transType,
    terms,
    details,
    frozen: event.frozen,
    receivedAt,
    endsAt: receivedAt + event.life,
    state: "queued",
    attempt: 0,
    reached: false,
    ...INITIAL_PROGRESS,
    stages: [{ stage: "received", at: draft.now }],
  };
}

/**
 * The Worker's clock is not the object's. One that is ahead must not lengthen a request's life, and one that is behind
 * must not end it before it began.
 */
function arrivalOf({ arrivedAt, life }: Arrival, now: number): number {
  return Math.min(now, Math.max(now - life, arrivedAt));
}

function repeated(draft: Draft, event: Submit, known: Transaction): () => Reply {
  // A tombstone answers whatever arrives later under its reference, of any type and amount.
  if (known.transType === null) return answered(known, true);
  if (!sameRequest(known, event.transType, event.terms)) {
    return refusedWith(40009, [
      {
        path: "referenceId",
        message:
          `This referenceId belongs to another ${known.transType} (number ${known.requestId}) with other terms. ` +
          "Send a new referenceId for a new transaction, or send the first one again unchanged.",
      },
    ]);
  }
  // Whatever its state: a counter that restarts daily must neither replay yesterday's approval nor join yesterday's sale.
  if (draft.now - known.receivedAt > REPLAY_LIFE) {
    const day = new Date(known.receivedAt).toISOString().slice(0, 10);
    return refusedWith(40009, [
      {
        path: "referenceId",
        message:
          `This referenceId was used on ${day} (UTC), more than 24 hours ago. Send a new referenceId for a new transaction, ` +
          "or an inquiry for the outcome of the earlier one.",
      },
    ]);
  }
  if (known.state === "settled") return answered(known, true);
  if (isOpenEnded(known)) return askTerminal(draft, known);
  if (event.detached) callerDetached(draft, known);
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
    // What is recorded did arrive, so that it may still arrive would be untrue.
    return event.recorded ? refusedWith(40009, [FORGOTTEN_REFERENCE]) : refusedWith(40004, [event.missing]);
  }
  if (target.state === "settled") return answered(target, false);
  if (isOpenEnded(target)) return askTerminal(draft, target);
  return () => asItStands(draft, target);
}

function asItStands(draft: Draft, transaction: Transaction): Reply {
  return { kind: "answered", transaction, outcome: currentAnswer(transaction, draft.link), replayed: false };
}

/**
 * Asked about, or cancelled, before it arrived: "no such transaction" is a promise too (I2), so it is written down, and
 * whatever comes later under this reference is never sent.
 */
function tombstone(draft: Draft, event: Arrival, referenceId: string, hasTransactions: boolean): () => Reply {
  if (!event.bound && !hasTransactions) return refusedWith(40000, [NOT_BOUND]);
  const refused = unwritable(event);
  if (refused !== null) return refused;
  const transaction = newTransaction(draft, event, referenceId, null, {}, {});
  settle(draft, transaction, gatewayAnswer("CANCELLED", draft.link), "gateway");
  return follow(draft, transaction.requestId);
}

function answered(transaction: Transaction, replayed: boolean): () => Reply {
  return () => ({
    kind: "answered",
    transaction,
    outcome: settledAnswer(transaction, transaction.outcome ?? unsettledAnswer(transaction)),
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
    const outcome = currentAnswer(transaction, draft.link);
    if (transaction.state === "settled") return { kind: "answered", transaction, outcome, replayed: false };
    const forMilliseconds = atMost ?? Math.max(0, transaction.endsAt - draft.now) + WAITER_MARGIN;
    return { kind: "waiting", transaction, forMilliseconds, standing: outcome };
  };
}

/** The last asker of a queued transaction has hung up: no prompt for a till that has given up. */
export function callerHungUp(draft: Draft, { requestId }: { requestId: number }): void {
  const transaction = draft.open.get(requestId);
  if (transaction?.state === "queued" && !transaction.detached) settleAs(draft, transaction, "CANCELLED");
}

/** An asker has chosen a shorter wait: the transaction goes on without it. */
export function callerDetached(draft: Draft, { requestId }: { requestId: number }): void {
  const transaction = draft.open.get(requestId);
  if (transaction?.state === "queued" && !transaction.detached) change(draft, transaction, { detached: true });
}

/** The account was suspended or deleted: what was sent runs on, what is queued never goes out. */
export function suspend(draft: Draft, { posId }: { posId: string }): void {
  for (const transaction of draft.open.values()) {
    if (transaction.posId === posId && transaction.state === "queued") settleAs(draft, transaction, "CANCELLED");
  }
}

/** The operator settles what is pending or past its end. */
export function resolve(draft: Draft, { requestId, statusCode, reason, operator }: Resolve): () => Resolution {
  const transaction = draft.open.get(requestId);
  const pastItsEnd = transaction !== undefined && isWithTerminal(transaction) && transaction.endsAt <= draft.now;
  if (transaction === undefined || !(transaction.state === "pending" || pastItsEnd))
    return () => ({ kind: "not-open" });
  const { softwareVersion, terminalSn } = draft.link;
  const outcome: Outcome = { statusCode, responseCode: RESOLVED, responseText: reason, softwareVersion, terminalSn };
  const settled = settle(draft, transaction, outcome, "operator", { resolvedBy: operator });
  return () => ({ kind: "resolved", transaction: settled });
}
