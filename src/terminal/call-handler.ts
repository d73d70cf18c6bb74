/** One turn decides about a call and, if the caller must wait for the outcome, registers the wait. */
import { NOT_BOUND } from "../protocol/refusals.ts";
import type { Turns } from "../objects/turns.ts";
import { learnTerms } from "./binding.ts";
import { type Called, type Question, type TransferCall, type TransferReply, WAITER_CLOSE } from "../rpc/transfers.ts";
import type { TerminalSide } from "./terminal-socket.ts";
import type { Transfers } from "./transfers.ts";
import type { Attachment, Connections } from "./connections.ts";
import type { LaneShell } from "./lane-shell.ts";

interface CallHandlerParts {
  side: TerminalSide;
  transfers: Transfers;
  turns: Turns;
  watch: ClockWatch;
}

/** D1 knows the terminal, but its object does not: the enrolment is incomplete. */
export const NOT_ENROLLED: Called = { reply: { kind: "refused", code: 40000, problems: [NOT_BOUND] }, socket: null };

export class CallHandler {
  readonly #parts: CallHandlerParts;

  constructor(parts: CallHandlerParts) {
    this.#parts = parts;
  }

  /**
   * I1: one attempt is one turn. Without a free number, nothing is decided: the call waits for a block and looks up
   * again, because the same request may have arrived meanwhile.
   *
   * @param waits whether the caller waits on a socket if it is told to
   */
  async answer(call: TransferCall, waits: boolean): Promise<Called> {
    const { side, transfers, turns } = this.#parts;
    if (side.records.record === null) return NOT_ENROLLED;
    for (;;) {
      const called = turns.take((now) => {
        const { posId, account } = call.question;
        // A terminal that knows older terms gets the new ones before a request that names them.
        if (call.call === "submit") learnTerms(side, { posId, ...account }, now);
        const event = transfers.eventOf(call);
        const reply = event === null ? null : transfers.toReply(side.lane.take(event, now), call);
        void side.numbers.keep(now);
        return reply === null ? null : this.#openWait(reply, waits && call.question, now);
      });
      if (called !== null) return called;
      await side.numbers.reserve();
    }
  }

  /**
   * Registers the waiter in the turn that tells it to wait, so it misses nothing. The reply names its first tick.
   *
   * @param waiter false: the caller does not wait, whatever the reply
   */
  #openWait(reply: TransferReply, waiter: false | Pick<Question, "stages">, now: number): Called {
    if (waiter === false || reply.kind !== "waiting") return { reply, socket: null };
    const { side, watch } = this.#parts;
    const { connections, lane } = side;
    const { 0: socket, 1: own } = new WebSocketPair();
    const { requestId } = reply.about;
    const tickAt = watch.firstTick(requestId, lane.deadlines(now).near, now);
    connections.acceptWaiter(own, requestId, { stages: waiter.stages, tickAt });
    return { reply: tickAt === null ? reply : { ...reply, tickIn: tickAt - now }, socket };
  }
}

/**
 * Whether the end of this socket changes nothing, as with nearly every wait: its Worker was served and its transaction
 * is over, so no deadline depends on its tick.
 */
export function leavesNothing(attachment: Attachment, lane: Pick<LaneShell, "goesOn">, code: number): boolean {
  return attachment.role === "waiter" && code === WAITER_CLOSE.served && !lane.goesOn(attachment.requestId);
}

/** A queued transaction is cancelled only when its last till hangs up. */
export function endWait({ connections, lane }: TerminalSide, requestId: number, code: number, now: number): void {
  if (code === WAITER_CLOSE.detached) lane.take({ kind: "caller-detached", requestId }, now);
  else if (code !== WAITER_CLOSE.served && connections.waiters(requestId).length === 0) {
    lane.take({ kind: "caller-gone", requestId }, now);
  }
}

interface ClockWatchParts {
  connections: Pick<Connections, "askForTick" | "tickers">;
  /** Whether a transaction is in progress, so that its waiters keep waiting. */
  goesOn: (requestId: number) => boolean;
}

/**
 * A near deadline rarely needs an alarm, which costs as much as a row: the Worker of a waiting till is asked to send a
 * message at that time. The message only means "check the time", so one that comes early, late, twice or never changes
 * no outcome (I2). The alarm remains for far deadlines, and for near ones without a waiter. A Worker that disconnects
 * is noticed when its socket ends.
 */
export class ClockWatch {
  readonly #parts: ClockWatchParts;

  constructor(parts: ClockWatchParts) {
    this.#parts = parts;
  }

  /**
   * When a Worker that starts to wait should tick, epoch milliseconds; null: not until it is asked.
   *
   * @param deadline the near deadline, epoch milliseconds; null if there is none
   */
  firstTick(requestId: number, deadline: number | null, now: number): number | null {
    if (deadline === null || deadline <= now || !this.#parts.goesOn(requestId)) return null;
    return this.keeps(deadline, now) ? null : deadline;
  }

  /** Whether a waiter ticks by the deadline. Times are epoch milliseconds. */
  keeps(deadline: number, now: number): boolean {
    return this.#tickers().some(({ tickAt }) => isPromise(tickAt, now) && tickAt <= deadline);
  }

  /**
   * Asks a waiter to tick, if none does by this deadline. A waiter that did not tick in time is not asked again. The
   * alarm handles past deadlines.
   */
  ask(deadline: number, now: number): void {
    if (deadline <= now || this.keeps(deadline, now)) return;
    const asked = this.#tickers().findLast(({ tickAt }) => tickAt === null || isPromise(tickAt, now));
    if (asked !== undefined) this.#parts.connections.askForTick(asked.socket, deadline, now);
  }

  #tickers() {
    const { connections, goesOn } = this.#parts;
    return connections.tickers().filter(({ requestId }) => goesOn(requestId));
  }
}

function isPromise(tickAt: number | null, now: number): tickAt is number {
  return tickAt !== null && tickAt > now;
}
