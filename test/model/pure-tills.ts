/** The Worker's part: what a POS asks is put to the real look-ups of transfers, and who has to wait waits. */
import type { Outcome } from "../../src/protocol/transactions.ts";
import type { TransferReply } from "../../src/rpc/transfers.ts";
import type { Transfers } from "../../src/terminal/transfers.ts";
import type { MemoryJournal } from "./memory-journal.ts";
import type { Notice, PureLane } from "./pure-lane.ts";
import { objectCall } from "./questions.ts";
import type { Answer, Call, Message, Output } from "./vocabulary.ts";

/** An asker without an answer: one whose Worker waits, or whose call or socket broke. */
interface Waiter {
  readonly message: Message;
  readonly arrivedAt: number;
  /** Set while it waits. */
  reply: Extract<TransferReply, { kind: "waiting" }> | null;
  until: number;
}

type Asking = Omit<Extract<Call, { kind: "ask" }>, "kind" | "together">;

export class PureTills {
  readonly #journal: MemoryJournal;
  readonly #transfers: Transfers;
  readonly #lane: PureLane;
  readonly #say: (output: Output) => void;
  readonly #notice: Notice;
  readonly #waiters = new Map<number, Waiter>();

  constructor(
    { journal, transfers, lane }: { journal: MemoryJournal; transfers: Transfers; lane: PureLane },
    say: (output: Output) => void,
    notice: Notice,
  ) {
    this.#journal = journal;
    this.#transfers = transfers;
    this.#lane = lane;
    this.#say = say;
    this.#notice = notice;
  }

  ask({ ask, message, detached, arrivedAt }: Asking, now: number): void {
    const reply = this.#put(message, detached, arrivedAt, now);
    if (reply.kind === "refused") this.#answer(ask, { kind: "refused", code: reply.code });
    else if (reply.kind === "answered") this.#tell(ask, reply.about.requestId, reply.outcome);
    else if (detached) this.#tell(ask, reply.about.requestId, reply.standing);
    else this.#waiters.set(ask, { message, arrivedAt, reply, until: now + reply.forMilliseconds });
  }

  hangUp(ask: number, now: number): void {
    const requestId = this.#waiters.get(ask)?.reply?.about.requestId;
    this.#waiters.delete(ask);
    if (requestId !== undefined && !this.isWaitedFor(requestId))
      this.#lane.take({ kind: "caller-gone", requestId }, now);
  }

  /** The asker's own shorter wait is over. */
  giveUp(ask: number, now: number): void {
    const waiter = this.#waiters.get(ask);
    if (waiter === undefined || waiter.reply === null) return;
    const { about, standing } = waiter.reply;
    this.#tell(ask, about.requestId, standing);
    this.#lane.take({ kind: "caller-detached", requestId: about.requestId }, now);
  }

  /** The waiter is to ask again. */
  breakAll(): void {
    for (const [ask, waiter] of this.#waiters) {
      waiter.reply = null;
      this.#say({ kind: "broken", ask });
    }
  }

  resubmit(ask: number, now: number): void {
    const waiter = this.#waiters.get(ask);
    if (waiter === undefined) return;
    const { message, arrivedAt } = waiter;
    this.ask({ ask, message, arrivedAt, detached: false }, now);
  }

  conclude(requestId: number, outcome: Outcome): void {
    for (const [ask, { reply }] of this.#waiters) {
      if (reply?.about.requestId === requestId) this.#tell(ask, requestId, outcome);
    }
  }

  isWaitedFor(requestId: number): boolean {
    for (const { reply } of this.#waiters.values()) {
      if (reply?.about.requestId === requestId) return true;
    }
    return false;
  }

  /** Waits that are over are answered as things stood when they began. */
  passTime(now: number): void {
    for (const [ask, { reply, until }] of this.#waiters) {
      if (reply !== null && until <= now) this.#tell(ask, reply.about.requestId, reply.standing);
    }
  }

  nextEnd(): number {
    let next = Infinity;
    for (const { reply, until } of this.#waiters.values()) if (reply !== null) next = Math.min(next, until);
    return next;
  }

  #put(message: Message, detached: boolean, arrivedAt: number, now: number): TransferReply {
    const call = objectCall(message, message.pos, detached, arrivedAt);
    const event = this.#transfers.eventOf(call);
    if (event === null) throw new Error("numbers are never short here");
    return this.#transfers.toReply(this.#lane.take(event, now), call);
  }

  #tell(ask: number, requestId: number, outcome: Outcome): void {
    const row = this.#journal.byRequestId(requestId);
    if (row === null) throw new Error(`an answer is about ${requestId}, which has no row`);
    const { statusCode, responseCode } = outcome;
    this.#answer(ask, {
      kind: "status",
      statusCode,
      responseCode,
      posId: row.posId,
      referenceId: row.referenceId,
      requestId,
      frozen: statusCode === "22" ? "" : JSON.stringify(outcome),
    });
  }

  #answer(ask: number, answer: Answer): void {
    this.#waiters.delete(ask);
    this.#notice(`shown: ${worded(answer)}`);
    this.#say({ kind: "answer", ask, answer });
  }
}

/** The gateway's own codes have names, a terminal's have digits, which are not distinguished. */
function worded(answer: Answer): string {
  if (answer.kind === "refused") return `refused ${answer.code}`;
  const { statusCode, responseCode } = answer;
  return /^[A-Z]/u.test(responseCode) ? `${statusCode} ${responseCode}` : statusCode;
}
