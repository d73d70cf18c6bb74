/** One turn decides about a call and, if the caller must wait for the outcome, registers the wait. */
import { NOT_BOUND } from "../protocol/refusals.ts";
import type { Turns } from "../objects/turns.ts";
import { learnTerms } from "./binding.ts";
import { type Called, type Question, type TransferCall, type TransferReply, WAITER_CLOSE } from "../rpc/transfers.ts";
import type { TerminalSide } from "./terminal-socket.ts";
import type { Transfers } from "./transfers.ts";
import type { Attachment } from "./connections.ts";

interface CallHandlerParts {
  side: TerminalSide;
  transfers: Transfers;
  turns: Turns;
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
        return reply === null ? null : this.#openWait(reply, waits && call.question);
      });
      if (called !== null) return called;
      await side.numbers.reserve();
    }
  }

  /**
   * Registers the waiter in the turn that tells it to wait, so it misses nothing.
   *
   * @param waiter false: the caller does not wait, whatever the reply
   */
  #openWait(reply: TransferReply, waiter: false | Pick<Question, "stages">): Called {
    if (waiter === false || reply.kind !== "waiting") return { reply, socket: null };
    const { connections } = this.#parts.side;
    const { 0: socket, 1: own } = new WebSocketPair();
    connections.acceptWaiter(own, reply.about.requestId, { stages: waiter.stages });
    return { reply, socket };
  }
}

/** Whether the end of this socket changes nothing, as with nearly every wait: its Worker was served. */
export function isServed(attachment: Attachment, code: number): boolean {
  return attachment.role === "waiter" && code === WAITER_CLOSE.served;
}

/** A queued transaction is cancelled only when its last till hangs up. */
export function endWait({ connections, lane }: TerminalSide, requestId: number, code: number, now: number): void {
  if (code === WAITER_CLOSE.detached) lane.take({ kind: "caller-detached", requestId }, now);
  else if (connections.waiters(requestId).length === 0) {
    lane.take({ kind: "caller-gone", requestId }, now);
  }
}
