/**
 * The gateway without its platform: the real lane and the real look-ups of transfers, over a journal in memory. What the
 * object does around them is repeated in its shortest form, in the files named `pure-…`.
 */
import { type End, MemoryJournal, type Notice, PureLane, type PureRecord } from "./pure-lane.ts";
import { Violation } from "./oracle.ts";
import { MERCHANT, objectCall } from "./questions.ts";
import { CLOSE } from "../../src/protocol/close-codes.ts";
import { HELLO_WITHIN, UNCONFIRMED_CONNECTIONS } from "../../src/protocol/limits/connections.ts";
import type { StatusCode } from "../../src/protocol/status-codes.ts";
import type { Outcome } from "../../src/protocol/transactions.ts";
import type { TransferReply } from "../../src/rpc/transfers.ts";
import { judgeBind } from "../../src/terminal/binding.ts";
import { type Report, type Transaction, sortListed } from "../../src/terminal/lane/index.ts";
import type { TerminalRecord } from "../../src/terminal/storage/record.ts";
import { Transfers } from "../../src/terminal/transfers.ts";
import type { Answer, Call, DownFrame, Message, Output, UpFrame } from "./vocabulary.ts";
import type { Setting } from "./world.ts";

/** There is always room for reports. */
const KEPT = { as: [], hasRoom: true };
const VERSIONS = { softwareVersion: "model-1.0", terminalSn: "SN-1" };

class PureConnections {
  readonly #journal: MemoryJournal;
  readonly #record: PureRecord;
  readonly #say: (connection: number, frame: DownFrame) => void;
  /** Open connections, by the world's number. */
  readonly #ends = new Map<number, End>();

  constructor(journal: MemoryJournal, record: PureRecord, say: (connection: number, frame: DownFrame) => void) {
    this.#journal = journal;
    this.#record = record;
    this.#say = say;
  }

  open(connection: number, lane: PureLane, now: number): void {
    const [first, ...others] = this.silent;
    if (first !== undefined && others.length + 1 >= UNCONFIRMED_CONNECTIONS)
      this.#refuse(first, CLOSE.protocol, lane, now);
    const number = ++this.#record.connections;
    const end = { connection, number, openedAt: now, saidHello: false, heardAt: now, probedAt: null, pingedAt: null };
    this.#ends.set(connection, end);
    const { posId } = this.#record;
    this.send(end, { type: "welcome", nonce: String(number), serverTime: now, posId });
    lane.take({ kind: "deadline" }, now);
  }

  /** The connection has ended by itself, or by the terminal. */
  ended(connection: number, lane: PureLane, now: number): void {
    const end = this.#ends.get(connection);
    if (end === undefined) return;
    this.#ends.delete(connection);
    lane.take({ kind: "lost", connection: end.number }, now);
  }

  /** The object has died, and every connection with it. */
  drop(): void {
    this.#ends.clear();
  }

  receive(connection: number, frame: UpFrame, lane: PureLane, now: number): void {
    const end = this.#ends.get(connection);
    if (end === undefined) return;
    const isCurrent = end.saidHello && end.number === lane.lane.link.current?.number;
    if (isCurrent) {
      if (end.probedAt !== null) lane.hasMissedSomething = true;
      end.heardAt = now;
      end.probedAt = null;
      end.pingedAt = null;
    }
    if (frame.type === "ping") this.send(end, { type: "pong" });
    else if (frame.type === "hello") this.#hello(end, frame, lane, now);
    else if (isCurrent) this.#report(end, frame, lane, now);
  }

