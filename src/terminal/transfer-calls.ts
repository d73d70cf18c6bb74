/** What the Worker and a terminal's object say to each other about transactions. See `calls.ts` for the rules. */
import type { TerminalHour } from "./statistics.ts";
import type { RecordEntry } from "../account/calls.ts";
import type { Problem } from "../protocol/problem.ts";
import type { JsonObject } from "../signing/json.ts";
import type { Details, Outcome, Terms } from "../protocol/transactions.ts";
import type { PendingReason, Stage, ToldStage, TransactionState } from "./lane/index.ts";
import type { StatusCode } from "../protocol/status-codes.ts";
import type { QuestionType, TransactionType } from "../protocol/transfer-types.ts";

/** The account's terms that the request was admitted under. */
export interface AccountTerms {
  merchantId: string;
  currency: string;
  timezone: string;
  /** The version of the terms. A Worker of the version before does not say. */
  version?: number;
}

/** What every question to the object says of its asker. */
export interface Question {
  posId: string;
  account: AccountTerms;
  /** When it arrived at the Worker, epoch milliseconds. A Worker of the version before does not say: then it is now. */
  arrivedAt?: number;
  /** What the Worker found wrong with it; counts only when the object does not know the transaction. */
  problems: Problem[];
  /**
   * A transaction under the reference that is meant is recorded at the account. Where the journal does not have it, it
   * has been forgotten, and nothing may be promised about it. A Worker of the version before does not say.
   */
  recorded?: boolean;
  /** The asker is told the stages. An object of the version before does not know how. */
  stages?: boolean;
}

export interface Submission extends Question {
  referenceId: string;
  transType: TransactionType;
  terms: Terms;
  details: Details;
  /** The named channel is switched off, or lacks the account's currency. */
  channelInactive: boolean;
  /** The asker does not wait: the lane calls it detached. The name stays for Workers and objects of other versions. */
  patient: boolean;
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

/** One of the object's calls for transactions, with its argument. */
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
  /** Where a void of it is done (00) or open (22); told only to an inquiry or getLast. */
  voidStatus: "00" | "22" | null;
}

export type TransferReply =
  | {
      kind: "answered";
      about: About;
      outcome: Outcome;
      replayed: boolean;
      /** Where they were asked for: the stages so far. */
      stages?: ToldStage[];
    }
  | {
      kind: "waiting";
      about: About;
      stages?: ToldStage[];
      /** Told to the waiting socket, which is answered at once if something was concluded since. */
      conclusions: number;
      /** How long waiting makes sense; the object answers earlier. */
      forMilliseconds: number;
      /** The answer where nothing comes. */
      standing: Outcome;
      /** Where the call came with the waiting socket: a `TICK` is wanted in so many milliseconds. */
      tickIn?: number;
    }
  | { kind: "refused"; code: 40000 | 40004 | 40009; problems: Problem[] };

/**
 * What the object sends over a waiting socket, as JSON text. Only a socket that was opened for stages gets any; the
 * conclusion ends the wait.
 */
export type WaiterMessage = StageReached | TickWanted | Conclusion;

/** Times are epoch milliseconds. Those from before the socket was opened are sent first. */
export interface StageReached extends ToldStage {
  type: "stage";
}

/** The object asks for a `TICK` in so many milliseconds. Only a socket that was opened with `ticks` is asked. */
export interface TickWanted {
  type: "tick";
  in: number;
}

/** What a Worker says on its waiting socket, once: look at the clock. */
export const TICK = "tick";

/** An object or a Worker of the version before knows no other message, and no type. */
export interface Conclusion {
  type?: "conclusion";
  outcome: Outcome;
}

/** The address at which a Worker opens its waiting socket, and what it says there. */
export interface WaiterQuery {
  requestId: number;
  /** As told with the reply. */
  conclusions: number;
  stages: boolean;
  /** It ticks when it is asked to. A Worker of the version before does not. */
  ticks: boolean;
}

export function waiterAddress({ requestId, conclusions, stages, ticks }: WaiterQuery): string {
  const watch = stages ? "&stages=1" : "";
  const tick = ticks ? "&ticks=1" : "";
  return `https://terminal.internal/wait?request=${requestId}&conclusions=${conclusions}${watch}${tick}`;
}

export function readWaiterQuery(query: URLSearchParams): WaiterQuery {
  return {
    requestId: Number(query.get("request")),
    conclusions: Number(query.get("conclusions")),
    stages: query.get("stages") === "1",
    ticks: query.get("ticks") === "1",
  };
}

/** How the Worker ends a waiting socket (RFC 6455, section 7.4.2). */
export const WAITER_CLOSE = {
  served: 1000,
  /** It had chosen a shorter wait: the transaction goes on. */
  detached: 4100,
  /** The POS has hung up. */
  gone: 4101,
} as const;

export interface JournalEntry {
  requestId: string;
  posId: string;
  referenceId: string;
  /** null: a reference that was cancelled or asked about before its request arrived. */
  transType: TransactionType | null;
  transAmt: string | null;
  cashAmt: string | null;
  currency: string;
  state: TransactionState;
  pendingReason: PendingReason | null;
  attempt: number;
  cancelled: boolean;
  outcome: Outcome | null;
  settledBy: "terminal" | "gateway" | "operator" | null;
  /** The name of the operator who resolved it, or null. */
  resolvedBy: string | null;
  receivedAt: number;
  endsAt: number;
  settledAt: number | null;
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
  /** On the first page all that are kept, newest first; none on later ones. */
  strayResults: StrayEntry[];
}

/** A transaction as its own account may know it. */
export interface OwnTransaction {
  entry: RecordEntry;
  journal: JournalEntry;
  /** How it stands now. */
  outcome: Outcome;
}

/** Which one: by its number, or by its reference. */
export type OwnName = { requestId: number } | { referenceId: string };

export type ResolveOutcome = { kind: "resolved"; entry: JournalEntry } | { kind: "not-found" } | { kind: "not-open" };

/** The object's calls for transactions. */
export interface TransferCalls {
  /** Admits a sale, cashOut or void: joins, replays, refuses or sends it. Returns without waiting for the terminal. */
  submit(submission: Submission): Promise<TransferReply>;
  cancel(cancellation: Cancellation): Promise<TransferReply>;
  inquire(inquiry: Inquiry): Promise<TransferReply>;
  /**
   * A page of the journal, newest first; `before` is the last requestId of the page before.
   *
   * @param form a Worker of the version before does not name it, and gets the entries alone; so does a Worker that names it
   *   from an object of the version before
   */
  transactions(before: number | null, rows: number, form?: "page"): Promise<JournalPage | JournalEntry[]>;
  /** What settled transactions that were received from one time to another add up to. */
  statistics(from: number, to: number): Promise<TerminalHour[]>;
  /** One of the account's own transactions; null where it has no such one on this terminal. */
  ownTransaction(posId: string, name: OwnName): Promise<OwnTransaction | null>;
  /** @param operator who resolves it, for the journal and the audit log; see `TerminalManagement` */
  resolve(
    requestId: number,
    statusCode: StatusCode & ("00" | "11"),
    reason: string,
    operator?: string,
  ): Promise<ResolveOutcome>;
}
