/**
 * The gateway without its platform: the real lane and the real look-ups of transfers, over a journal in memory. What the
 * object does around them is repeated in its shortest form, in the files named `pure-…`.
 */
import { type End, MemoryJournal, type Notice, PureLane, type PureRecord } from "./pure-lane.ts";
import { Violation } from "./oracle.ts";
import { MERCHANT, objectCall } from "./questions.ts";
import { CLOSE } from "../../src/protocol/close-codes.ts";
import { HELLO_WITHIN, UNCONFIRMED_CONNECTIONS } from "../../src/protocol/limits.ts";
import type { StatusCode } from "../../src/protocol/status-codes.ts";
import type { Outcome } from "../../src/protocol/transactions.ts";
import type { TransferReply } from "../../src/gateway/terminal/transfer-replies.ts";
import { judgeBind } from "../../src/gateway/terminal/binding.ts";
import { type Report, sortOpenRequests } from "../../src/gateway/terminal/lane/index.ts";
import type { TerminalRecord } from "../../src/gateway/terminal/storage/record.ts";
import { lookUp, transferReply, type TransferStores } from "../../src/gateway/terminal/answer-transfer.ts";
import { resolveTransaction } from "../../src/gateway/terminal/journal-views.ts";
import type { Answer, Call, DownFrame, Message, Output, UpFrame } from "./vocabulary.ts";
import type { Setting } from "./world.ts";

/** There is always room for reports. */
const KEPT = { as: [], hasRoom: true };
const VERSIONS = { softwareVersion: "model-1.0", terminalSn: "SN-1" };

class PureConnections {
  readonly #gateway: PureGateway;
  /** Open connections, by the world's number. */
  readonly #ends = new Map<number, End>();

  constructor(gateway: PureGateway) {
    this.#gateway = gateway;
  }

  open(connection: number): void {
    const { now } = this.#gateway;
    const [first, ...others] = this.silent;
    if (first !== undefined && others.length + 1 >= UNCONFIRMED_CONNECTIONS) this.#refuse(first, CLOSE.protocol);
    const number = ++this.#gateway.record.connections;
    const end = { connection, number, openedAt: now, saidHello: false, heardAt: now, probedAt: null, pingedAt: null };
    this.#ends.set(connection, end);
    const { posId } = this.#gateway.record;
    this.send(end, { type: "welcome", nonce: String(number), serverTime: now, posId });
    this.#gateway.lane.take({ kind: "deadline" });
  }

  /** The connection has ended by itself, or by the terminal. */
  ended(connection: number): void {
    const end = this.#ends.get(connection);
    if (end === undefined) return;
    this.#ends.delete(connection);
    this.#gateway.lane.take({ kind: "lost", connection: end.number });
  }

  /** The object has died, and every connection with it. */
  drop(): void {
    this.#ends.clear();
  }

