/** The RPC calls of the Worker about transactions. The rules are in `terminal.ts`. */
import type { RecordEntry } from "./account.ts";
import type { ChannelState } from "../protocol/accounts.ts";
import type { Problem } from "../protocol/problem.ts";
import type { RefusalCode } from "../protocol/refusals.ts";
import type { JsonObject } from "../signing/json.ts";
import type { Details, Outcome, PendingReason, Terms, TransactionState } from "../protocol/transactions.ts";
import type { Stage, ToldStage } from "../protocol/stages.ts";
import type { QuestionType, TransactionType } from "../protocol/transfer-types.ts";
import type { TerminalStub } from "./terminal.ts";

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

/**
 * A call and the wait for its answer in one request: the upgrade of the waiting socket has the call. One request costs less
 * than two, and an object that knows its waiter needs no alarm in case nobody waits.
 *
 * The call is in a header, because an upgrade has no body, and the upgrade is a `fetch`, because no WebSocket passes
 * through RPC (https://github.com/cloudflare/workerd/issues/2319). The platform allows 128 KB of headers; a call has a few.
 */

const CALL = "X-Call";
const REPLY = "X-Reply";

export const WAIT_ADDRESS = "https://terminal.internal/wait";

/** The answer to a call, and the socket to wait on if it says so. */
export interface Called {
  reply: TransferReply;
  socket: WebSocket | null;
}

/** Calls, and waits if the object says so. Throws if the object, or the connection to it, fails. */
export async function callAndWait(stub: Pick<TerminalStub, "fetch">, call: TransferCall): Promise<Called> {
  return readResponse(await stub.fetch(WAIT_ADDRESS, { headers: { Upgrade: "websocket", [CALL]: headerText(call) } }));
}

/** The call of an upgrade. */
export function readCall(headers: Headers): TransferCall {
  return JSON.parse(headers.get(CALL) ?? "") as TransferCall;
}

/** @param socket the caller's end of its waiting socket */
export function responseTo({ reply, socket }: Called): Response {
  if (socket === null) return Response.json(reply);
  return new Response(null, { status: 101, webSocket: socket, headers: { [REPLY]: headerText(reply) } });
}

/** The object's answer. Throws if it failed. */
async function readResponse(response: Response): Promise<Called> {
  const { status, webSocket: socket } = response;
  const text = response.headers.get(REPLY);
  if (socket !== null && text !== null) return { reply: JSON.parse(text) as TransferReply, socket };
  if (status === 200) return { reply: await response.json<TransferReply>(), socket: null };
  throw new Error(`the object answered ${status}`);
}

/** JSON in ASCII, which a header may contain. */
function headerText(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
