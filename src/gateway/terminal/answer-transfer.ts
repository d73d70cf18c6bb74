/**
 * A POS's message at the terminal's object. One turn looks up what the message is about, lets the lane decide
 * (`lane/step.ts`), and registers the caller that must wait for the outcome.
 */
import { NOT_BOUND } from "../../protocol/refusals.ts";
import { canBeVoided, needsTarget } from "../../protocol/transfer-types.ts";
import { type About, type Called, type TransferReply, WAITER_CLOSE } from "./transfer-replies.ts";
import type {
  Inquiry,
  Submission,
  TransferCall,
  TransferFacts,
  TransferMessage,
} from "../../protocol/transfer-message.ts";
import { applyTerms } from "./binding.ts";
import type { Attachment } from "./connections.ts";
import type { TerminalContext } from "./context.ts";
import type { LaneRunner } from "./lane-runner.ts";
import { type LaneEvent, type Reply, reportedStages, type LaneTransaction } from "./lane/index.ts";
import type { Journal } from "./storage/journal.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { EpochMs, Milliseconds } from "../../protocol/time/units.ts";

/** The stores in which a message is looked up: only the used members, so that a model can replace each. */
export interface TransferStores {
  journal: Pick<Journal, "byReference" | "byRequestId" | "hasTransactions" | "newestThatReached" | "listVoids">;
  records: Pick<TerminalRecordStore, "nextNumber" | "record">;
  lane: Pick<LaneRunner, "isGreeting">;
  /** The life of a request from its arrival. */
  life: Milliseconds;
}

/** D1 has the terminal, but its object does not: the enrolment is incomplete. */
export const NOT_ENROLLED_REPLY: Called = {
  reply: { kind: "refused", code: 40000, problems: [NOT_BOUND] },
  socket: null,
};

/**
 * I1: one attempt is one turn. Without a free number, nothing is decided: the call waits for a block and looks up again,
 * because the same request may have arrived meanwhile.
 *
 * @param waits whether the caller waits on a socket if the reply asks for it
 * @throws if storage fails, or no block of numbers comes
 */
export async function answerTransfer(context: TerminalContext, call: TransferCall, waits: boolean): Promise<Called> {
  for (;;) {
    const called = context.turns.take((now) => {
      if (context.records.record === null) return NOT_ENROLLED_REPLY;
      // A terminal with older terms gets the new ones before a request that names them.
      if (call.kind === "submit") applyTerms(context, call.account, now);
      const event = lookUp(context, call);
      const reply = event === null ? null : transferReply(context, call, context.lane.take(event, now));
      void context.numbers.keep(now);
      return reply === null ? null : openWait(context, call, reply, waits);
    });
    if (called !== null) return called;
    await context.numbers.reserve();
  }
}

/**
 * The call with everything that the lane decides by.
 *
 * @returns null: a new row needs a number, and none is free
 */
export function lookUp(stores: TransferStores, call: TransferCall): LaneEvent<TransferMessage["kind"]> | null {
  const { record } = stores.records;
  const bound = record !== null && record.sealedSecret !== null && record.binding?.posId === call.posId;
  const arrival = { bound, life: stores.life };
  switch (call.kind) {
    case "submit": {
      const event = submission(stores, call);
      return event === null ? null : { ...event, ...arrival };
    }
    case "cancel": {
      const known = stores.journal.byReference(call.posId, call.referenceId);
      const requestId = numberFor(stores, known === null);
      const hasTransactions = stores.journal.hasTransactions(call.posId);
      return requestId === null ? null : { ...call, ...arrival, requestId, known, hasTransactions };
    }
    case "inquire": {
      const target = inquiredTransaction(stores.journal, call);
      const requestId = numberFor(stores, target === null && call.namedReferenceId !== null);
      const hasTransactions = stores.journal.hasTransactions(call.posId);
      return requestId === null ? null : { ...call, ...arrival, requestId, target, hasTransactions };
    }
    default:
      return call satisfies never;
  }
}