  receive(connection: number, frame: UpFrame): void {
    const end = this.#ends.get(connection);
    if (end === undefined) return;
    const isCurrent = end.saidHello && end.number === this.#gateway.lane.lane.link.current?.number;
    if (isCurrent) {
      if (end.probedAt !== null) this.#gateway.lane.hasMissedSomething = true;
      Object.assign(end, { heardAt: this.#gateway.now, probedAt: null, pingedAt: null });
    }
    if (frame.type === "ping") this.send(end, { type: "pong" });
    else if (frame.type === "hello") this.#hello(end, frame);
    else if (isCurrent) this.#report(end, frame);
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

  closeSilent(): void {
    for (const end of this.silent) {
      if (end.openedAt + HELLO_WITHIN <= this.#gateway.now) this.#refuse(end, CLOSE.protocol);
    }
  }

  tellBinding(posId: string): void {
    for (const end of this.#ends.values()) this.send(end, { type: "binding", posId });
  }

  send(end: End, frame: DownFrame): void {
    this.#gateway.say({ kind: "frame", connection: end.connection, frame });
  }

  close(end: End, code: number): void {
    this.#ends.delete(end.connection);
    this.send(end, { type: "close", code });
  }

  #refuse(end: End, code: number): void {
    this.close(end, code);
    this.#gateway.lane.take({ kind: "lost", connection: end.number });
  }

  #hello(end: End, frame: Extract<UpFrame, { type: "hello" }>): void {
    const { number } = end;
    const { now, lane, record } = this.#gateway;
    if (end.saidHello || frame.nonce !== String(number)) return this.#refuse(end, CLOSE.protocol);
    if (now - end.openedAt >= HELLO_WITHIN) return this.#refuse(end, CLOSE.protocol);
    if (number < (lane.lane.link.current?.number ?? 0)) return this.#refuse(end, CLOSE.superseded);
    for (const earlier of this.#ends.values()) {
      if (earlier.number < number) this.close(earlier, CLOSE.superseded);
    }
    end.saidHello = true;
    end.heardAt = now;
    const { memory } = frame;
    Object.assign(record, { currentConnection: number, memory, ...VERSIONS });
    this.send(end, { type: "ready" });
    const { unknown: _unknown, ...listed } = sortOpenRequests(frame.open, (requestId) => lane.find(requestId));
    lane.take({ kind: "hello", connection: number, roundTrip: 0, memory, ...listed, ...VERSIONS });
  }

  #report(end: End, frame: Exclude<UpFrame, { type: "hello" | "ping" }>): void {
    const { lane } = this.#gateway;
    if (frame.type === "pong") return void lane.take({ kind: "pong" });
    const { requestId } = frame;
    const transaction = lane.find(requestId);
    switch (frame.type) {
      case "accepted":
        return void lane.take({ kind: "accepted", requestId, transaction });
      case "refused": {
        const { attempt, reason } = frame;
        return void lane.take({ kind: "refused", requestId, attempt, reason, transaction });
      }
      case "progress":
        return void lane.take({ kind: "progress", requestId, stage: frame.stage, transaction });
      case "result":
        if (frame.forged === true) this.send(end, { type: "error", code: "bad_signature", requestId });
        else if (transaction === null || transaction.attempt === 0) this.#orphan(requestId, frame.statusCode);
        else lane.take({ kind: "result", requestId, transaction, report: reportOf(frame), kept: KEPT });
    }
  }

  /** I4: a result that the terminal may forget is kept. */
  #orphan(requestId: number, statusCode: StatusCode): void {
    this.#gateway.lane.take({ kind: "orphan", requestId, statusCode, kept: KEPT });
    if (this.#gateway.journal.holdsOrphan(requestId)) return;
    throw new Violation("I4", `a result of ${requestId} is to be forgotten, and nowhere kept`);
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

class PureTills {
  readonly #gateway: PureGateway;
  readonly #waiters = new Map<number, Waiter>();

  constructor(gateway: PureGateway) {
    this.#gateway = gateway;
  }

  ask({ ask, message, detached, arrivedAt }: Asking): void {
    const reply = this.#put(message, detached, arrivedAt);
    if (reply.kind === "refused") this.#answer(ask, { kind: "refused", code: reply.code });
    else if (reply.kind === "answered") this.#tell(ask, reply.about.requestId, reply.outcome);
    else if (detached) this.#tell(ask, reply.about.requestId, reply.standing);
    else this.#waiters.set(ask, { message, arrivedAt, reply, until: this.#gateway.now + reply.forMilliseconds });
  }

  hangUp(ask: number): void {
    const requestId = this.#waiters.get(ask)?.reply?.about.requestId;
    this.#waiters.delete(ask);
    if (requestId !== undefined && !this.isWaitedFor(requestId))
      this.#gateway.lane.take({ kind: "caller-gone", requestId });
  }

  /** The asker's own shorter wait is over. */
  giveUp(ask: number): void {
    const waiter = this.#waiters.get(ask);
    if (waiter === undefined || waiter.reply === null) return;
    const { about, standing } = waiter.reply;
    this.#tell(ask, about.requestId, standing);
    this.#gateway.lane.take({ kind: "caller-detached", requestId: about.requestId });
  }

  /** The waiter is to ask again. */
  breakAll(): void {
    for (const [ask, waiter] of this.#waiters) {
      waiter.reply = null;
      this.#gateway.say({ kind: "broken", ask });
    }
  }

  resubmit(ask: number): void {
    const waiter = this.#waiters.get(ask);
    if (waiter === undefined) return;
    const { message, arrivedAt } = waiter;
    this.ask({ ask, message, arrivedAt, detached: false });
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
  passTime(): void {
    for (const [ask, { reply, until }] of this.#waiters) {
      if (reply !== null && until <= this.#gateway.now) this.#tell(ask, reply.about.requestId, reply.standing);
    }
  }

  nextEnd(): number {
    return Math.min(...this.#waiting.map(({ until }) => until));
  }

  #put(message: Message, detached: boolean, arrivedAt: number): TransferReply {
    const call = objectCall(message, message.pos, detached, arrivedAt);
    const { stores, lane } = this.#gateway;
    const event = lookUp(stores, call);
    if (event === null) throw new Error("numbers are never short here");
    return transferReply(stores, call, lane.take(event));
  }

  #tell(ask: number, requestId: number, outcome: Outcome): void {
    const row = this.#gateway.journal.byRequestId(requestId);
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
    this.#gateway.notice(`shown: ${worded(answer)}`);
    this.#gateway.say({ kind: "answer", ask, answer });
  }
}

/** The gateway's own codes have names, a terminal's have digits, which are not distinguished. */
function worded(answer: Answer): string {
  if (answer.kind === "refused") return `refused ${answer.code}`;
  const { statusCode, responseCode } = answer;
  return /^[A-Z]/u.test(responseCode) ? `${statusCode} ${responseCode}` : statusCode;
}

export class PureGateway {
  readonly record: PureRecord = {
    posId: "P",
    nextNumber: 1_000_000_000,
    connections: 0,
    currentConnection: null,
    memory: "",
    lostAt: null,
    softwareVersion: "unknown",
    terminalSn: "unknown",
  };
  readonly journal = new MemoryJournal();
  readonly connections = new PureConnections(this);
  readonly posPrograms = new PureTills(this);
  readonly lane = new PureLane(this);
  readonly stores: TransferStores;
  readonly notice: Notice;
  #outputs: Output[] = [];
  now: number;

  constructor({ life }: Setting, now: number, notice: Notice) {
    this.now = now;
    this.notice = notice;
    const { record, journal, lane } = this;
    const records = {
      get nextNumber() {
        return record.nextNumber;
      },
      get record() {
        return recordOf(record);
      },
    };
    this.stores = { journal, records, lane, life };
  }

  say(output: Output): void {
    this.#outputs.push(output);
  }

  /** Carries one call out; returns what the gateway says to it, and when it wants to be woken. */
  perform(call: Call): { outputs: Output[]; alarmAt: number | null } {
    this.#outputs = [];
    this.#call(call);
    const next = Math.min(this.lane.next ?? Infinity, this.connections.nextSilence(), this.posPrograms.nextEnd());
    return { outputs: this.#outputs, alarmAt: next === Infinity ? null : next };
  }

  #call(call: Call): void {
    const { now, lane, connections, posPrograms } = this;
    switch (call.kind) {
      case "ask":
        return posPrograms.ask(call);
      case "hang-up":
        return posPrograms.hangUp(call.ask);
      case "give-up":
        return posPrograms.giveUp(call.ask);
      case "resubmit":
        return posPrograms.resubmit(call.ask);
      case "open":
        return connections.open(call.connection);
      case "end":
        return connections.ended(call.connection);
      case "frame":
        return connections.receive(call.connection, call.frame);
      case "time":
        this.now = call.now;
        lane.mustHaveNothingToDo();
        return posPrograms.passTime();
      case "alarm":
        connections.closeSilent();
        return void lane.take({ kind: "deadline" });
      case "prepare":
        return call.pos === this.record.posId ? lane.prepare() : undefined;
      case "crash":
        connections.drop();
        posPrograms.breakAll();
        return lane.restart();
      case "hibernate":
        return lane.reload();
      case "resolve": {
        const { requestId, statusCode } = call;
        const resolution = { requestId, statusCode, reason: "the operator knows", operator: "the operator" };
        const reports = { of: () => [], orphans: () => [] };
        const outcome = resolveTransaction({ journal: this.journal, reports, lane }, resolution, now);
        return void this.#outputs.unshift({ kind: "resolved", requestId, done: outcome.kind === "resolved" });
      }
      case "suspend":
        return void lane.take({ kind: "suspended", posId: call.pos });
      case "rebind":
        return this.#rebind(call.pos);
    }
  }

  #rebind(pos: string): void {
    const wanted = { ...MERCHANT, posId: pos };
    const done =
      judgeBind({ record: recordOf(this.record), lane: this.lane.lane }, wanted, "move", this.now).kind === "bound";
    if (done && this.record.posId !== pos) {
      this.record.posId = pos;
      this.notice("rebound");
      this.connections.tellBinding(pos);
    }
    this.#outputs.push({ kind: "rebound", pos, done });
  }
}

/** The part of the object's record that is looked at here. */
function recordOf({ posId }: PureRecord): TerminalRecord {
  return { sealedSecret: "sealed", binding: { ...MERCHANT, posId } } as TerminalRecord;
}
