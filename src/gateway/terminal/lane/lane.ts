/**
 * The lane decides everything that a terminal does next: `step.ts` is the single function from (lane, event) to (lane,
 * effects). This file has its types and the draft that one step works on.
 */
import type { Outcome, Details, PendingReason, Terms, TransactionState } from "../../../protocol/transactions.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import { type Stage, type ReportedStage, TRANSFER_STAGES } from "../../../protocol/stages.ts";
import type { TransactionType, TypeOrTombstone } from "../../../protocol/transfer-types.ts";
import type { LogEvent } from "../../lib/log-events.ts";
import { SECOND, type EpochMs, type Milliseconds } from "../../../protocol/time/units.ts";

/** The lane waits this long for the answer to the cancel after a request's end. */
export const LANE_AFTER_END = 10 * SECOND;

export interface ConnectionLink {
  /** The connection whose hello was accepted. */
  current: {
    number: number;
    memory: string;
    /** The last activity. */
    heardAt: EpochMs;
    /** The duration of its hello: at least a round trip. 0 if it is unknown. */
    roundTrip: Milliseconds;
    /** The time at which an unanswered probe was sent; null if there is none. */
    probedAt: EpochMs | null;
    /**
     * The time at which an unanswered prewarming ping was sent; null if there is none. Unlike a probe, it ends no
     * connection.
     */
    pingedAt: EpochMs | null;
  } | null;
  /** The end of the last current connection. A restart of the object counts as an end. */
  lostAt: EpochMs | null;
  /** The version that the terminal reported last, otherwise `unknown`. */
  softwareVersion: string;
  terminalSn: string;
}

export interface Lane {
  /** Every transaction that is not completed, by requestId in ascending order. */
  readonly open: ReadonlyMap<number, LaneTransaction>;
  readonly link: ConnectionLink;
}

/** A verified result in the form in which it is stored and shown. */
export interface Report {
  statusCode: StatusCode;
  outcome: Outcome;
  /**
   * Whether the result names another amount or currency than the one frozen in the row, or its secret is newer than the
   * row.
   */
  contradicts: boolean;
}

/**
 * The reason for which a report is stored that must not change its row. `conflict`: it arrived after another outcome.
 * `evidence`: it names another amount. `orphan`: there is no such row.
 */
export type StoredAs = "conflict" | "evidence" | "orphan";

export interface StoredReports {
  /** The reasons for which this same report is stored already. */
  as: readonly StoredAs[];
  /** Whether another report can be stored. */
  hasRoom: boolean;
}

export type Effect =
  | { kind: "send-request"; transaction: LaneTransaction }
  | { kind: "send-ask"; requestId: number; attempt: number }
  | { kind: "send-cancel"; requestId: number; attempt: number }
  | { kind: "send-ack"; requestId: number; statusCode: StatusCode }
  | { kind: "send-unknown"; requestId: number }
  /** `ping` is false if a ping is in transit already. */
  | { kind: "probe"; ping: boolean }
  | { kind: "close"; connection: number; code: number; reason: string }
  | { kind: "conclude"; transaction: LaneTransaction }
  | { kind: "keep"; requestId: number; as: StoredAs }
  /** A report that conflicts with this completed transaction is stored, for operators and the account. */
  | { kind: "contradict"; transaction: LaneTransaction }
  | { kind: "log"; level: "warning" | "error"; event: LogEvent; requestId: number; detail: string | undefined };

/** Changes are made only here, then frozen into the next lane. */
export interface LaneDraft {
  readonly now: EpochMs;
  readonly open: Map<number, LaneTransaction>;
  readonly changed: Map<number, LaneTransaction>;
  link: ConnectionLink;
  readonly effects: Effect[];
}

export function createDraft(lane: Lane, now: EpochMs): LaneDraft {
  return { now, open: new Map(lane.open), changed: new Map(), link: lane.link, effects: [] };
}

/** A completed transaction leaves the lane, and is still written to the journal. */
export function write(draft: LaneDraft, transaction: LaneTransaction): void {
  draft.changed.set(transaction.requestId, transaction);
  if (transaction.state === "completed") draft.open.delete(transaction.requestId);
  else draft.open.set(transaction.requestId, transaction);
}

/**
 * Stores a report that must not change its row.
 *
 * @returns false if there is no room. I4: the terminal must then keep the report, so it gets no acknowledgement.
 */
export function keep(draft: LaneDraft, requestId: number, as: StoredAs, kept: StoredReports): boolean {
  if (kept.as.includes(as)) return true;
  if (kept.hasRoom) draft.effects.push({ kind: "keep", requestId, as });
  else alert(draft, "report_not_stored", requestId, as);
  return kept.hasRoom;
}

export function changeTransaction(
  draft: LaneDraft,
  transaction: LaneTransaction,
  members: Partial<LaneTransaction>,
): LaneTransaction {
  const next = { ...transaction, ...members };
  write(draft, next);
  return next;
}

export function answeredCancel({ cancel }: LaneTransaction): LaneTransaction["cancel"] {
  return cancel === "none" ? "none" : "answered";
}

export function withStage(transaction: LaneTransaction, stage: string, at: EpochMs): LaneTransaction["stages"] {
  return [...transaction.stages, { stage, at }];
}

export function warn(draft: LaneDraft, event: LogEvent, requestId: number, detail?: string): void {
  draft.effects.push({ kind: "log", level: "warning", event, requestId, detail });
}

/** Logs an event that the operator must look at. */
export function alert(draft: LaneDraft, event: LogEvent, requestId: number, detail?: string): void {
  draft.effects.push({ kind: "log", level: "error", event, requestId, detail });
}