  endByNumber(number: number): End | null {
    for (const end of this.#ends.values()) if (end.number === number) return end;
    return null;
  }

  get silent(): End[] {
    return [...this.#ends.values()].filter(({ saidHello }) => !saidHello);
  }

  /** When the next connection has been silent for too long. */
  nextSilence(): number {
    return Math.min(...this.silent.map(({ openedAt }) => openedAt + HELLO_WITHIN));
  }

  closeSilent(lane: PureLane, now: number): void {
    for (const end of this.silent) {
      if (end.openedAt + HELLO_WITHIN <= now) this.#refuse(end, CLOSE.protocol, lane, now);
    }
  }

  tellBinding(posId: string): void {
    for (const end of this.#ends.values()) this.send(end, { type: "binding", posId });
  }

  send(end: End, frame: DownFrame): void {
    this.#say(end.connection, frame);
  }

  close(end: End, code: number): void {
    this.#ends.delete(end.connection);
    this.send(end, { type: "close", code });
  }

  #refuse(end: End, code: number, lane: PureLane, now: number): void {
    this.close(end, code);
    lane.take({ kind: "lost", connection: end.number }, now);
  }

  #hello(end: End, frame: Extract<UpFrame, { type: "hello" }>, lane: PureLane, now: number): void {
    const { number } = end;
    if (end.saidHello || frame.nonce !== String(number)) return this.#refuse(end, CLOSE.protocol, lane, now);
    if (now - end.openedAt >= HELLO_WITHIN) return this.#refuse(end, CLOSE.protocol, lane, now);
    if (number < (lane.lane.link.current?.number ?? 0)) return this.#refuse(end, CLOSE.superseded, lane, now);
    for (const earlier of this.#ends.values()) {
      if (earlier.number < number) this.close(earlier, CLOSE.superseded);
    }
    end.saidHello = true;
    end.heardAt = now;
    const { memory } = frame;
    Object.assign(this.#record, { currentConnection: number, memory, ...VERSIONS });
    this.send(end, { type: "ready" });
    const { unknown: _unknown, ...listed } = sortListed(frame.open, (requestId) => this.#find(requestId, lane));
    lane.take({ kind: "hello", connection: number, memory, ...listed, ...VERSIONS }, now);
  }

  #report(end: End, frame: Exclude<UpFrame, { type: "hello" | "ping" }>, lane: PureLane, now: number): void {
    if (frame.type === "pong") return void lane.take({ kind: "pong" }, now);
    const { requestId } = frame;
    const transaction = this.#find(requestId, lane);
    switch (frame.type) {
      case "accepted":
        return void lane.take({ kind: "accepted", requestId, transaction }, now);
      case "refused": {
        const { attempt, reason } = frame;
        return void lane.take({ kind: "refused", requestId, attempt, reason, transaction }, now);
      }
      case "progress":
        return void lane.take({ kind: "progress", requestId, stage: frame.stage, transaction }, now);
      case "result":
        if (frame.forged === true) this.send(end, { type: "error", code: "bad_signature", requestId });
        else if (transaction === null || transaction.attempt === 0) this.#stray(requestId, frame.statusCode, lane, now);
        else lane.take({ kind: "result", requestId, transaction, report: reportOf(frame), kept: KEPT }, now);
    }
  }

  /** I4: a result that the terminal may forget is kept. */
  #stray(requestId: number, statusCode: StatusCode, lane: PureLane, now: number): void {
    lane.take({ kind: "stray", requestId, statusCode, kept: KEPT }, now);
    if (this.#journal.holdsStray(requestId)) return;
    throw new Violation("I4", `a result of ${requestId} is to be forgotten, and nowhere kept`);
  }

  #find(requestId: number, lane: PureLane): Transaction | null {
    return lane.lane.open.get(requestId) ?? this.#journal.byRequestId(requestId);
  }
}

function reportOf({ statusCode, amount }: Extract<UpFrame, { type: "result" }>): Report {
  const responseCode = statusCode === "00" ? "00" : statusCode === "11" ? "05" : "09";
  return { statusCode, outcome: { statusCode, responseCode, ...VERSIONS }, contradicts: amount !== undefined };
}

/** An asker without an answer: one whose Worker waits, or whose call or socket broke. */
interface Waiter {
  readonly message: Message;
  readonly arrivedAt: number;
  /** Set while it waits. */
  reply: Extract<TransferReply, { kind: "waiting" }> | null;
  until: number;
}

type Asking = Omit<Extract<Call, { kind: "ask" }>, "kind" | "together">;

interface TillsParts {
  readonly journal: MemoryJournal;
  readonly transfers: Transfers;
  readonly lane: PureLane;
  say(output: Output): void;
  readonly notice: Notice;
}

class PureTills {
  readonly #parts: TillsParts;
  readonly #waiters = new Map<number, Waiter>();

  constructor(parts: TillsParts) {
    this.#parts = parts;
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
      this.#parts.lane.take({ kind: "caller-gone", requestId }, now);
  }

  /** The asker's own shorter wait is over. */
  giveUp(ask: number, now: number): void {
    const waiter = this.#waiters.get(ask);
    if (waiter === undefined || waiter.reply === null) return;
    const { about, standing } = waiter.reply;
    this.#tell(ask, about.requestId, standing);
    this.#parts.lane.take({ kind: "caller-detached", requestId: about.requestId }, now);
  }

  /** The waiter is to ask again. */
  breakAll(): void {
    for (const [ask, waiter] of this.#waiters) {
      waiter.reply = null;
      this.#parts.say({ kind: "broken", ask });
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
    return this.#waiting.some(({ reply }) => reply?.about.requestId === requestId);
  }

  get #waiting(): Waiter[] {
    return [...this.#waiters.values()].filter(({ reply }) => reply !== null);
  }

  /** Waits that are over are answered as things stood when they began. */
  passTime(now: number): void {
    for (const [ask, { reply, until }] of this.#waiters) {
      if (reply !== null && until <= now) this.#tell(ask, reply.about.requestId, reply.standing);
    }
  }

  nextEnd(): number {
    return Math.min(...this.#waiting.map(({ until }) => until));
  }

  #put(message: Message, detached: boolean, arrivedAt: number, now: number): TransferReply {
    const call = objectCall(message, message.pos, detached, arrivedAt);
    const event = this.#parts.transfers.eventOf(call);
    if (event === null) throw new Error("numbers are never short here");
    return this.#parts.transfers.toReply(this.#parts.lane.take(event, now), call);
  }

  #tell(ask: number, requestId: number, outcome: Outcome): void {
    const row = this.#parts.journal.byRequestId(requestId);
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
    this.#parts.notice(`shown: ${worded(answer)}`);
    this.#parts.say({ kind: "answer", ask, answer });
  }
}

/** The gateway's own codes have names, a terminal's have digits, which are not distinguished. */
function worded(answer: Answer): string {
  if (answer.kind === "refused") return `refused ${answer.code}`;
  const { statusCode, responseCode } = answer;
  return /^[A-Z]/u.test(responseCode) ? `${statusCode} ${responseCode}` : statusCode;
}

export class PureGateway {
  readonly #record: PureRecord = {
    posId: "P",
    nextNumber: 1_000_000_000,
    connections: 0,
    currentConnection: null,
    memory: "",
    lostAt: null,
    softwareVersion: "unknown",
    terminalSn: "unknown",
  };
  readonly #connections: PureConnections;
  readonly #lane: PureLane;
  readonly #tills: PureTills;
  readonly #transfers: Transfers;
  readonly #notice: Notice;
  #outputs: Output[] = [];
  #now: number;

