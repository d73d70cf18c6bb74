/**
 * Fourth step: calls the terminal's object and waits for its answer on a socket. An object that keeps a call open while
 * the customer pays is billed for that time, a hibernating one is not
 * (https://developers.cloudflare.com/durable-objects/platform/pricing/).
 */
import {
  type About,
  type TransferReply,
  WAITER_CLOSE,
  type WaiterMessage,
  type Called,
  callAndWait,
} from "../../rpc/transfers.ts";
import type { TransferCall } from "../../rpc/transfer-message.ts";
import { stageKey, type TransferStage } from "../../protocol/stages.ts";
import { listen } from "../../objects/sockets.ts";
import { BrokenWait, Repetition } from "../../objects/repetition.ts";
import type { Outcome } from "../../protocol/transactions.ts";
import type { TerminalStub } from "../../rpc/terminal.ts";

/** Epoch milliseconds in `at`. */
export interface ReachedStage {
  stage: TransferStage;
  at: number;
}

export interface Follower {
  /**
   * The object has accepted the message: no refusal follows. Called before any stage, and again if the call is repeated:
   * only the first time counts, because the till must not notice a repetition.
   */
  begin: (isReplay: boolean) => void;
  /** Called once for each stage, in order. */
  stage: (stage: ReachedStage) => void;
}

/**
 * The object sends all stages so far with every reply and on every waiting socket, so that none is missed. This passes
 * on the new ones.
 */
class StagesTold {
  readonly #follower: Follower;
  readonly #told = new Set<string>();

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  /** Call this for every reply. */
  begin(isReplay: boolean, soFar: readonly ReachedStage[]): void {
    this.#follower.begin(isReplay);
    for (const stage of soFar) this.add(stage);
  }

  add({ stage, at }: ReachedStage): void {
    const key = stageKey({ stage, at });
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#follower.stage({ stage, at });
  }
}

export interface DeliveryTask {
  /** Returns a new stub for every call: one that threw is broken. */
  stub: () => TerminalStub;
  call: TransferCall;
  /** Nothing is retried after this time, epoch milliseconds. */
  until: number;
  /** The caller's own shorter wait in milliseconds, or null. */
  ownWait: number | null;
  /** Aborts when the till hangs up, if the platform reports it. */
  signal: AbortSignal;
  /** Gets stages only if `call` asks for them too. */
  follower?: Follower;
  /** Of the request, for the log. */
  traceId: string;
}

export type Delivery =
  | { kind: "answered"; about: About; outcome: Outcome; replayed: boolean }
  | Extract<TransferReply, { kind: "refused" }>
  /** The object could not be reached, or the time was over: the outcome is unknown. */
  | { kind: "open" };

/**
 * I3: repeats a failed call, because a transfer joins itself. So a reset object or a broken socket costs nobody an
 * answer. What fails again is open: the caller's own repetition joins it.
 */
export async function deliver(task: DeliveryTask): Promise<Delivery> {
  const started = Date.now();
  const { call, traceId } = task;
  const repetition = new Repetition({ call: call.kind, account: call.posId, traceId });
  const told = task.follower === undefined ? null : new StagesTold(task.follower);
  for (let isFirst = true; ; isFirst = false) {
    const ownLeft = task.ownWait === null ? Infinity : started + task.ownWait - Date.now();
    try {
      return await attempt(task, { ownLeft, told, isFirst });
    } catch (error) {
      if (task.signal.aborted) return { kind: "open" };
      const pause = repetition.pauseAfter(error);
      if (pause === null || Date.now() + pause >= task.until) return { kind: "open" };
      await scheduler.wait(pause);
    }
  }
}

interface Attempt {
  /** Milliseconds. */
  ownLeft: number;
  told: StagesTold | null;
  isFirst: boolean;
}

/** @throws if the object, or the connection to it, fails */
async function attempt(task: DeliveryTask, { ownLeft, told, isFirst }: Attempt): Promise<Delivery> {
  const { reply, socket } = await called(task.stub(), task.call, ownLeft > 0);
  if (reply.kind === "refused") return reply;
  const { about } = reply;
  const replayed = reply.kind === "answered" && reply.replayed && isFirst;
  told?.begin(replayed, reply.stages ?? []);
  if (reply.kind === "answered") return { kind: "answered", about, outcome: reply.outcome, replayed };
  const waiting = { ownLeft, told, signal: task.signal };
  const outcome = socket === null ? reply.standing : await waitOn(socket, reply, waiting);
  if (outcome !== null) return { kind: "answered", about, outcome, replayed: false };
  // The payment that it waited for may have ended meanwhile.
  const isOld = reply.standing.openReferenceId !== undefined && !task.signal.aborted;
  if (isOld) return attempt(task, { ownLeft: 0, told, isFirst: false });
  return { kind: "answered", about, outcome: reply.standing, replayed: false };
}

async function called(stub: TerminalStub, call: TransferCall, waits: boolean): Promise<Called> {
  return waits ? callAndWait(stub, call) : { reply: await stub.ask(call), socket: null };
}

/**
 * Waits until the object concludes.
 *
 * @returns null: the time is over, or the caller has hung up
 * @throws `BrokenWait` if the socket breaks
 */
async function waitOn(
  socket: WebSocket,
  { forMilliseconds }: Extract<TransferReply, { kind: "waiting" }>,
  { ownLeft, told, signal }: Pick<Attempt, "ownLeft" | "told"> & Pick<DeliveryTask, "signal">,
): Promise<Outcome | null> {
  const heard = await listen(socket, {
    read: (text) => {
      const message = JSON.parse(text) as WaiterMessage;
      switch (message.type) {
        case "stage":
          told?.add(message);
          return undefined;
        case "conclusion":
          return message.outcome;
      }
    },
    within: Math.min(ownLeft, forMilliseconds),
    signal,
    closeCode: (ending) => {
      if (ending === "gone") return WAITER_CLOSE.gone;
      return ending === "over" ? WAITER_CLOSE.detached : WAITER_CLOSE.served;
    },
  });
  if (heard.kind === "broken") throw new BrokenWait("the waiting socket broke");
  return heard.kind === "heard" ? heard.value : null;
}
