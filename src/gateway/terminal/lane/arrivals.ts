import {
  FORGOTTEN_REFERENCE,
  NO_TRANSACTION,
  NOT_BOUND,
  type RefusalCode,
  UNKNOWN_REFERENCE,
  UNKNOWN_TRANS_ID,
  usedLongAgo,
  usedOtherwise,
} from "../../../protocol/refusals.ts";
import type { Problem } from "../../../protocol/problem.ts";
import {
  ANSWER_WAIT,
  ASK_EVERY,
  QUEUE_LENGTH,
  RECONNECT_GRACE,
  REPLAY_LIFE,
  PENDING_TRANSACTIONS,
} from "../../../protocol/limits.ts";
import {
  type LaneDraft,
  changeTransaction,
  sameRequest,
  type FrozenTerms,
  type LaneTransaction,
  INITIAL_PROGRESS,
} from "./lane.ts";
import { RESOLVED, TOO_MANY_PENDING } from "../../../protocol/gateway-codes.ts";
import { gatewayAnswer, type Outcome } from "../../../protocol/transactions.ts";
import { answerNow, laneHolder, withKnownData } from "./answers.ts";
import { completeAs, completeBusy, completeTransaction } from "./completion.ts";
import { canBeVoided } from "../../../protocol/transfer-types.ts";
import type { FinalStatusCode } from "../../../protocol/status-codes.ts";
import type { Cancellation, Inquiry, Submission, TransferFacts } from "../../../protocol/transfer-message.ts";
import { SECOND, type EpochMs, type Milliseconds } from "../../../protocol/time/units.ts";

/** The Worker waits this much longer than the object's alarm, which ends a request. */
const WAITER_MARGIN = 5 * SECOND;

export type Reply =
  | { kind: "answered"; transaction: LaneTransaction; outcome: Outcome; replayed: boolean }
  | { kind: "waiting"; transaction: LaneTransaction; forMilliseconds: number; standing: Outcome }
  | { kind: "refused"; code: RefusalCode; problems: Problem[] };

/** `not-open`: it was neither pending nor past its end. */
export type Resolution = { kind: "resolved"; transaction: LaneTransaction } | { kind: "not-open" };

/** What the object has looked up for every message. */
interface Arrival {
  /** The number of a new row. */
  requestId: number;
  /** Whether the terminal is bound to this account now. */
  bound: boolean;
  /** The life of a request from its arrival. */
  life: Milliseconds;
}

export interface Submit extends Submission, TransferFacts, Arrival {
  /** The journal's transaction with this account and reference, completed or not. */
  known: LaneTransaction | null;
  /** Whether the account was suspended or deleted after the request was admitted. */
  stopped: boolean;
  /** Whether a connection is open that may still say hello. */
  greeting: boolean;
  /** For a void, the sale or cashOut that it names, and all other voids of that. */
  target: LaneTransaction | null;
  otherVoids: readonly LaneTransaction[];
}

export interface Cancel extends Cancellation, TransferFacts, Arrival {
  known: LaneTransaction | null;
  /** Whether this account has transactions on this device, so that it may ask without a binding. */
  hasTransactions: boolean;
}

export interface Inquire extends Inquiry, TransferFacts, Arrival {
  target: LaneTransaction | null;
  hasTransactions: boolean;
}

export interface ResolveEvent {
  requestId: number;
  statusCode: FinalStatusCode;
  reason: string;
  operator: string | null;
}