function submission(
  stores: TransferStores,
  call: Submission & TransferFacts,
): Omit<LaneEvent<"submit">, "bound" | "life"> | null {
  const { journal, records, lane } = stores;
  const { posId, referenceId, transType, terms, account } = call;
  const known = journal.byReference(posId, referenceId);
  const requestId = numberFor(stores, known === null);
  if (requestId === null) return null;
  const targetId = needsTarget(transType) ? Number(terms.transId) : null;
  const { record } = records;
  return {
    ...call,
    requestId,
    known,
    target: targetId === null ? null : ownTransaction(journal, posId, targetId),
    otherVoids: targetId === null || known !== null ? [] : journal.listVoids(targetId),
    stopped: record?.stoppedPosId === posId && account.version < record.stoppedVersion,
    greeting: lane.isGreeting,
  };
}

/** Returns null if a new row needs a number, and none is free. */
function numberFor({ records }: TransferStores, isNew: boolean): number | null {
  return isNew ? records.nextNumber : 0;
}

/** Returns null if this account has no such transaction on this device. */
function inquiredTransaction(
  journal: TransferStores["journal"],
  { posId, transType, referenceId, namedTransId, namedReferenceId }: Inquiry,
): LaneTransaction | null {
  switch (transType) {
    case "getLast":
      return journal.newestThatReached(posId);
    case "inquiry":
      break;
    default:
      return transType satisfies never;
  }
  if (namedTransId === null) return journal.byReference(posId, namedReferenceId ?? referenceId);
  const named = ownTransaction(journal, posId, namedTransId);
  return named !== null && canBeVoided(named.transType) ? named : null;
}

/** The look-up is per account: other accounts on this terminal are invisible. */
function ownTransaction(
  journal: Pick<Journal, "byRequestId">,
  posId: string,
  requestId: number,
): LaneTransaction | null {
  const transaction = journal.byRequestId(requestId);
  return transaction?.posId === posId ? transaction : null;
}

/** Whether the transaction was voided is only for callers that ask: that costs a look-up. */
export function transferReply(
  { journal }: Pick<TransferStores, "journal">,
  call: TransferCall,
  reply: Reply,
): TransferReply {
  if (reply.kind === "refused") return reply;
  const { requestId, transType, referenceId } = reply.transaction;
  const voidStatus = call.kind === "inquire" ? findVoidStatus(journal, reply.transaction) : null;
  const about: About = { requestId, transType, referenceId, voidStatus };
  const stages = call.stages ? { stages: reportedStages(reply.transaction) } : {};
  if (reply.kind === "answered") {
    return { kind: "answered", about, ...stages, outcome: reply.outcome, replayed: reply.replayed };
  }
  const { forMilliseconds, standing } = reply;
  return { kind: "waiting", about, ...stages, forMilliseconds, standing };
}

function findVoidStatus(journal: Pick<Journal, "listVoids">, transaction: LaneTransaction): About["voidStatus"] {
  const voids = canBeVoided(transaction.transType) ? journal.listVoids(transaction.requestId) : [];
  const done = voids.some(({ state, outcome }) => state === "completed" && outcome?.statusCode === "00");
  const open = voids.some(({ state }) => state !== "completed");
  return done ? "00" : open ? "22" : null;
}

/** Registers the waiter in the turn that makes it wait, so it misses nothing. */
function openWait(
  { connections }: Pick<TerminalContext, "connections">,
  { stages }: TransferCall,
  reply: TransferReply,
  waits: boolean,
): Called {
  if (!waits || reply.kind !== "waiting") return { reply, socket: null };
  const { 0: socket, 1: own } = new WebSocketPair();
  connections.acceptWaiter(own, reply.about.requestId, { stages });
  return { reply, socket };
}

/** Whether the end of this socket changes nothing, as with nearly every wait: its Worker was served. */
export function isServed(attachment: Attachment, code: number): boolean {
  return attachment.role === "waiter" && code === WAITER_CLOSE.served;
}

/** A queued transaction is cancelled only when its last POS hangs up. */
export function endWait({ connections, lane }: TerminalContext, requestId: number, code: number, now: EpochMs): void {
  if (code === WAITER_CLOSE.detached) lane.take({ kind: "caller-detached", requestId }, now);
  else if (connections.waiters(requestId).length === 0) lane.take({ kind: "caller-gone", requestId }, now);
}
