/**
 * The real lane, kept as the object keeps it: rows are written before effects are carried out, the link outlives what
 * it must, and after every step the next deadline is judged.
 */
import { Violation } from "./oracle.ts";
import { buildRequestFrame } from "../../src/gateway/terminal/frames.ts";
import { holdsLaneUntil } from "../../src/gateway/terminal/lane/lane.ts";
import {
  type Effect,
  type EventKind,
  type StoredAs,
  type Lane,
  type LaneEvent,
  type ReplyTo,
  type LaneTransaction,
  currentAnswer,
  nextDeadline,
  withActivity,
  isPrewarmUseful,
  step,
} from "../../src/gateway/terminal/lane/index.ts";
import { takenAt } from "../../src/gateway/terminal/lane/lane.ts";
import type { TransferStores } from "../../src/gateway/terminal/answer-transfer.ts";
import type { JournalStores } from "../../src/gateway/terminal/journal-views.ts";
import type { PureGateway } from "./pure-gateway.ts";
import { type DownFrame, keyOf } from "./vocabulary.ts";
import { SEND_BEFORE_END } from "../../src/gateway/terminal/lane/queue.ts";

type LookUps = TransferStores["journal"] & JournalStores["journal"];

export class MemoryJournal implements LookUps {
  readonly #rows = new Map<number, LaneTransaction>();
  readonly #references = new Map<string, number>();
  readonly #kept = new Set<number>();
  readonly #orphan = new Set<number>();

  /** I2: a completed row is never written again. I1: a reference has one row. */
  write(transaction: LaneTransaction): void {
    const { requestId, posId, referenceId } = transaction;
    if (this.#rows.get(requestId)?.state === "completed") {
      throw new Violation("I2", `${requestId} is completed and written again: ${JSON.stringify(transaction)}`);
    }
    const key = keyOf(posId, referenceId);
    const known = this.#references.get(key);
    if (known !== undefined && known !== requestId) {
      throw new Violation("I1", `${key} has a row ${known}, and ${requestId} is written`);
    }
    this.#references.set(key, requestId);
    this.#rows.set(requestId, transaction);
  }

