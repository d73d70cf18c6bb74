/**
 * Fourth step: calls the terminal's object and waits for its answer on a socket. An object that keeps a call open while
 * the customer pays is billed for that time, a hibernating one is not
 * (https://developers.cloudflare.com/durable-objects/platform/pricing/).
 */
import { BrokenWait, Repetition } from "../../../durable/repetition.ts";
import { closeQuietly, textsFrom } from "../../../durable/sockets.ts";
import { stageKey, type TransferStage } from "../../../../protocol/stages.ts";
import type { Outcome } from "../../../../protocol/transactions.ts";
import type { TerminalStub } from "../../../terminal/rpc.ts";
import type { TransferCall } from "../../../../protocol/transfer-message.ts";
import {
  type About,
  type Called,
  callAndWait,
  type TransferReply,
  WAITER_CLOSE,
  type WaiterMessage,
} from "../../../terminal/transfer-replies.ts";
import type { EpochMs, Milliseconds } from "../../../../protocol/time/units.ts";

export interface DeliveryTask {
  /** Returns a new stub for every call: one that threw is broken. */
  stub: () => TerminalStub;
  call: TransferCall;
  /** Nothing is retried after this time. */
  until: EpochMs;
  /** The caller's own shorter wait, or null. */
  ownWait: Milliseconds | null;
  /** Aborts when the POS hangs up, if the platform reports it. */
  signal: AbortSignal;
  /** The trace id of the request, for the log. */
  traceId: string;
}

/** An event before the outcome. Each comes once, because the POS must not notice that a call is repeated. */
type DeliveryEvent =
  /** The object has accepted the message, so no refusal follows. This comes before any stage. */
  { kind: "accepted"; replayed: boolean } | StageEvent;

/** Stages come in order, and only if the call asks for them. */
export interface StageEvent {
  kind: "stage";
  stage: TransferStage;
  at: EpochMs;
}

export type Delivery =
  | { kind: "answered"; about: About; outcome: Outcome; replayed: boolean }
  | Extract<TransferReply, { kind: "refused" }>
  /** The object could not be reached, or the time was over: the outcome is unknown. */
  | { kind: "open" };

/** Delivers for a POS that does not follow the stages. */
export async function deliver(task: DeliveryTask): Promise<Delivery> {
  const delivery = deliverTransfer(task);
  for (;;) {
    const next = await delivery.next();
    if (next.done === true) return next.value;
  }
}

/**
 * I3: repeats a failed call, because a transfer joins itself. So a reset object or a broken socket costs nobody an
 * answer. What fails again is open: the caller's own repetition joins it.
 */
export async function* deliverTransfer(task: DeliveryTask): AsyncGenerator<DeliveryEvent, Delivery> {
  const started = Date.now();
  const { call, ownWait, signal, traceId } = task;
  const repetition = new Repetition({ call: call.kind, account: call.posId, traceId });
  const seen = new Set<string>();
  for (let isFirst = true; ; isFirst = false) {
    const ownLeft = ownWait === null ? Infinity : started + ownWait - Date.now();
    try {
      return yield* attempt(task, { ownLeft, isFirst, seen });
    } catch (error) {
      if (signal.aborted) return { kind: "open" };
      const pause = repetition.pauseAfter(error);
      if (pause === null || Date.now() + pause >= task.until) return { kind: "open" };
      await scheduler.wait(pause);
    }
  }
}

interface Attempt {
  /** The caller's own remaining wait. */
  ownLeft: Milliseconds;
  isFirst: boolean;
  /** The keys of the events that were passed on. */
  seen: Set<string>;
}

/** @throws if the object, or the connection to it, fails */
async function* attempt(
  task: DeliveryTask,
  { ownLeft, isFirst, seen }: Attempt,
): AsyncGenerator<DeliveryEvent, Delivery> {
  const { signal } = task;
  const { reply, socket } = await callObject(task.stub(), task.call, ownLeft > 0);
  if (reply.kind === "refused") return reply;
  const { about, stages = [] } = reply;
  const replayed = reply.kind === "answered" && reply.replayed && isFirst;
  yield* unseen<DeliveryEvent>(seen, { kind: "accepted", replayed }, ...stages.map(stageEvent));
  if (reply.kind === "answered") return { kind: "answered", about, outcome: reply.outcome, replayed };
  const within = Math.min(ownLeft, reply.forMilliseconds);
  const outcome = socket === null ? reply.standing : yield* conclusionOn(socket, { within, signal, seen });
  if (outcome !== "given-up") return { kind: "answered", about, outcome, replayed: false };
  // The payment that it waited for may have ended meanwhile.
  const isOld = reply.standing.openReferenceId !== undefined && !signal.aborted;
  if (isOld) return yield* attempt(task, { ownLeft: 0, isFirst: false, seen });
  return { kind: "answered", about, outcome: reply.standing, replayed: false };
}

async function callObject(stub: TerminalStub, call: TransferCall, waits: boolean): Promise<Called> {
  return waits ? callAndWait(stub, call) : { reply: await stub.ask(call), socket: null };
}

interface Wait {
  within: Milliseconds;
  signal: AbortSignal;
  seen: Set<string>;
}

/**
 * Waits until the object concludes, the time is over, or the caller hangs up.
 *
 * @throws `BrokenWait` if the socket breaks
 */
async function* conclusionOn(
  socket: WebSocket,
  { within, signal, seen }: Wait,
): AsyncGenerator<StageEvent, Outcome | "given-up"> {
  const texts = textsFrom(socket, { within, signal });
  try {
    for (;;) {
      const next = await texts.next();
      if (next.done === true) {
        if (next.value === "broken") throw new BrokenWait("the waiting socket broke");
        closeQuietly(socket, next.value === "over" ? WAITER_CLOSE.detached : WAITER_CLOSE.gone, "");
        return "given-up";
      }
      const message = JSON.parse(next.value) as WaiterMessage;
      if (message.type === "conclusion") {
        closeQuietly(socket, WAITER_CLOSE.served, "");
        return message.outcome;
      }
      yield* unseen(seen, stageEvent(message));
    }
  } finally {
    await texts.return("over");
  }
}

function stageEvent({ stage, at }: Omit<StageEvent, "kind">): StageEvent {
  return { kind: "stage", stage, at };
}

/** The object sends all stages so far with every reply and on every waiting socket, so that none is missed. */
function* unseen<Event extends DeliveryEvent>(seen: Set<string>, ...events: Event[]): Generator<Event, void> {
  for (const event of events) {
    const key = event.kind === "stage" ? `stage ${stageKey(event)}` : event.kind;
    if (seen.has(key)) continue;
    seen.add(key);
    yield event;
  }
}