export function submit(draft: LaneDraft, event: Submit): () => Reply {
  const { known } = event;
  // A known transaction is joined or replayed before anything else is checked (I1, I3).
  if (known !== null) return repeated(draft, event, known);
  // A deleted account's terminals are unbound, but the POS must not get that as the reason.
  if (!event.bound && !event.stopped) return refusedWith(40000, [NOT_BOUND]);
  const refused = unwritable(event);
  if (refused !== null) return refused;
  // Nothing is written: the same request is judged again when it is repeated.
  if (event.channel === "unread") return refusedWith(50000, []);
  const { transType, terms, details } = event;
  const transaction = newTransaction(draft, event, { transType, terms, details, frozen: frozenTerms(event) });
  if (event.stopped) {
    completeAs(draft, transaction, "CANCELLED");
    return follow(draft, transaction.requestId);
  }
  if (draft.open.size >= PENDING_TRANSACTIONS) {
    const outcome = { ...gatewayAnswer("TERMINAL_BUSY", draft.link), responseText: TOO_MANY_PENDING };
    completeTransaction(draft, transaction, { outcome, completedBy: "gateway" });
    return follow(draft, transaction.requestId);
  }
  const queued = [...draft.open.values()].filter((other) => other.state === "queued").length;
  const refusal = targetVerdict(event) ?? (event.channel === "inactive" ? "CHANNEL_INACTIVE" : null);
  if (refusal !== null) completeAs(draft, transaction, refusal);
  else if (!isReachable(draft, event)) completeAs(draft, transaction, "TERMINAL_OFFLINE");
  else if (queued >= QUEUE_LENGTH) completeBusy(draft, transaction, laneHolder(draft));
  else changeTransaction(draft, transaction, { detached: event.detached });
  return follow(draft, transaction.requestId);
}

/**
 * Why a message must not create a row; null if it may. A reference that the account has recorded and the journal does
 * not know was deleted from the journal: it is used, and its outcome is unknown.
 */
function unwritable({ kind, problems, recorded }: Submit | Cancel | Inquire): (() => Reply) | null {
  if (problems.length > 0) return refusedWith(40000, problems);
  return recorded ? forgotten(kind) : null;
}

/** A POS follows a 40009 with an inquiry. The inquiry itself gets another code, else the POS would ask for ever. */
function forgotten(kind: (Submit | Cancel | Inquire)["kind"]): () => Reply {
  return refusedWith(kind === "inquire" ? 40010 : 40009, [FORGOTTEN_REFERENCE]);
}

/** A connection that ended moments ago, or was just opened, is awaited within the queue's time. */
function isReachable(draft: LaneDraft, { greeting }: Submit): boolean {
  const { current, lostAt } = draft.link;
  return current !== null || greeting || (lostAt !== null && draft.now - lostAt < RECONNECT_GRACE);
}

type VoidRefusal = "TRANSACTION_NOT_FOUND" | "NOT_VOIDABLE" | "ALREADY_VOIDED";

/** Returns null if the target allows the request, or the request names none. */
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

/** The check belongs to the turn that writes the void's row, so that two voids of one sale cannot both pass. */
function voidVerdict(event: Submit): VoidRefusal | null {
  const { target } = event;
  if (target === null || !canBeVoided(target.transType)) return "TRANSACTION_NOT_FOUND";
  if (event.otherVoids.some((other) => other.outcome?.statusCode === "00" && other.state === "completed")) {
    return "ALREADY_VOIDED";
  }
  if (event.otherVoids.some((other) => other.state !== "completed")) return "NOT_VOIDABLE";
  return target.state === "completed" && target.outcome?.statusCode === "00" ? null : "NOT_VOIDABLE";
}

/** @param referenceId for a tombstone, that of the transaction that has not arrived */
function newTransaction(
  draft: LaneDraft,
  event: Submit | Cancel | Inquire,
  asked: Pick<LaneTransaction, "transType" | "terms" | "details" | "frozen">,
  referenceId = event.referenceId,
): LaneTransaction {
  const receivedAt = clampArrival(event, draft.now);
  return {
    requestId: event.requestId,
    posId: event.posId,
    referenceId,
    ...asked,
    receivedAt,
    endsAt: receivedAt + event.life,
    state: "queued",
    attempt: 0,
    reached: false,
    ...INITIAL_PROGRESS,
    stages: [{ stage: "received", at: draft.now }],
  };
}

/** A void has the amounts and the currency of the transaction that it voids. */
function frozenTerms({ account, terms, target }: Submit): FrozenTerms {
  if (target === null) {
    const { transAmt, cashAmt } = terms;
    return {
      ...accountTerms(account),
      ...(transAmt === undefined ? {} : { transAmt }),
      ...(cashAmt === undefined ? {} : { cashAmt }),
    };
  }
  const { transAmt, cashAmt, currency } = target.frozen;
  const { paymentMethod } = target.terms;
  return {
    ...accountTerms(account),
    currency,
    ...(transAmt === undefined ? {} : { transAmt }),
    ...(cashAmt === undefined ? {} : { cashAmt }),
    ...(paymentMethod === undefined ? {} : { paymentMethod }),
  };
}

