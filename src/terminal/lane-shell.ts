/**
 * The thin shell around the lane: keeps its cache, writes what a step changed, and only then carries the effects out.
 * A step, its rows and its frames are one synchronous turn; the output gate holds the frames until the rows are durable
 * (https://developers.cloudflare.com/durable-objects/best-practices/rules-of-durable-objects/).
 */
import type { JsonObject } from "../signing/json.ts";
import { withSignature } from "../signing/signature.ts";
import { sendQuietly, type Connections } from "./connections.ts";
import { PING, requestFrame, type GatewayFrame } from "./frames.ts";
import type { Journal } from "./journal.ts";
import { standing } from "./lane/answers.ts";
import { nextDeadline } from "./lane/deadlines.ts";
import type { Effect, Lane, Link } from "./lane/lane.ts";
import type { Transaction } from "./lane/transaction.ts";
import { heard, step, type LaneEvent, type Step } from "./lane/step.ts";
import { logEvent } from "./log.ts";
import type { TerminalRecordStore } from "./record.ts";
import { transactionLines } from "./transaction-log.ts";
import type { Conclusion } from "./transfer-calls.ts";

export interface LaneShellParts {
  storage: DurableObjectStorage;
  journal: Journal;
  records: TerminalRecordStore;
  connections: Connections;
  /** The terminal's secret, or null once it is retired. */
  secret: () => string | null;
}

export class LaneShell {
  readonly #parts: LaneShellParts;
  #lane: Lane | null = null;

  constructor(parts: LaneShellParts) {
    this.#parts = parts;
  }

  /** The lane as SQL and the sockets have it, with the newest sign of life. */
  get lane(): Lane {
    const lane = this.#known;
    const socket = this.#currentSocket(lane.link);
    return socket === null ? lane : heard(lane, this.#parts.connections.lastHeard(socket));
  }

  get #known(): Lane {
    this.#lane ??= this.#load();
    return this.#lane;
  }

  /** The number of the connection whose hello holds, or null. */
  get currentConnection(): number | null {
    return this.#known.link.current?.number ?? null;
  }

  /** As the terminal last reported them. */
  get versions(): Pick<Link, "softwareVersion" | "terminalSn"> {
    return this.#known.link;
  }

  /** Whether a connection is open that may still say hello. */
  get isGreeting(): boolean {
    return this.#known.link.greeting;
  }

  /** A transaction of the lane or, settled, of the journal. */
  find(requestId: number): Transaction | null {
    return this.#known.open.get(requestId) ?? this.#parts.journal.byRequestId(requestId);
  }

  /**
   * Takes one event through the machine. `report` is the result that an evidence or conflict effect keeps.
   *
   * On any failure the cache is dropped: the next event starts from what SQL holds.
   */
  take(event: LaneEvent, now: number, report: JsonObject | null = null): Step {
    const lane = this.lane;
    this.#lane = null;
    const result = step(lane, event, now);
    this.#write(lane, result, report, now);
    this.#lane = result.lane;
    this.#logChanges(lane, result);
    for (const effect of result.effects) this.#perform(effect, result.lane.link);
    return result;
  }

  /** When the lane has something to do next, epoch milliseconds; null: never. */
  nextDeadline(now: number): number | null {
    return nextDeadline(this.#known, now);
  }

  send(socket: WebSocket, frame: GatewayFrame): void {
    sendQuietly(socket, JSON.stringify(frame));
  }

  #load(): Lane {
    const { journal, records, connections } = this.#parts;
    const { record } = records;
    const sockets = connections.terminals();
    const current = sockets.find(({ attachment }) => attachment.number === record?.currentConnection);
    return {
      open: journal.open(),
      link: {
        current:
          current === undefined || record === null
            ? null
            : {
                number: current.attachment.number,
                memory: record.memory ?? "",
                heardAt: connections.lastHeard(current.socket),
                probedAt: current.attachment.probedAt,
              },
        greeting: sockets.some(({ attachment }) => !attachment.saidHello),
        lostAt: record?.lostAt ?? null,
        softwareVersion: record?.softwareVersion ?? "unknown",
        terminalSn: record?.terminalSn ?? "unknown",
      },
    };
  }

  /** I1, I4: every row is written before any frame or answer leaves, all of a step or nothing. */
  #write(before: Lane, { changed, effects, lane }: Step, report: JsonObject | null, now: number): void {
    const { storage, journal, records } = this.#parts;
    const kept = report === null ? [] : effects.filter((effect) => effect.kind === "keep");
    const write = (): void => {
      for (const transaction of changed) {
        if (before.open.has(transaction.requestId)) journal.update(transaction);
        else journal.insert(transaction, before.open);
      }
      for (const { requestId, as } of kept) if (report !== null) journal.keep(requestId, as, report, now);
    };
    // One statement is a transaction by itself.
    if (changed.length > 1 || kept.length > 0) storage.transactionSync(write);
    else write();
    for (const { requestId } of changed) records.numberTaken(requestId);
    if (changed.some(({ state }) => state === "settled")) journal.prune(now);
    this.#writeLink(lane.link);
  }

  /** The end of a connection is written when the object learns of it, not when it starts anew. */
  #writeLink(link: Link): void {
    const { records } = this.#parts;
    const { record } = records;
    if (record === null) return;
    const number = link.current?.number ?? null;
    if (record.currentConnection !== null && number === null) {
      records.update({ currentConnection: null, lostAt: link.lostAt });
    }
  }

  #logChanges(before: Lane, { changed }: Step): void {
    const terminal = this.#parts.records.record?.terminalId;
    for (const transaction of changed) {
      for (const line of transactionLines(before.open.get(transaction.requestId), transaction)) {
        logEvent("info", "transaction", { terminal, ...line });
      }
    }
  }

  #currentSocket(link: Link): WebSocket | null {
    return link.current === null ? null : this.#parts.connections.byNumber(link.current.number);
  }

  #toTerminal(link: Link, frame: GatewayFrame): void {
    const socket = this.#currentSocket(link);
    if (socket !== null) this.send(socket, frame);
  }

  #perform(effect: Effect, link: Link): void {
    switch (effect.kind) {
      case "send-request": {
        const secret = this.#parts.secret();
        if (secret !== null) this.#toTerminal(link, withSignature(requestFrame(effect.transaction), secret));
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
      case "send-unknown":
        this.#toTerminal(link, {
          type: "error",
          code: "unknown_request",
          message: "This terminal was never sent such a request; forget it.",
          requestId: String(effect.requestId),
        });
        return;
      case "probe": {
        const socket = this.#currentSocket(link);
        if (socket === null) return;
        this.#parts.connections.update(socket, { probedAt: link.current?.probedAt ?? null });
        sendQuietly(socket, PING);
        return;
      }
      case "close": {
        const socket = this.#parts.connections.byNumber(effect.connection);
        if (socket !== null) this.#parts.connections.close(socket, effect.code, effect.reason);
        return;
      }
      case "conclude": {
        const { transaction } = effect;
        const text = JSON.stringify({ outcome: standing(transaction, link) } satisfies Conclusion);
        for (const waiter of this.#parts.connections.waiters(transaction.requestId)) sendQuietly(waiter, text);
        return;
      }
      case "keep":
        return;
      case "log":
        logEvent(effect.level, effect.event, {
          terminal: this.#parts.records.record?.terminalId,
          transaction: effect.requestId,
          detail: effect.detail,
        });
        return;
    }
  }
}