  keep(requestId: number, as: StoredAs): void {
    (as === "orphan" ? this.#orphan : this.#kept).add(requestId);
  }

  holdsOrphan(requestId: number): boolean {
    return this.#orphan.has(requestId);
  }

  /** I4: a report with this status could be acknowledged: it is in the row, or kept beside it. */
  holds(requestId: number, statusCode: string): boolean {
    const row = this.#rows.get(requestId);
    if (row?.state === "completed" && row.outcome?.statusCode === statusCode) return true;
    return this.#kept.has(requestId);
  }

  open(): Map<number, LaneTransaction> {
    return new Map([...this.#rows].filter(([, { state }]) => state !== "completed").toSorted(([a], [b]) => a - b));
  }

  byRequestId(requestId: number): LaneTransaction | null {
    return this.#rows.get(requestId) ?? null;
  }

  byReference(posId: string, referenceId: string): LaneTransaction | null {
    const requestId = this.#references.get(keyOf(posId, referenceId));
    return requestId === undefined ? null : this.byRequestId(requestId);
  }

  newestThatReached(posId: string): LaneTransaction | null {
    const reached = this.page().filter((row) => row.posId === posId && row.reached && row.transType !== null);
    return reached.toSorted((a, b) => a.requestId - b.requestId).at(-1) ?? null;
  }

  listVoids(requestId: number): LaneTransaction[] {
    return this.page().filter(({ transType, terms }) => transType === "void" && terms.transId === String(requestId));
  }

  hasTransactions(posId: string): boolean {
    return this.page().some((row) => row.posId === posId);
  }

  page(): LaneTransaction[] {
    return [...this.#rows.values()];
  }
}

/** What happened that is worth counting. */
export type Notice = (what: string) => void;

/** What of the object's record a lane needs; it outlives a crash, as in SQL. */
export interface PureRecord {
  posId: string;
  nextNumber: number;
  connections: number;
  currentConnection: number | null;
  memory: string;
  lostAt: number | null;
  softwareVersion: string;
  terminalSn: string;
}

/** The gateway's end of an open connection. */
export interface End {
  /** The world's number of it; the gateway counts for itself. */
  readonly connection: number;
  readonly number: number;
  readonly openedAt: number;
  saidHello: boolean;
  heardAt: number;
  probedAt: number | null;
  pingedAt: number | null;
}

function currentOf({ number, heardAt, probedAt, pingedAt }: End, memory: string): Lane["link"]["current"] {
  return { number, memory, heardAt, roundTrip: 0, probedAt, pingedAt };
}

export class PureLane {
  readonly #gateway: PureGateway;
  #cached: Lane | null = null;
  /** The next deadline after the last step. */
  next: number | null = null;
  /**
   * Something happened that makes no step: a heartbeat, or a frame that is not believed, in place of the answer to a
   * probe (the probe's own alarm finds it), or a restart.
   */
  hasMissedSomething = false;

  constructor(gateway: PureGateway) {
    this.#gateway = gateway;
  }

  get lane(): Lane {
    this.#cached ??= this.#load();
    const { current } = this.#cached.link;
    const end = current === null ? null : this.#gateway.connections.endByNumber(current.number);
    const { open, link } = this.#cached;
    return end === null ? this.#cached : { open, link: withActivity(link, end.heardAt) };
  }

  /** Sends a ping ahead of a request that may come. It changes nothing that anything waits for. */
  prepare(): void {
    const { now } = this.#gateway;
    const { open, link } = this.lane;
    const end = this.#currentEnd(this.lane);
    if (link.current === null || end === null || !isPrewarmUseful(link, now)) return;
    const pinged = { open, link: { ...link, current: { ...link.current, pingedAt: now } } };
    const before = [nextDeadline(this.lane, now), nextDeadline(pinged, now)];
    if (before[0] !== before[1]) throw new Violation("alarm", `a ping sent ahead moved the deadline to ${before[1]}`);
    this.#cached = pinged;
    end.pingedAt = now;
    this.#gateway.notice("ping sent ahead");
    this.#gateway.connections.send(end, { type: "ping" });
  }

  get isGreeting(): boolean {
    return this.#gateway.connections.silent.length > 0;
  }

  find(requestId: number): LaneTransaction | null {
    return this.lane.open.get(requestId) ?? this.#gateway.journal.byRequestId(requestId);
  }

  take<Kind extends EventKind>(event: LaneEvent<Kind>, now = this.#gateway.now): ReplyTo<Kind> {
    const before = this.lane;
    const result = step(before, event, now);
    this.#cached = result.lane;
    this.hasMissedSomething = false;
    for (const transaction of result.changed) {
      mustCountStatuses(before.open.get(transaction.requestId), transaction);
      if (transaction.requestId >= this.#gateway.record.nextNumber)
        this.#gateway.record.nextNumber = transaction.requestId + 1;
    }
    const { link } = result.lane;
    for (const transaction of result.changed) this.#gateway.journal.write(transaction);
    const { record } = this.#gateway;
    if (record.currentConnection !== null && link.current === null) {
      Object.assign(record, { currentConnection: null, lostAt: link.lostAt });
    }
    for (const effect of result.effects) this.#execute(effect, result.lane, now);
    for (const transaction of result.changed) {
      this.mustBeAnswered(transaction);
      this.#count(before.open.get(transaction.requestId), transaction);
    }
    this.#setNext(result.lane, now);
    if (this.next !== null && this.next <= now) {
      throw new Violation("alarm", `the next deadline was ${now - this.next} ms ago`);
    }
    return result.reply;
  }

  #setNext(lane: Lane, now: number): void {
    this.next = nextDeadline(lane, now);
  }

  /** I3: the waiters for a transaction are answered at the moment it is completed. */
  mustBeAnswered({ requestId, state }: LaneTransaction): void {
    if (state === "completed" && this.#gateway.posPrograms.isWaitedFor(requestId)) {
      throw new Violation("I3", `${requestId} is completed, and still waited for`);
    }
  }

  /** As long as the next deadline has not come, an alarm would find nothing to do. */
  mustHaveNothingToDo(): void {
    const { now } = this.#gateway;
    if (this.next !== null && this.next <= now) return;
    if (this.hasMissedSomething) return;
    const { changed, effects } = step(this.lane, { kind: "deadline" }, now);
    if (changed.length + effects.length === 0) return;
    throw new Violation("alarm", `nobody wakes the lane for ${JSON.stringify(changed)} ${JSON.stringify(effects)}`);
  }

  /** The object leaves memory and comes back: the lane is read from journal and connection, and is the same. */
  reload(): void {
    const before = this.lane;
    this.#cached = this.#load();
    const [cached, loaded] = [before, this.lane].map(({ open }) => JSON.stringify([...open.values()]));
    if (cached !== loaded) throw new Violation("I4", `the journal holds ${loaded}, the lane was ${cached}`);
  }

  /** The object has started anew; its connections are gone. */
  restart(): void {
    const { now } = this.#gateway;
    this.reload();
    if (this.#gateway.record.currentConnection === null) return;
    Object.assign(this.#gateway.record, { currentConnection: null, lostAt: now });
    this.#cached = null;
    this.#setNext(this.lane, now);
    // What waited for the answer to a probe now waits for a connection. Its POS, which asks again, learns that.
    this.hasMissedSomething = true;
  }

  #load(): Lane {
    const { currentConnection, memory, lostAt, softwareVersion, terminalSn } = this.#gateway.record;
    const end = currentConnection === null ? null : this.#gateway.connections.endByNumber(currentConnection);
    const current = end && currentOf(end, memory);
    return { open: this.#gateway.journal.open(), link: { current, lostAt, softwareVersion, terminalSn } };
  }

  #execute(effect: Effect, lane: Lane, now: number): void {
    switch (effect.kind) {
      case "send-request":
        this.#mustHaveTheLane(effect.transaction, lane, now);
        return this.#send(lane, frameOf(effect.transaction));
      case "send-ask":
        return this.#send(lane, { type: "ask", requestId: effect.requestId, attempt: effect.attempt });
      case "send-cancel":
        return this.#send(lane, { type: "cancel", requestId: effect.requestId, attempt: effect.attempt });
      case "send-ack":
        if (effect.statusCode !== "22" && !this.#gateway.journal.holds(effect.requestId, effect.statusCode)) {
          throw new Violation("I4", `${effect.statusCode} of ${effect.requestId} is acknowledged, and nowhere kept`);
        }
        return this.#send(lane, { type: "ack", requestId: effect.requestId, statusCode: effect.statusCode });
      case "send-unknown":
        this.#gateway.notice("orphan report");
        return this.#send(lane, { type: "error", code: "unknown_request", requestId: effect.requestId });
      case "probe": {
        const end = this.#currentEnd(lane);
        if (end === null) return;
        this.#gateway.notice(effect.ping ? "probe" : "probe by a ping sent ahead");
        end.probedAt = lane.link.current?.probedAt ?? null;
        return effect.ping ? this.#gateway.connections.send(end, { type: "ping" }) : undefined;
      }
      case "close": {
        const end = this.#gateway.connections.endByNumber(effect.connection);
        return end === null ? undefined : this.#gateway.connections.close(end, effect.code);
      }
      case "conclude":
        return this.#gateway.posPrograms.conclude(
          effect.transaction.requestId,
          currentAnswer(effect.transaction, lane.link),
        );
      case "keep":
        this.#gateway.journal.keep(effect.requestId, effect.as);
        return this.#gateway.notice(`kept as ${effect.as}`);
      case "contradict":
        return this.#gateway.notice("contradicted");
      case "log":
        return this.#gateway.notice(`log: ${effect.event}`);
    }
  }

  /** I5, as the lane itself sees it. */
  #mustHaveTheLane({ requestId }: LaneTransaction, lane: Lane, now: number): void {
    for (const other of lane.open.values()) {
      if (other.requestId !== requestId && now < holdsLaneUntil(other)) {
        throw new Violation("I5", `${requestId} is sent while ${other.requestId} has the lane`);
      }
    }
  }

  #currentEnd({ link }: Lane): End | null {
    return link.current === null ? null : this.#gateway.connections.endByNumber(link.current.number);
  }

  #send(lane: Lane, frame: DownFrame): void {
    const end = this.#currentEnd(lane);
    if (end !== null) this.#gateway.connections.send(end, frame);
  }

  #count(before: LaneTransaction | undefined, transaction: LaneTransaction): void {
    const { notice } = this.#gateway;
    const { state, undelivered, outcome, completedBy } = transaction;
    const code = outcome?.responseCode ?? "";
    if (before === undefined) {
      if (transaction.transType === null) notice("tombstone");
      const tooLate = transaction.endsAt - takenAt(transaction) < SEND_BEFORE_END;
      if (state === "completed" && code === "TERMINAL_BUSY") notice(tooLate ? "too late to be sent" : "queue full");
      if (state === "sent" && transaction.receivedAt < takenAt(transaction)) notice("sent after it was held up");
      return;
    }
    if (undelivered !== null && before.undelivered === null) notice("undelivered decided, not yet believed");
    if (undelivered === null && before.undelivered !== null && state === "accepted") {
      notice("shown to be delivered after all");
    }
    if (state === "pending" && before.state !== "pending") notice(`pending: ${transaction.pendingReason}`);
    if (state !== "completed") return;
    if (before.state === "sent" && code === "TERMINAL_BUSY") notice("refused as busy");
    notice(`completed: ${outcome?.statusCode} ${completedBy === "gateway" ? code : completedBy}`);
    if (before.state === "pending") notice(`completed from pending: ${outcome?.statusCode}`);
  }
}