function accountTerms({ merchantId, currency, timezone }: TransferFacts["account"]): FrozenTerms {
  return { merchantId, currency, timezone };
}

/**
 * The Worker and the object have different clocks. A Worker's clock that is ahead must not lengthen a request's life,
 * and one that is behind must not end it before it begins.
 */
function clampArrival({ arrivedAt, life }: Pick<Submit, "arrivedAt" | "life">, now: EpochMs): number {
  return Math.min(now, Math.max(now - life, arrivedAt));
}

function repeated(draft: LaneDraft, event: Submit, known: LaneTransaction): () => Reply {
  // A tombstone answers everything that arrives later with its reference, of any type and amount.
  if (known.transType === null) return answered(known, true);
  if (!sameRequest(known, event.transType, event.terms)) {
    return refusedWith(40009, [usedOtherwise(known.transType, known.requestId, known.state !== "completed")]);
  }
  // This applies in any state: a counter that restarts every day must neither replay yesterday's approval nor join
  // yesterday's sale.
  if (draft.now - known.receivedAt > REPLAY_LIFE) {
    return refusedWith(40009, [usedLongAgo(known.receivedAt, known.state !== "completed")]);
  }
  if (known.state === "completed") return answered(known, true);
  if (isOpenEnded(known)) return askTerminal(draft, known);
  if (event.detached) callerDetached(draft, known);
  return follow(draft, known.requestId);
}

/** Waiting is useless unless the terminal is asked. */
function isOpenEnded(transaction: LaneTransaction): boolean {
  return transaction.state === "pending" || transaction.ended;
}

/** Asks at most every 5 s. If the terminal cannot be asked, the 22 stays. */
function askTerminal(draft: LaneDraft, transaction: LaneTransaction): () => Reply {
  const { askedAt } = transaction;
  const justAsked = askedAt !== null && draft.now - askedAt < ASK_EVERY;
  if (draft.link.current === null || justAsked) return () => asItStands(draft, transaction);
  changeTransaction(draft, transaction, { askedAt: draft.now });
  draft.effects.push({ kind: "send-ask", requestId: transaction.requestId, attempt: transaction.attempt });
  return follow(draft, transaction.requestId, ANSWER_WAIT);
}

export function cancel(draft: LaneDraft, event: Cancel): () => Reply {
  const { known } = event;
  if (known === null) return tombstone(draft, event, event.referenceId);
  if (known.state === "completed") return answered(known, true);
  if (known.state === "queued") {
    completeAs(draft, known, "CANCELLED", { cancel: "answered" });
    return follow(draft, known.requestId);
  }
  // The cancel is in the row before its frame leaves, and is sent again after every hello until it is answered.
  const justSent = known.cancel === "wished" && known.askedAt !== null && draft.now - known.askedAt < ASK_EVERY;
  if (!justSent) {
    changeTransaction(draft, known, { cancel: "wished", askedAt: draft.now });
    if (draft.link.current !== null) {
      draft.effects.push({ kind: "send-cancel", requestId: known.requestId, attempt: known.attempt });
    }
  }
  return follow(draft, known.requestId, ANSWER_WAIT);
}

export function inquire(draft: LaneDraft, event: Inquire): () => Reply {
  const { target } = event;
  if (target === null) {
    if (!event.hasTransactions && !event.bound) return refusedWith(40000, [NOT_BOUND]);
    if (event.problems.length > 0) return refusedWith(40000, event.problems);
    if (event.namedReferenceId !== null) return tombstone(draft, event, event.namedReferenceId);
    // A recorded request has arrived, so the answer must not say that it may still arrive.
    return event.recorded ? forgotten(event.kind) : refusedWith(40004, [missingFor(event)]);
  }
  if (target.state === "completed") return answered(target, false);
  if (isOpenEnded(target)) return askTerminal(draft, target);
  return () => asItStands(draft, target);
}

