import type { RecordEntry } from "../account/rpc.ts";
import type { TransferCall } from "../../protocol/transfer-message.ts";
import type { Problem } from "../../protocol/problem.ts";
import type { RefusalCode } from "../../protocol/refusals.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import type { Outcome, PendingReason, TransactionState } from "../../protocol/transactions.ts";
import type { Stage, ReportedStage } from "../../protocol/stages.ts";
import type { TypeOrTombstone } from "../../protocol/transfer-types.ts";
import type { TerminalStub } from "./rpc.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export interface About {
  requestId: number;
  transType: TypeOrTombstone;
  referenceId: string;
  /** Of a void of this transaction: approved (00) or open (22). Only for an inquiry or getLast. */
  voidStatus: "00" | "22" | null;
}

export type TransferReply =
  | {
      kind: "answered";
      about: About;
      outcome: Outcome;
      replayed: boolean;
      stages?: ReportedStage[];
    }
  | {
      kind: "waiting";
      about: About;
      stages?: ReportedStage[];
      /** How long waiting is useful. The object answers earlier. */
      forMilliseconds: number;
      /** The answer if nothing arrives. */
      standing: Outcome;
    }
  | { kind: "refused"; code: RefusalCode; problems: Problem[] };

/**
 * A JSON text on a waiting socket. Stages are sent only if the socket was opened for them; the conclusion ends the
 * wait.
 */
export type WaiterMessage = StageReached | ReplyConclusion;

/** Earlier stages are sent first. */
interface StageReached extends ReportedStage {
  type: "stage";
}

export interface ReplyConclusion {
  type: "conclusion";
  outcome: Outcome;
}

/** How the Worker ends a waiting socket (RFC 6455, section 7.4.2). */
export const WAITER_CLOSE = {
  served: 1000,
  /** The caller's wait is over: the transaction continues. */
  detached: 4100,
  /** The POS has hung up. */
  gone: 4101,
} as const;

export interface JournalEntry {
  requestId: string;
  posId: string;
  referenceId: string;
  transType: TypeOrTombstone;
  transAmt: string | null;
  cashAmt: string | null;
  currency: string;
  state: TransactionState;
  pendingReason: PendingReason | null;
  attempt: number;
  cancelled: boolean;
  outcome: Outcome | null;
  completedBy: "terminal" | "gateway" | "operator" | null;
  resolvedBy: string | null;
  receivedAt: EpochMs;
  endsAt: EpochMs;
  completedAt: EpochMs | null;
  stages: readonly Stage[];
  conflicts: StoredEntry[];
  evidence: StoredEntry[];
}

export interface StoredEntry {
  at: EpochMs;
  report: JsonObject;
}

/** A signed result for a request that this terminal was never sent. */
interface OrphanEntry extends StoredEntry {
  requestId: string;
}

export interface JournalPage {
  entries: JournalEntry[];
  /** The first page has all, newest first; later pages have none. */
  orphanResults: OrphanEntry[];
}

/** Keys: `statistics/tally.ts`. */
export interface TerminalHour {
  /** Since 1970, UTC. */
  hour: number;
  posId: string;
  tally: [string, number][];
}

export interface OwnTransaction {
  entry: RecordEntry;
  journal: JournalEntry;
  outcome: Outcome;
}

export type OwnName = { requestId: number } | { referenceId: string };

export type ResolveOutcome = { kind: "resolved"; entry: JournalEntry } | { kind: "not-found" } | { kind: "not-open" };

/**
 * A call and the wait for its answer are one request: the upgrade of the waiting socket has the call. One request costs
 * less than two, and an object that knows its waiter needs no alarm in case nobody waits.
 *
 * The call is in a header, because an upgrade has no body, and the upgrade is a `fetch`, because no WebSocket passes
 * through RPC (https://github.com/cloudflare/workerd/issues/2319). The platform allows 128 KB of headers; a call has a
 * few.
 */

const CALL = "X-Call";
const REPLY = "X-Reply";

export const WAIT_ADDRESS = "https://terminal.internal/wait";

/** `socket` is null if there is nothing to wait for. */
export interface Called {
  reply: TransferReply;
  socket: WebSocket | null;
}

/** Throws if the object, or the connection to it, fails. */
export async function callAndWait(stub: Pick<TerminalStub, "fetch">, call: TransferCall): Promise<Called> {
  return readResponse(await stub.fetch(WAIT_ADDRESS, { headers: { Upgrade: "websocket", [CALL]: headerText(call) } }));
}

export function readCall(headers: Headers): TransferCall {
  return JSON.parse(headers.get(CALL) ?? "") as TransferCall;
}

/** @param socket the caller's end of its waiting socket */
export function responseTo({ reply, socket }: Called): Response {
  if (socket === null) return Response.json(reply);
  return new Response(null, { status: 101, webSocket: socket, headers: { [REPLY]: headerText(reply) } });
}

/** Throws if the object failed. */
async function readResponse(response: Response): Promise<Called> {
  const { status, webSocket: socket } = response;
  if (socket !== null) return { reply: JSON.parse(response.headers.get(REPLY) ?? "") as TransferReply, socket };
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
