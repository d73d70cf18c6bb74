/** What the Worker and a terminal's object say to each other about transactions. See `calls.ts` for the rules. */
import type { Problem } from "../signing/problem.ts";
import type { JsonObject } from "../signing/json.ts";
import type {
  Details,
  Outcome,
  PendingReason,
  Stage,
  StatusCode,
  Terms,
  TransactionState,
  TransactionType,
} from "./lane/transaction.ts";

/** What the Worker read of the account, in the same moment in which it judged the request. */
export interface AccountTerms {
  merchantId: string;
  currency: string;
  timezone: string;
}

interface Question {
  posId: string;
  account: AccountTerms;
  /** What the Worker found wrong with it; counts only when the object does not know the transaction. */
  problems: Problem[];
}

export interface Submission extends Question {
  referenceId: string;
  transType: TransactionType;
  terms: Terms;
  details: Details;
  /** The named channel is switched off, or lacks the account's currency. */
  channelInactive: boolean;
  /** The asker does not wait until the end. */
  patient: boolean;
}

export interface Cancellation extends Question {
  referenceId: string;
}

export interface Inquiry extends Question {
  transType: "inquiry" | "getLast";
  /** The inquiry's own. */
  referenceId: string;
  /** What it names: at most one of the two. */
  namedTransId: number | null;
  namedReferenceId: string | null;
}

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
  | { kind: "answered"; about: About; outcome: Outcome; replayed: boolean }
  | {
      kind: "waiting";
      about: About;
      /** Told to the waiting socket, which is answered at once if something was concluded since. */
      conclusions: number;
      /** How long waiting makes sense; the object answers earlier. */
      forMilliseconds: number;
      /** The answer where nothing comes. */
      standing: Outcome;
    }
  | { kind: "refused"; code: 40000 | 40004 | 40009; problems: Problem[] };

/** What the object sends over a waiting socket, as JSON text. */
export interface Conclusion {
  outcome: Outcome;
}

/** How the Worker ends a waiting socket (RFC 6455, section 7.4.2). */
export const WAITER_CLOSE = {
  served: 1000,
  /** It had chosen a shorter wait: the transaction goes on. */
  patient: 4100,
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

export type ResolveOutcome = { kind: "resolved"; entry: JournalEntry } | { kind: "not-found" } | { kind: "not-open" };

/** The object's calls for transactions. */
export interface TransferCalls {
  /** Admits a sale, cashOut or void: joins, replays, refuses or sends it. Returns without waiting for the terminal. */
  submit(submission: Submission): Promise<TransferReply>;
  cancel(cancellation: Cancellation): Promise<TransferReply>;
  inquire(inquiry: Inquiry): Promise<TransferReply>;
  /** A page of the journal, newest first; `before` is the last requestId of the page before. */
  transactions(before: number | null, rows: number): Promise<JournalEntry[]>;
  resolve(requestId: number, statusCode: StatusCode & ("00" | "11"), reason: string): Promise<ResolveOutcome>;
}