function missingFor({ transType, namedTransId }: Inquire): Problem {
  if (transType === "getLast") return NO_TRANSACTION;
  return namedTransId === null ? UNKNOWN_REFERENCE : UNKNOWN_TRANS_ID;
}

function asItStands(draft: LaneDraft, transaction: LaneTransaction): Reply {
  return { kind: "answered", transaction, outcome: answerNow(draft, transaction), replayed: false };
}

/**
 * The reference was asked about or cancelled before its request arrived. "No such transaction" is a promise too (I2),
 * so it is stored, and nothing that arrives later with this reference is sent.
 */
function tombstone(draft: LaneDraft, event: Cancel | Inquire, referenceId: string): () => Reply {
  if (!event.bound && !event.hasTransactions) return refusedWith(40000, [NOT_BOUND]);
  const refused = unwritable(event);
  if (refused !== null) return refused;
  const nothing = { transType: null, terms: {}, details: {}, frozen: accountTerms(event.account) };
  const transaction = newTransaction(draft, event, nothing, referenceId);
  completeAs(draft, transaction, "CANCELLED");
  return follow(draft, transaction.requestId);
}

function answered(transaction: LaneTransaction, replayed: boolean): () => Reply {
  return () => ({
    kind: "answered",
    transaction,
    outcome: withKnownData(transaction, transaction.outcome ?? pendingAnswer(transaction)),
    replayed,
  });
}

function pendingAnswer(transaction: LaneTransaction): never {
  throw new Error(`transaction ${transaction.requestId} is answered from the journal without an outcome`);
}

function refusedWith(code: RefusalCode, problems: Problem[]): () => Reply {
  return () => ({ kind: "refused", code, problems });
}

/** The reply is created when the step is over: the transaction may be sent or completed meanwhile. */
function follow(draft: LaneDraft, requestId: number, atMost?: number): () => Reply {
  return () => {
    const transaction = draft.changed.get(requestId) ?? draft.open.get(requestId);
    if (transaction === undefined) throw new Error(`transaction ${requestId} vanished within a step`);
    const outcome = answerNow(draft, transaction);
    if (transaction.state === "completed") return { kind: "answered", transaction, outcome, replayed: false };
    // A request that is past its end is asked about instead of followed.
    const forMilliseconds = atMost ?? transaction.endsAt - draft.now + WAITER_MARGIN;
    return { kind: "waiting", transaction, forMilliseconds, standing: outcome };
  };
}

/** The last caller of a queued transaction hung up: the terminal must not prompt for a POS that has given up. */
export function handleCallerGone(draft: LaneDraft, { requestId }: { requestId: number }): void {
  const transaction = draft.open.get(requestId);
  if (transaction?.state === "queued" && !transaction.detached) completeAs(draft, transaction, "CANCELLED");
}

/** A caller chose a shorter wait: the transaction continues without it. */
export function callerDetached(draft: LaneDraft, { requestId }: { requestId: number }): void {
  const transaction = draft.open.get(requestId);
  if (transaction?.state === "queued" && !transaction.detached)
    changeTransaction(draft, transaction, { detached: true });
}

/** The account was suspended or deleted: sent requests continue, queued ones are never sent. */
export function suspend(draft: LaneDraft, { posId }: { posId: string }): void {
  for (const transaction of draft.open.values()) {
    if (transaction.posId === posId && transaction.state === "queued") completeAs(draft, transaction, "CANCELLED");
  }
}

export function resolve(draft: LaneDraft, { requestId, statusCode, reason, operator }: ResolveEvent): () => Resolution {
  const transaction = draft.open.get(requestId);
  if (transaction === undefined || !isOpenEnded(transaction)) return () => ({ kind: "not-open" });
  const { softwareVersion, terminalSn } = draft.link;
  const outcome: Outcome = { statusCode, responseCode: RESOLVED, responseText: reason, softwareVersion, terminalSn };
  const completed = completeTransaction(draft, transaction, { outcome, completedBy: "operator", resolvedBy: operator });
  return () => ({ kind: "resolved", transaction: completed });
}