/** I7: each status has its own revision, and anything else has none. */
function mustCountStatuses(before: LaneTransaction | undefined, after: LaneTransaction): void {
  const { requestId, transType, state, revision } = after;
  const known = before?.revision ?? 0;
  const wrong = (what: string): never => {
    throw new Violation("I7", `${requestId} ${what}: revision ${known}, then ${revision}`);
  };
  if (transType === null) return revision === 0 ? undefined : wrong("is a tombstone and counted");
  if (revision < known) wrong("is counted backwards");
  const isNew =
    state === "completed" ||
    (state === "pending" && before?.state !== "pending") ||
    after.ended !== (before?.ended ?? false);
  if (isNew && revision === known) wrong("has a status that is not counted");
  if (!isNew && revision > known && reported(before) === reported(after)) wrong("is counted without a new status");
}

function reported(row: LaneTransaction | undefined): string {
  return JSON.stringify([row?.ended, row?.pendingReason, row?.outcome]);
}

function frameOf(transaction: LaneTransaction): DownFrame {
  const { requestId, transId, transData, ...frame } = buildRequestFrame(transaction);
  const amount = transData["transAmt"];
  return {
    type: "request",
    requestId: Number(requestId),
    attempt: frame.attempt,
    transType: transaction.transType ?? "sale",
    posId: frame.posId,
    referenceId: frame.referenceId,
    transId: Number(transId),
    amount: amount ?? null,
    deliverBy: frame.deliverBy,
    respondBy: frame.respondBy,
  };
}
