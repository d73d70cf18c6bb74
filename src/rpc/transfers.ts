/** The RPC calls of the Worker about transactions. The rules are in `terminal.ts`. */
import type { RecordEntry } from "./account.ts";
import type { ChannelState } from "../protocol/accounts.ts";
import type { Problem } from "../protocol/problem.ts";
import type { RefusalCode } from "../protocol/refusals.ts";
import type { JsonObject } from "../signing/json.ts";
import type { Details, Outcome, PendingReason, Terms, TransactionState } from "../protocol/transactions.ts";
import type { Stage, ToldStage } from "../protocol/stages.ts";
import type { FinalStatusCode } from "../protocol/status-codes.ts";
import type { QuestionType, TransactionType } from "../protocol/transfer-types.ts";

/** The account's terms at the request's admission. */
export interface AccountTerms {
  merchantId: string;
  currency: string;
  timezone: string;
  /** The version of the terms. */
  version: number;
}

/** The members of every question to the object. */
export interface Question {
  posId: string;
  account: AccountTerms;
  /** When it arrived at the Worker, epoch milliseconds. */
  arrivedAt: number;
  /** The Worker's problems with it. They count only if the object does not know the transaction. */
  problems: Problem[];
  /**
   * The account has recorded a transaction with the reference. If the journal does not have it, it was deleted, and nothing
   * can be promised about it.
   */
  recorded: boolean;
  /** Whether the caller gets the stages. */
  stages: boolean;
}

export interface Submission extends Question {
  referenceId: string;
  transType: TransactionType;
  terms: Terms;
  details: Details;
  channel: ChannelState;
  /** The caller does not wait for the outcome. */
  detached: boolean;
}

export interface Cancellation extends Question {
  referenceId: string;
}

export interface Inquiry extends Question {
  transType: QuestionType;
  /** The inquiry's own. */
  referenceId: string;
  /** What it names: at most one of the two. An inquiry that names neither means its own `referenceId`. */
  namedTransId: number | null;
  namedReferenceId: string | null;
}

/** What is asked about a transaction. */
export type TransferCall =
  | { call: "submit"; question: Submission }
  | { call: "cancel"; question: Cancellation }
  | { call: "inquire"; question: Inquiry };

/** The transaction that an answer is about. */
export interface About {
  requestId: number;
  /** null for a tombstone. */
  transType: TransactionType | null;
  referenceId: string;
  /** Whether a void of it is approved (00) or open (22). Only for an inquiry or getLast. */
  voidStatus: "00" | "22" | null;
}

export type TransferReply =
  | {
      kind: "answered";
      about: About;
      outcome: Outcome;
      replayed: boolean;
      /** The stages so far, if they were requested. */
      stages?: ToldStage[];
    }
  | {
      kind: "waiting";
      about: About;
      stages?: ToldStage[];
      /** How long waiting is useful. The object answers earlier. */
      forMilliseconds: number;
      /** The answer if nothing arrives. */
      standing: Outcome;
      /** A `TICK` is needed in this many milliseconds. */
      tickIn?: number;
    }
  | { kind: "refused"; code: RefusalCode; problems: Problem[] };

/**
 * What the object sends on a waiting socket, as JSON text. Stages only if the socket was opened for them; the conclusion
 * ends the wait.
 */
export type WaiterMessage = StageReached | TickWanted | Conclusion;

/** Times are epoch milliseconds. Earlier stages are sent first. */
export interface StageReached extends ToldStage {
  type: "stage";
}

/** The object asks for a `TICK` in this many milliseconds. */
export interface TickWanted {
  type: "tick";
  in: number;
}

/** The only message of a Worker on its waiting socket: check the time. */
export const TICK = "tick";

export interface Conclusion {
  type: "conclusion";
  outcome: Outcome;
}

/** How the Worker ends a waiting socket (RFC 6455, section 7.4.2). */
export const WAITER_CLOSE = {
  served: 1000,
  /** The caller chose a shorter wait: the transaction continues. */
  detached: 4100,
  /** The till has hung up. */
  gone: 4101,
} as const;

export interface JournalEntry {
  requestId: string;
  posId: string;
  referenceId: string;
  /** Null for a reference that was cancelled or asked about before its request arrived. */
  transType: TransactionType | null;
  transAmt: string | null;
  cashAmt: string | null;
  currency: string;
  state: TransactionState;
  pendingReason: PendingReason | null;
  attempt: number;
  cancelled: boolean;
  outcome: Outcome | null;
  completedBy: "terminal" | "gateway" | "operator" | null;
  /** The name of the operator who resolved it, or null. */
  resolvedBy: string | null;
  receivedAt: number;
  endsAt: number;
  completedAt: number | null;
  stages: readonly Stage[];
  conflicts: KeptEntry[];
  evidence: KeptEntry[];
}

export interface KeptEntry {
  at: number;
  report: JsonObject;
}

/** A signed result about a request that this terminal was never sent. */
export interface StrayEntry extends KeptEntry {
  requestId: string;
}

export interface JournalPage {
  entries: JournalEntry[];
  /** All that are stored on the first page, newest first; none on later pages. */
  strayResults: StrayEntry[];
}

/** Numbers by key (`statistics/tally.ts`) of one hour and account. */
export interface TerminalHour {
  /** Since 1970, UTC. */
  hour: number;
  posId: string;
  counts: [string, number][];
  times: [string, number][];
}

/** A transaction as its own account may see it. */
export interface OwnTransaction {
  entry: RecordEntry;
  journal: JournalEntry;
  /** Its current answer. */
  outcome: Outcome;
}

/** Names a transaction by its number or its reference. */
export type OwnName = { requestId: number } | { referenceId: string };

export type ResolveOutcome = { kind: "resolved"; entry: JournalEntry } | { kind: "not-found" } | { kind: "not-open" };

/** The object's calls for transactions. */
export interface TransferCalls {
  /** Answers without waiting for the terminal. A caller that waits calls on the upgrade of its waiting socket. */
  ask(call: TransferCall): Promise<TransferReply>;
  /**
   * The account may ask for a payment soon: the object wakes up and pings a terminal that is silent. No turn, no row, no
   * alarm; nothing depends on whether the call arrives, or how often.
   */
  expectPayment(posId: string): Promise<void>;
  /** A page of the journal, newest first; `before` is the last requestId of the previous page. */
  transactions(before: number | null, rows: number): Promise<JournalPage>;
  /** What transactions add up to, by hour: those received at or after `from` and before `to`, epoch milliseconds. */
  statistics(from: number, to: number): Promise<TerminalHour[]>;
  /** One of the account's own transactions; null if it has none like this on this terminal. */
  ownTransaction(posId: string, name: OwnName): Promise<OwnTransaction | null>;
  /** @param operator who resolves it, for the journal and the audit log; see `TerminalManagement` */
  resolve(requestId: number, statusCode: FinalStatusCode, reason: string, operator: string): Promise<ResolveOutcome>;
}
