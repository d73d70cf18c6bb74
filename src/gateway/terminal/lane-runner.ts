/**
 * Applies the lane's steps: reads the open rows, writes what a step changed, and only then performs the effects. A step,
 * its rows and its frames belong to one synchronous turn (`turns.ts`): all of it happens, or nothing. The output gate
 * holds the frames until the rows are durable
 * (https://developers.cloudflare.com/durable-objects/best-practices/rules-of-durable-objects/).
 */
import type { Schedule, TurnParticipant } from "../durable/turns.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import { withSignature } from "../../protocol/signing/signature.ts";
import { PING, type GatewayFrame } from "../../protocol/frames.ts";
import { type Connections, sendConclusion, sendStages } from "./connections.ts";
import { buildRequestFrame } from "./frames.ts";
import type { Journal } from "./storage/journal.ts";
import type { StoredReportTable } from "./storage/stored-reports.ts";
import {
  isPrewarmUseful,
  nextDeadline,
  currentAnswer,
  PROBE_AFTER_SILENCE,
  step,
  withActivity,
  type Effect,
  type EventKind,
  type Lane,
  type LaneEvent,
  type ConnectionLink,
  type ReplyTo,
  type LaneStep,
  type LaneTransaction,
} from "./lane/index.ts";
import { log } from "../lib/log.ts";
import type { Retention } from "./retention.ts";
import { lastHeard, type TerminalRecordStore } from "./storage/record.ts";
import type { SecretStore } from "./secret.ts";
import type { Outbox } from "../durable/storage/outbox.ts";
import { enqueueConflict, enqueueOutcome } from "./outcomes.ts";
import { transactionLines } from "./transaction-log.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

interface LaneRunnerParts {
  journal: Journal;
  reports: StoredReportTable;
  records: TerminalRecordStore;
  connections: Connections;
  outbox: Outbox;
  retention: Pick<Retention, "stored">;
  secretStore: Pick<SecretStore, "find">;
}

export class LaneRunner implements TurnParticipant, Schedule {
  readonly #parts: LaneRunnerParts;
  /** The lane as this turn has read and changed it; null before it is read. */
  #lane: Lane | null = null;
  /** The transactions that this turn has completed. */
  readonly #completed = new Map<number, LaneTransaction>();

  constructor(parts: LaneRunnerParts) {
    this.#parts = parts;
  }

  get lane(): Lane {
    const { open, link } = this.#known;
    return { open, link: this.#withActivity(link) };
  }

  #withActivity(link: ConnectionLink): ConnectionLink {
    const socket = this.#currentSocket(link);
    return socket === null ? link : withActivity(link, this.#parts.connections.lastHeard(socket));
  }

  get #known(): Lane {
    this.#lane ??= { open: this.#parts.journal.open(), link: this.#readLink() };
    return this.#lane;
  }

  get currentConnection(): number | null {
    return this.#parts.records.record?.currentConnection ?? null;
  }

  /** Returns the versions that the terminal reported last. */
  get versions(): Pick<ConnectionLink, "softwareVersion" | "terminalSn"> {
    return this.#known.link;
  }

  /** Whether a connection is open that may still say hello. */
  get isGreeting(): boolean {
    return this.#parts.connections.silent().length > 0;
  }

  /** Also finds completed transactions, in the journal. */
  find(requestId: number): LaneTransaction | null {
    const known = this.#completed.get(requestId) ?? this.#known.open.get(requestId);
    return known ?? this.#parts.journal.byRequestId(requestId);
  }

  /** @param report the result that a `keep` effect stores */
  take<Kind extends EventKind>(event: LaneEvent<Kind>, now: EpochMs, report: JsonObject | null = null): ReplyTo<Kind> {
    const { lane } = this;
    const result = step(lane, event, now);
    this.#write(lane, result, report, now);
    this.#lane = result.lane;
    for (const row of result.changed) if (row.state === "completed") this.#completed.set(row.requestId, row);
    this.#logChanges(lane, result);
    for (const after of result.changed) sendStages(this.#parts.connections, lane.open.get(after.requestId), after);
    for (const effect of result.effects) this.#perform(effect, result.lane.link);
    return result.reply;
  }

  /**
   * Pings a silent terminal if the account may ask for a payment soon, so that the answer may be here by then. This
   * takes no turn and writes no row; nothing is read for a terminal that was active moments ago.
   */
  prewarm(posId: string, now: EpochMs): void {
    const { connections, records } = this.#parts;
    if (connections.isHeardSince(now - PROBE_AFTER_SILENCE) || records.record?.binding?.posId !== posId) return;
    const link = this.#withActivity(this.#readLink());
    const socket = isPrewarmUseful(link, now) ? this.#currentSocket(link) : null;
    if (socket !== null) connections.prewarm(socket, now);
  }

  /** Whether SQL has a current connection that is gone, and no turn has recorded its end. */
  get hasLost(): boolean {
    const { connections, records } = this.#parts;
    const number = records.record?.currentConnection ?? null;
    return number !== null && connections.byNumber(number) === null;
  }

  /**
   * A connection that is gone ended with the object's previous instance, or its end has woken the object. This is
   * recorded before anything else is read, so that the turn of the end itself adds to the same row.
   */
  begin(now: EpochMs): void {
    if (this.hasLost) this.#parts.records.update({ currentConnection: null, lostAt: now });
  }

  forget(): void {
    this.#lane = null;
    this.#completed.clear();
  }

  /** A turn can have changed only what it has read. */
  hasChanged(): boolean {
    return this.#lane !== null;
  }

  /** Returns when the alarm must wake the lane. */
  startDue(now: EpochMs): number | null {
    return nextDeadline(this.#known, now);
  }

  #readLink(): ConnectionLink {
    const { records, connections } = this.#parts;
    const { record } = records;
    const number = record?.currentConnection ?? null;
    const kept = number === null ? null : connections.keptOn(number);
    return {
      // The connection counts even if its socket is closed: its end is an event of its own.
      current:
        number === null || record === null
          ? null
          : {
              number,
              memory: record.memory ?? "",
              heardAt: connections.lastHeardOn(number) ?? lastHeard(record) ?? 0,
              roundTrip: kept?.roundTrip ?? 0,
              probedAt: kept?.probedAt ?? null,
              pingedAt: kept?.pingedAt ?? null,
            },
      lostAt: record?.lostAt ?? null,
      softwareVersion: record?.softwareVersion ?? "unknown",
      terminalSn: record?.terminalSn ?? "unknown",
    };
  }

  /** Writes what the step has changed before any frame or answer is sent (I1, I4). */
  #write(before: Lane, { changed, effects, lane }: LaneStep, report: JsonObject | null, now: EpochMs): void {
    const { journal, outbox, retention } = this.#parts;
    for (const transaction of changed) {
      const row = before.open.get(transaction.requestId);
      if (row !== undefined) journal.update(transaction, row);
      else journal.insert(transaction);
      if (transaction.revision > (row?.revision ?? 0)) enqueueOutcome(outbox, transaction, now);
    }
    if (report !== null) this.#writeReport(effects, report, now);
    if (changed.some(({ state }) => state === "completed") || effects.some(({ kind }) => kind === "keep")) {
      retention.stored(now);
    }
    this.#writeLink(lane.link);
  }

