/**
 * The terminal's connections, as the object has them: counted, greeted, superseded, closed; and what comes in on them.
 */
import { UNCONFIRMED_CONNECTIONS, HELLO_WITHIN } from "../../src/protocol/limits/connections.ts";
import { CLOSE } from "../../src/protocol/close-codes.ts";
import type { StatusCode } from "../../src/protocol/status-codes.ts";
import { sortListed, type Report, type Transaction } from "../../src/terminal/lane/index.ts";
import type { MemoryJournal } from "./memory-journal.ts";
import { Violation } from "./oracle.ts";
import type { End, PureLane, PureRecord } from "./pure-lane.ts";
import type { DownFrame, UpFrame } from "./vocabulary.ts";

/** There is always room for reports. */
const KEPT = { as: [], hasRoom: true };
const VERSIONS = { softwareVersion: "model-1.0", terminalSn: "SN-1" };

export class PureConnections {
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
    const silent = [...this.#ends.values()].filter(({ saidHello }) => !saidHello);
    if (silent[0] !== undefined && silent.length >= UNCONFIRMED_CONNECTIONS)
      this.#refuse(silent[0], CLOSE.protocol, lane, now);
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

  isGreeting(): boolean {
    for (const end of this.#ends.values()) if (!end.saidHello) return true;
    return false;
  }

  /** When the next connection has been silent for too long. */
  nextSilence(): number {
    let next = Infinity;
    for (const end of this.#ends.values()) if (!end.saidHello) next = Math.min(next, end.openedAt + HELLO_WITHIN);
    return next;
  }

  closeSilent(lane: PureLane, now: number): void {
    for (const end of this.#ends.values()) {
      if (!end.saidHello && end.openedAt + HELLO_WITHIN <= now) this.#refuse(end, CLOSE.protocol, lane, now);
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
    if (frame.type === "pong") {
      lane.take({ kind: "pong" }, now);
      return;
    }
    const { requestId } = frame;
    const transaction = this.#find(requestId, lane);
    switch (frame.type) {
      case "accepted":
        lane.take({ kind: "accepted", requestId, transaction }, now);
        return;
      case "refused":
        lane.take({ kind: "refused", requestId, attempt: frame.attempt, reason: frame.reason, transaction }, now);
        return;
      case "progress":
        lane.take({ kind: "progress", requestId, stage: frame.stage, transaction }, now);
        return;
      case "result":
        if (frame.forged === true) this.send(end, { type: "error", code: "bad_signature", requestId });
        else if (transaction === null || transaction.attempt === 0) this.#stray(requestId, frame.statusCode, lane, now);
        else lane.take({ kind: "result", requestId, transaction, report: reportOf(frame), kept: KEPT }, now);
        return;
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