  constructor({ life }: Setting, now: number, notice: Notice) {
    this.#now = now;
    this.#notice = notice;
    const record = this.#record;
    const say = (output: Output): void => {
      this.#outputs.push(output);
    };
    const journal = new MemoryJournal();
    const connections = new PureConnections(journal, record, (connection, frame) =>
      say({ kind: "frame", connection, frame }),
    );
    this.#connections = connections;
    this.#lane = new PureLane(
      journal,
      record,
      {
        endByNumber: (number) => connections.endByNumber(number),
        isGreeting: () => connections.silent.length > 0,
        send: (end, frame) => connections.send(end, frame),
        close: (end, code) => connections.close(end, code),
        conclude: (requestId, outcome) => this.#tills.conclude(requestId, outcome),
        isWaitedFor: (requestId) => this.#tills.isWaitedFor(requestId),
      },
      notice,
    );
    const records = {
      get nextNumber() {
        return record.nextNumber;
      },
      get record() {
        return recordOf(record);
      },
    };
    const reports = { of: () => [], strays: () => [] };
    const lane = this.#lane;
    const transfers = new Transfers({ journal, reports, records, lane, life });
    this.#transfers = transfers;
    this.#tills = new PureTills({ journal, transfers, lane, say, notice });
  }

  get lane() {
    return this.#lane.lane;
  }

  /** Carries one call out; returns what the gateway says to it, and when it wants to be woken. */
  perform(call: Call): { outputs: Output[]; alarmAt: number | null } {
    this.#outputs = [];
    this.#call(call);
    const next = Math.min(this.#lane.next ?? Infinity, this.#connections.nextSilence(), this.#tills.nextEnd());
    return { outputs: this.#outputs, alarmAt: next === Infinity ? null : next };
  }

  #call(call: Call): void {
    const now = this.#now;
    const lane = this.#lane;
    switch (call.kind) {
      case "ask":
        return this.#tills.ask(call, now);
      case "hang-up":
        return this.#tills.hangUp(call.ask, now);
      case "give-up":
        return this.#tills.giveUp(call.ask, now);
      case "resubmit":
        return this.#tills.resubmit(call.ask, now);
      case "open":
        return this.#connections.open(call.connection, lane, now);
      case "end":
        return this.#connections.ended(call.connection, lane, now);
      case "frame":
        return this.#connections.receive(call.connection, call.frame, lane, now);
      case "time":
        this.#now = call.now;
        lane.mustHaveNothingToDo(call.now);
        return this.#tills.passTime(call.now);
      case "alarm":
        this.#connections.closeSilent(lane, now);
        return void lane.take({ kind: "deadline" }, now);
      case "prepare":
        return call.pos === this.#record.posId ? lane.prepare(now) : undefined;
      case "crash":
        this.#connections.drop();
        this.#tills.breakAll();
        return lane.restart(now);
      case "hibernate":
        return lane.reload();
      case "resolve": {
        const { requestId, statusCode } = call;
        const resolution = { requestId, statusCode, reason: "the operator knows", operator: "the operator" };
        const outcome = this.#transfers.resolve(resolution, now);
        return void this.#outputs.unshift({ kind: "resolved", requestId, done: outcome.kind === "resolved" });
      }
      case "suspend":
        return void lane.take({ kind: "suspended", posId: call.pos }, now);
      case "rebind":
        return this.#rebind(call.pos);
    }
  }

  #rebind(pos: string): void {
    const wanted = { ...MERCHANT, posId: pos };
    const done =
      judgeBind({ record: recordOf(this.#record), lane: this.lane }, wanted, "move", this.#now).kind === "bound";
    if (done && this.#record.posId !== pos) {
      this.#record.posId = pos;
      this.#notice("rebound");
      this.#connections.tellBinding(pos);
    }
    this.#outputs.push({ kind: "rebound", pos, done });
  }
}

/** The part of the object's record that is looked at here. */
function recordOf({ posId }: PureRecord): TerminalRecord {
  return { sealedSecret: "sealed", binding: { ...MERCHANT, posId } } as TerminalRecord;
}
