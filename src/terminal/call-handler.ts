/**
 * Handles the calls for transactions: one turn decides and, if the caller must wait for the outcome, registers the wait.
 */
import { NOT_BOUND } from "../protocol/refusals.ts";
import type { Turns } from "../objects/turns.ts";
import { learnTerms } from "./account-news.ts";
import { readCall, responseTo } from "../rpc/upgrade.ts";
import type { ClockWatch } from "./clock-watch.ts";
import type { TerminalSide } from "./terminal-side.ts";
import { type TransferCall, type TransferReply, WAITER_CLOSE } from "../rpc/transfers.ts";
import type { Transfers } from "./transfers.ts";
import type { Attachment, Connections } from "./connections.ts";
import type { LaneShell } from "./lane-shell.ts";

export interface CallHandlerParts {
  side: TerminalSide;
  transfers: Transfers;
  turns: Turns;
  watch: ClockWatch;
}

type Waiting = Extract<TransferReply, { kind: "waiting" }>;

/** D1 knows the terminal, but its object does not: the enrolment is incomplete. */
const NOT_ENROLLED: TransferReply = { kind: "refused", code: 40000, problems: [NOT_BOUND] };

export class CallHandler {
  readonly #parts: CallHandlerParts;

  constructor(parts: CallHandlerParts) {
    this.#parts = parts;
  }

  /** A call whose caller does not wait. */
  ask(call: TransferCall): Promise<TransferReply> {
    return this.#answer(call, (waiting) => waiting);
  }

  /**
   * A call on an upgrade. The waiter exists from the turn that tells it to wait, so it misses nothing, and its first tick
   * is agreed with the reply.
   */
  async onUpgrade(headers: Headers): Promise<Response> {
    const call = readCall(headers);
    const { stages } = call.question;
    const { side, watch } = this.#parts;
    const { connections, lane } = side;
    const opened: { socket: WebSocket | null } = { socket: null };
    const reply = await this.#answer(call, (waiting, now) => {
      const pair = new WebSocketPair();
      opened.socket = pair[0];
      const { requestId } = waiting.about;
      const tickAt = watch.firstTick(requestId, lane.deadlines(now).near, now);
      connections.acceptWaiter(pair[1], requestId, { stages, tickAt });
      return tickAt === null ? waiting : { ...waiting, tickIn: tickAt - now };
    });
    return responseTo({ reply, ...opened });
  }

  /**
   * I1: one attempt is one turn. Without a free number, nothing is decided: the call waits for a block and the look-up is
   * repeated, because the same request may have arrived meanwhile.
   *
   * @param wait called in the turn that tells the caller to wait; returns what the caller gets
   */
  async #answer(call: TransferCall, wait: (reply: Waiting, now: number) => Waiting): Promise<TransferReply> {
    const { side, turns } = this.#parts;
    if (side.records.record === null) return NOT_ENROLLED;
    for (;;) {
      const reply = turns.take((now) => {
        const decided = this.#decide(call, now);
        void side.numbers.keep(now);
        return decided !== "number-needed" && decided.kind === "waiting" ? wait(decided, now) : decided;
      });
      if (reply !== "number-needed") return reply;
      await side.numbers.reserve();
    }
  }

  #decide({ call, question }: TransferCall, now: number): TransferReply | "number-needed" {
    const { side, transfers } = this.#parts;
    switch (call) {
      case "submit": {
        const { posId, account } = question;
        // A terminal that knows older terms gets the new ones before a request that names them.
        learnTerms(side, { posId, ...account }, now);
        return transfers.submit(question, now);
      }
      case "cancel":
        return transfers.cancel(question, now);
      case "inquire":
        return transfers.inquire(question, now);
      default:
        return call satisfies never;
    }
  }
}

/**
 * Whether the end of this socket changes nothing: its Worker was served, and its transaction does not go on. So no deadline
 * depends on its tick. This is the end of nearly every wait.
 */
export function leavesNothing(attachment: Attachment, lane: Pick<LaneShell, "goesOn">, code: number): boolean {
  return attachment.role === "waiter" && code === WAITER_CLOSE.served && !lane.goesOn(attachment.requestId);
}

/** A waiting socket has ended. A queued transaction is cancelled only when its last till hangs up. */
export function endWait(connections: Connections, lane: LaneShell, requestId: number, code: number, now: number): void {
  if (code === WAITER_CLOSE.detached) lane.take({ kind: "caller-detached", requestId }, now);
  else if (code !== WAITER_CLOSE.served && connections.waiters(requestId).length === 0) {
    lane.take({ kind: "caller-gone", requestId }, now);
  }
}