/** The gateway gives up the current connection. Frames that still arrive on it are ignored. */
export function loseConnection(draft: LaneDraft, code: number, reason: string): void {
  const current = draft.link.current;
  if (current === null) return;
  draft.effects.push({ kind: "close", connection: current.number, code, reason });
  endConnection(draft);
}

export function endConnection(draft: LaneDraft): void {
  draft.link = { ...draft.link, current: null, lostAt: draft.now };
}

/** The terms are frozen when the request arrives: later changes of account and binding do not apply. */
export interface FrozenTerms {
  merchantId: string;
  currency: string;
  timezone: string;
  /** The amounts that a result must have if it names any; for a void, those of the voided transaction. */
  transAmt?: string;
  cashAmt?: string;
  /** For a void, the payment method of the voided transaction. */
  paymentMethod?: string;
}

export interface Sending {
  /** The connection of the newest attempt. */
  connection: number;
  /** The memory of the terminal that got it. */
  memory: string;
  at: EpochMs;
  deliverBy: EpochMs;
}

/** One row of the journal. */
export interface LaneTransaction {
  /** It has ten digits; for a sale or cashOut, it is the `transId` as well. One terminal's numbers only grow. */
  readonly requestId: number;
  readonly posId: string;
  readonly referenceId: string;
  readonly transType: TypeOrTombstone;
  readonly terms: Terms;
  readonly details: Details;
  readonly frozen: FrozenTerms;
  /** The time of arrival at the Worker. */
  readonly receivedAt: EpochMs;
  /** The end of its life, counted from `receivedAt`. */
  readonly endsAt: EpochMs;
  readonly state: TransactionState;
  readonly attempt: number;
  readonly sending: Sending | null;
  /**
   * The terminal has shown that it accepted the request: `accepted`, a listing in `open`, `progress` or any `result`.
   */
  readonly acceptanceProved: boolean;
  /** Whether the request was sent, and neither refused nor proved undelivered. `getLast` may show it. */
  readonly reached: boolean;
  /** With `wished`, the terminal has not answered the cancel yet, and the row is never sent (again). */
  readonly cancel: "none" | "wished" | "answered";
  /** The decision that the terminal never accepted the request, unless it shows otherwise before `at`. */
  readonly undelivered: { at: EpochMs; responseCode: "CANCELLED" | "NOT_DELIVERED" } | null;
  /** Whether the request's end has come, and its waiters got a 22. */
  readonly ended: boolean;
  /** Whether a caller chose a shorter wait: the transaction continues although nobody waits for it. */
  readonly detached: boolean;
  readonly askedAt: EpochMs | null;
  readonly pendingReason: PendingReason | null;
  /** The frozen answer when completed; the terminal's last 22 if it reported one. */
  readonly outcome: Outcome | null;
  readonly completedBy: "terminal" | "gateway" | "operator" | null;
  readonly resolvedBy: string | null;
  readonly completedAt: EpochMs | null;
  /**
   * Counts the statuses that the account gets. It grows when the transaction becomes pending, when a pending one
   * changes, when its end passes, and last when it is completed. It is 0 before.
   */
  readonly revision: number;
  readonly stages: readonly Stage[];
}

/** Whether a message with the same `referenceId` is the same request (I1, I3). */
export function sameRequest(known: LaneTransaction, transType: TransactionType, terms: Terms): boolean {
  return (
    known.transType === transType &&
    known.terms.transAmt === terms.transAmt &&
    known.terms.cashAmt === terms.cashAmt &&
    known.terms.paymentMethod === terms.paymentMethod &&
    known.terms.paymentChannel === terms.paymentChannel &&
    known.terms.transId === terms.transId
  );
}

/**
 * Returns when the object received the request: later than `receivedAt` if the object could not be reached immediately.
 */
export function takenAt({ stages, receivedAt }: LaneTransaction): number {
  return stages[0]?.at ?? receivedAt;
}

/** Whether the terminal may be processing it, as far as the gateway knows. */
export function isWithTerminal(transaction: LaneTransaction): boolean {
  return transaction.state === "sent" || transaction.state === "accepted";
}

/** Returns until when a transaction that is with the terminal keeps the lane (I5). */
export function holdsLaneUntil(transaction: LaneTransaction): number {
  return isWithTerminal(transaction) ? transaction.endsAt + LANE_AFTER_END : 0;
}

/**
 * Whether a transaction blocks a change of the binding, and a new device: one that is queued, sent or accepted within its
 * time. Pending ones do not.
 */
export function isHeld({ open }: Pick<Lane, "open">, now: EpochMs): boolean {
  return [...open.values()].some(
    (transaction) => transaction.state === "queued" || (isWithTerminal(transaction) && now < transaction.endsAt),
  );
}

export const INITIAL_PROGRESS = {
  sending: null,
  acceptanceProved: false,
  cancel: "none",
  undelivered: null,
  ended: false,
  detached: false,
  askedAt: null,
  pendingReason: null,
  outcome: null,
  completedBy: null,
  resolvedBy: null,
  completedAt: null,
  revision: 0,
} as const satisfies Partial<LaneTransaction>;

const REPORTED: ReadonlySet<string> = new Set(TRANSFER_STAGES);

/** Returns the stages in order. The end of the transaction is in the answer. */
export function reportedStages({ stages }: Pick<LaneTransaction, "stages">): ReportedStage[] {
  return stages.filter((stage): stage is ReportedStage => REPORTED.has(stage.stage));
}

/** Stages are never removed. */
export function newStages(
  before: Pick<LaneTransaction, "stages">,
  after: Pick<LaneTransaction, "stages">,
): ReportedStage[] {
  return reportedStages({ stages: after.stages.slice(before.stages.length) });
}