  #writeReport(effects: readonly Effect[], report: JsonObject, now: EpochMs): void {
    const { reports, outbox } = this.#parts;
    for (const effect of effects) {
      if (effect.kind === "keep") reports.add(effect.requestId, effect.as, report, now);
      if (effect.kind === "contradict") enqueueConflict(outbox, effect.transaction, report, now);
    }
  }

  /** Writes the end of a connection when the object learns of it, not when it starts again. */
  #writeLink(link: ConnectionLink): void {
    const { records, connections } = this.#parts;
    const { record } = records;
    if (record === null) return;
    const number = link.current?.number ?? null;
    if (record.currentConnection !== null && number === null) {
      const heardAt = connections.lastHeardOn(record.currentConnection) ?? record.heardAt;
      records.update({ currentConnection: null, lostAt: link.lostAt, heardAt });
    }
  }

  #logChanges(before: Lane, { changed }: LaneStep): void {
    const terminal = this.#parts.records.terminalId;
    for (const transaction of changed) {
      for (const line of transactionLines(before.open.get(transaction.requestId), transaction)) {
        log("info", "transaction_changed", { terminal, ...line });
      }
    }
  }

  #currentSocket(link: ConnectionLink): WebSocket | null {
    return link.current === null ? null : this.#parts.connections.byNumber(link.current.number);
  }

  #toTerminal(link: ConnectionLink, frame: GatewayFrame): void {
    const socket = this.#currentSocket(link);
    if (socket !== null) this.#parts.connections.send(socket, frame);
  }

  #perform(effect: Effect, link: ConnectionLink): void {
    switch (effect.kind) {
      case "send-request": {
        const socket = this.#currentSocket(link);
        if (socket === null) return;
        const { connections, secretStore } = this.#parts;
        const signedWith = secretStore.find(connections.terminalAt(socket).secretVersion);
        if (signedWith === null) return;
        connections.send(socket, withSignature(buildRequestFrame(effect.transaction), signedWith.secret));
        return;
      }
      case "send-ask":
        this.#toTerminal(link, { type: "ask", requestId: String(effect.requestId), attempt: effect.attempt });
        return;
      case "send-cancel":
        this.#toTerminal(link, { type: "cancel", requestId: String(effect.requestId), attempt: effect.attempt });
        return;
      case "send-ack":
        this.#toTerminal(link, { type: "ack", requestId: String(effect.requestId), statusCode: effect.statusCode });
        return;
      case "send-unknown": {
        const socket = this.#currentSocket(link);
        const message = "This terminal was never sent this request. Its result is stored. Forget it.";
        if (socket !== null) this.#parts.connections.sendError(socket, "unknown_request", message, effect.requestId);
        return;
      }
      case "probe": {
        const socket = this.#currentSocket(link);
        if (socket === null) return;
        this.#parts.connections.update(socket, { probedAt: link.current?.probedAt ?? null });
        if (effect.ping) this.#parts.connections.sendText(socket, PING);
        return;
      }
      case "close": {
        const socket = this.#parts.connections.byNumber(effect.connection);
        if (socket !== null) this.#parts.connections.close(socket, effect.code, effect.reason);
        return;
      }
      case "conclude": {
        const { transaction } = effect;
        sendConclusion(this.#parts.connections, transaction.requestId, currentAnswer(transaction, link));
        return;
      }
      case "keep":
      case "contradict":
        return;
      case "log":
        log(effect.level, effect.event, {
          terminal: this.#parts.records.terminalId,
          transaction: effect.requestId,
          detail: effect.detail,
        });
        return;
    }
  }
}
