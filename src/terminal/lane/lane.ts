/**
 * The lane: everything that decides what a terminal does next. `step.ts` is the single function from (lane, event) to
 * (lane, effects); this file has its types and the draft that one step works on.
 */
import type { Outcome } from "../../protocol/transactions.ts";
import type { Transaction } from "./transaction.ts";
import type { StatusCode } from "../../protocol/status-codes.ts";

/** What the lane knows about the terminal's connection. */
export interface Link {
  /** The connection whose hello was accepted, or null. */
  current: {
    number: number;
    memory: string;
    /** The last activity, epoch milliseconds. */
    heardAt: number;
    /** When an unanswered probe was sent. */
    probedAt: number | null;
    /** When an unanswered ping was sent ahead of a request that may come. Unlike a probe, it ends no connection. */
    pingedAt: number | null;
  } | null;
  /** When the last current connection ended. A restart of the object counts as an end. */
  lostAt: number | null;
  /** As the terminal last reported them, otherwise `unknown`. */
  softwareVersion: string;
  terminalSn: string;
}

export interface Lane {
  /** Every transaction that is not completed, by requestId in ascending order. */
  readonly open: ReadonlyMap<number, Transaction>;
  readonly link: Link;
}

/** A verified result in the form in which it is stored and shown. */
export interface Report {
  statusCode: StatusCode;
  outcome: Outcome;
  /** The result names another amount or currency than the one frozen in the row. */
  contradicts: boolean;
}

/**
 * Why a report that must not change its row is stored with it. `conflict`: it arrived after another outcome. `evidence`: it
 * names other money. `stray`: there is no such row.
 */
export type KeptAs = "conflict" | "evidence" | "stray";

/** What is stored of a report that may have to be stored. */
export interface Kept {
  /** As what this very report is stored already. */
  as: readonly KeptAs[];
  /** Whether another one can be stored. */
  hasRoom: boolean;
}

export type Effect =
  | { kind: "send-request"; transaction: Transaction }
  | { kind: "send-ask"; requestId: number; attempt: number }
  | { kind: "send-cancel"; requestId: number; attempt: number }
  | { kind: "send-ack"; requestId: number; statusCode: StatusCode }
  | { kind: "send-unknown"; requestId: number }
  /** `ping`: none is on its way already. */
  | { kind: "probe"; ping: boolean }
  | { kind: "close"; connection: number; code: number; reason: string }
  /** Answers the transaction's waiters with its current state. */
  | { kind: "conclude"; transaction: Transaction }
  | { kind: "keep"; requestId: number; as: KeptAs }
  /** The report that is kept contradicts this completed transaction: operators and the account are told. */
  | { kind: "contradict"; transaction: Transaction }
  | { kind: "log"; level: "warning" | "error"; event: string; requestId: number; detail: string | undefined };

/** The draft of one step: changes are made only here, then frozen into the next lane. */
export interface Draft {
  readonly now: number;
  readonly open: Map<number, Transaction>;
  readonly changed: Map<number, Transaction>;
  link: Link;
  readonly effects: Effect[];
}

export function draftOf(lane: Lane, now: number): Draft {
  return { now, open: new Map(lane.open), changed: new Map(), link: lane.link, effects: [] };
}

/** Writes a transaction into the draft. A completed one leaves the lane, and is still written to the journal. */
export function write(draft: Draft, transaction: Transaction): void {
  draft.changed.set(transaction.requestId, transaction);
  if (transaction.state === "completed") draft.open.delete(transaction.requestId);
  else draft.open.set(transaction.requestId, transaction);
}

/**
 * Stores a report that must not change its row.
 *
 * @returns false if there is no room. I4: then the terminal must keep it, so it gets no acknowledgement.
 */
export function keep(draft: Draft, requestId: number, as: KeptAs, kept: Kept): boolean {
  if (kept.as.includes(as)) return true;
  if (kept.hasRoom) draft.effects.push({ kind: "keep", requestId, as });
  else alert(draft, "report-not-kept", requestId, as);
  return kept.hasRoom;
}

/** Changes members of a transaction. @returns the new transaction */
export function change(draft: Draft, transaction: Transaction, members: Partial<Transaction>): Transaction {
  const next = { ...transaction, ...members };
  write(draft, next);
  return next;
}

/** A pending cancel counts as answered now. */
export function answeredCancel({ cancel }: Transaction): Transaction["cancel"] {
  return cancel === "none" ? "none" : "answered";
}

export function withStage(transaction: Transaction, stage: string, at: number): Transaction["stages"] {
  return [...transaction.stages, { stage, at }];
}

export function warn(draft: Draft, event: string, requestId: number, detail?: string): void {
  draft.effects.push({ kind: "log", level: "warning", event, requestId, detail });
}

/** For what the operator must look at. */
export function alert(draft: Draft, event: string, requestId: number, detail?: string): void {
  draft.effects.push({ kind: "log", level: "error", event, requestId, detail });
}

/** The gateway gives up the current connection. Frames that still arrive on it are ignored. */
export function loseConnection(draft: Draft, code: number, reason: string): void {
  const current = draft.link.current;
  if (current === null) return;
  draft.effects.push({ kind: "close", connection: current.number, code, reason });
  endConnection(draft);
}

/** The current connection has ended. */
export function endConnection(draft: Draft): void {
  draft.link = { ...draft.link, current: null, lostAt: draft.now };
}
