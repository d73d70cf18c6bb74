/** The terminal's side of the protocol: a connection from its upgrade over hello to its end, frame by frame. */
import { randomBytes } from "node:crypto";
import { BAD_FRAMES, CONNECTED_WITHIN, FRAME_BYTES, GREETINGS, HELLO_WITHIN } from "../limits.ts";
import { parseJson, type JsonObject } from "../signing/json.ts";
import { verifySignature } from "../signing/signature.ts";
import type { Binding, TerminalStatus } from "./calls.ts";
import { maskCardNumbers } from "./card-data.ts";
import { sendQuietly, type Connections, type TerminalAttachment } from "./connections.ts";
import {
  bindingMembers,
  PING,
  PONG,
  terminalFrame,
  welcomeFrame,
  type GatewayFrame,
  type HelloFrame,
  type ResultFrame,
  type TerminalFrame,
} from "./frames.ts";
import { CLOSE } from "./lane/close-codes.ts";
import { sortListed, type Hello } from "./lane/hello.ts";
import type { Transaction } from "./lane/transaction.ts";
import type { LaneShell } from "./lane-shell.ts";
import { logEvent } from "./log.ts";
import type { TerminalRecord, TerminalRecordStore } from "./record.ts";
import { checkResult, keptReport, RESULT_LENGTHS } from "./result-check.ts";
import { sensitiveMembers, withoutTrackData } from "./sensitive-data.ts";
import { isContested, takeFrame, withTakeover } from "./throttle.ts";

export interface TerminalSocketParts {
  connections: Connections;
  records: TerminalRecordStore;
  lane: LaneShell;
  secret: () => string | null;
}

export class TerminalSocket {
  readonly #parts: TerminalSocketParts;

  constructor(parts: TerminalSocketParts) {
    this.#parts = parts;
  }

  /** Accepts an upgrade that the Worker has authenticated; null, or the answer where the terminal is none (any more). */
  open(socket: WebSocket, headers: Headers, now: number): Response | null {
    const { records, connections, lane } = this.#parts;
    const { record } = records;
    if (record === null || record.sealedSecret === null) return new Response(null, { status: 401 });
    // The token was made with a secret that has been changed since.
    if (headers.get("X-Secret-Version") !== String(record.secretVersion)) return new Response(null, { status: 401 });
    this.#closeOldestGreetings(now);
    const number = record.connections + 1;
    records.update({ connections: number });
    const nonce = randomBytes(16).toString("base64url");
    connections.acceptTerminal(socket, {
      v: 1,
      role: "terminal",
      number,
      nonce,
      openedAt: now,
      saidHello: false,
      closed: false,
      badFrames: 0,
      heardAt: now,
      probedAt: null,
    });
    this.#send(socket, welcomeFrame(record.terminalId, record.binding, nonce, now));
    lane.take({ kind: "greeting", open: true }, now);
    return null;
  }

  /** One message of a terminal. */
  receive(socket: WebSocket, message: string | ArrayBuffer, now: number): { saidHello: boolean } {
    const { connections, lane } = this.#parts;
    const attachment = connections.attachmentOf(socket) as TerminalAttachment;
    const silence = { saidHello: false };
    if (attachment.closed) return silence;
    const allowance = takeFrame(attachment.allowance, now);
    if (allowance === null) return this.#violation(socket, attachment, now, "too many frames");
    if (typeof message !== "string") return this.#violation(socket, attachment, now, "frames are JSON text");
    if (Buffer.byteLength(message) > FRAME_BYTES) {
      this.#close(socket, attachment, CLOSE.tooBig, "a frame has at most 64 KiB", now);
      return silence;
    }
    const isCurrent = attachment.saidHello && attachment.number === lane.currentConnection;
    connections.update(socket, { allowance, ...(isCurrent ? { heardAt: now, probedAt: null } : {}) });
    if (message === PING) {
      sendQuietly(socket, PONG);
      return silence;
    }
    if (message === PONG) {
      if (isCurrent) lane.take({ kind: "pong" }, now);
      return silence;
    }
    const parsed = parseJson(message);
    if (!parsed.ok && !isJson(message)) return this.#violation(socket, attachment, now, "frames are JSON text");
    const frame = parsed.ok ? terminalFrame.safeParse(parsed.value) : null;
    if (!parsed.ok || !frame?.success) {
      // Frames of a connection that is not the current one are ignored, but for a hello that could make it so.
      if (!isCurrent && attachment.saidHello) return silence;
      const problem = frame?.error?.issues[0];
      return this.#badFrame(socket, attachment, now, problem ? `${problem.path.join(".")}: ${problem.message}` : "");
    }
    const signed = parsed.value as JsonObject;
    if (frame.data.type === "hello") return this.#hello(socket, attachment, frame.data, signed, now);
    if (isCurrent) this.#report(socket, frame.data, signed, now);
    return silence;
  }

  /** A connection has ended, closed by whomever. */
  ended(socket: WebSocket, attachment: TerminalAttachment, now: number): void {
    const { connections, lane } = this.#parts;
    if (!attachment.closed) connections.update(socket, { closed: true });
    lane.take({ kind: "lost", connection: attachment.number }, now);
    this.#noticeGreetings(now);
  }

  /** Closes connections that have not said hello in time; returns when the next of them is due. */
  closeSilentGreetings(now: number, within: number): number | null {
    let next: number | null = null;
    for (const { socket, attachment } of this.#parts.connections.terminals()) {
      if (attachment.saidHello) continue;
      const due = attachment.openedAt + within;
      if (due <= now) this.#close(socket, attachment, CLOSE.protocol, "no hello in time", now);
      else next = Math.min(next ?? due, due);
    }
    return next;
  }

  /** Makes room for one more: whoever opens connections and says nothing holds few of them. */
  #closeOldestGreetings(now: number): void {
    const silent = this.#parts.connections.terminals().filter(({ attachment }) => !attachment.saidHello);
    const oldest = silent.toSorted((one, other) => one.attachment.number - other.attachment.number);
    for (const { socket, attachment } of oldest.slice(0, Math.max(0, silent.length - GREETINGS + 1))) {
      this.#close(socket, attachment, CLOSE.protocol, "too many connections without hello", now);
    }
  }

  /** The takeovers up to the hello that is just said; null where it takes over no open connection. */
  #takeovers(now: number): number[] | null {
    const { connections, lane } = this.#parts;
    const current = lane.currentConnection;
    const replaced = connections.terminals().find(({ attachment }) => attachment.number === current);
    if (replaced === undefined) return null;
    const takeovers = withTakeover(replaced.attachment.takeovers, now);
    logEvent(isContested(takeovers) ? "error" : "info", "connection-taken-over", {
      terminal: this.#terminalId(),
      contested: isContested(takeovers),
    });
    return takeovers;
  }

  tellBinding(binding: Binding | null): void {
    for (const { socket } of this.#parts.connections.terminals()) {
      this.#send(socket, { type: "binding", ...bindingMembers(binding) });
    }
  }

  status(now: number): TerminalStatus {
    const { records, lane } = this.#parts;
    const { record } = records;
    const { current } = lane.lane.link;
    const connected = current !== null && now - current.heardAt < CONNECTED_WITHIN;
    return {
      connected,
      connectedSince: connected ? (record?.connectedAt ?? null) : null,
      lastHeartbeat: connected ? current.heardAt : null,
      softwareVersion: record?.softwareVersion ?? null,
      terminalSn: record?.terminalSn ?? null,
      posId: record?.binding?.posId ?? null,
    };
  }

  #hello(
    socket: WebSocket,
    attachment: TerminalAttachment,
    frame: HelloFrame,
    signed: JsonObject,
    now: number,
  ): { saidHello: boolean } {
    const { connections, records, lane } = this.#parts;
    const { number } = attachment;
    if (attachment.saidHello) return this.#violation(socket, attachment, now, "hello is said once");
    // I2: an alarm may come late. A terminal's clock lags by as long as its welcome took, and a promise that it will not
    // begin what it has not taken rests on that being no longer than this.
    if (now - attachment.openedAt >= HELLO_WITHIN) {
      return this.#violation(socket, attachment, now, "no hello in time");
    }
    const secret = this.#parts.secret();
    if (secret === null || frame.nonce !== attachment.nonce || !verifySignature(signed, secret)) {
      return this.#violation(socket, attachment, now, "hello has a wrong nonce or signature");
    }
    // A late hello of an abandoned connection proves nothing, and is never accepted.
    if (number < (lane.currentConnection ?? 0)) {
      this.#close(socket, attachment, CLOSE.superseded, "another connection said hello", now);
      return { saidHello: false };
    }
    const takeovers = this.#takeovers(now);
    connections.closeEarlierThan(number);
    connections.update(socket, { saidHello: true, heardAt: now, ...(takeovers === null ? {} : { takeovers }) });
    const softwareVersion = reported(frame.softwareVersion);
    const terminalSn = reported(frame.terminalSn);
    records.update({ currentConnection: number, memory: frame.memory, connectedAt: now, softwareVersion, terminalSn });
    this.#send(socket, { type: "ready" });
    logEvent("info", "terminal-connected", { terminal: this.#terminalId(), connection: number });
    const event: Hello = {
      kind: "hello",
      connection: number,
      memory: frame.memory,
      ...sortListed(frame.open, (requestId) => this.#parts.lane.find(requestId)),
      softwareVersion,
      terminalSn,
    };
    lane.take(event, now);
    this.#noticeGreetings(now);
    return { saidHello: true };
  }

  #report(socket: WebSocket, frame: Exclude<TerminalFrame, HelloFrame>, signed: JsonObject, now: number): void {
    const { lane } = this.#parts;
    const { requestId } = frame;
    const transaction = this.#parts.lane.find(requestId);
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
        this.#result(socket, frame, signed, transaction, now);
        return;
    }
  }

  #result(
    socket: WebSocket,
    frame: ResultFrame,
    signed: JsonObject,
    transaction: Transaction | null,
    now: number,
  ): void {
    const { requestId } = frame;
    const secret = this.#parts.secret();
    if (secret === null || !verifySignature(signed, secret)) {
      logEvent("warning", "result-with-wrong-signature", { transaction: requestId, terminal: this.#terminalId() });
      this.#send(socket, {
        type: "error",
        code: "bad_signature",
        message: "The result's signature does not hold; sign it anew and send it again.",
        requestId: String(requestId),
      });
      return;
    }
    if (transaction === null || transaction.attempt === 0) {
      this.#parts.lane.take({ kind: "stray", requestId }, now);
      return;
    }
    if (sensitiveMembers(signed).length > 0) {
      // Its maker has to mend it; the result itself must not be lost for it (I4), only what it must not hold.
      logEvent("error", "result-with-sensitive-data", { transaction: requestId, terminal: this.#terminalId() });
    }
    const report = checkResult(frame, transaction, this.#parts.lane.versions, now);
    this.#parts.lane.take({ kind: "result", requestId, transaction, report }, now, keptReport(frame, report));
  }

  #badFrame(socket: WebSocket, attachment: TerminalAttachment, now: number, detail: string): { saidHello: boolean } {
    const badFrames = attachment.badFrames + 1;
    if (badFrames >= BAD_FRAMES) return this.#violation(socket, attachment, now, "too many bad frames");
    this.#parts.connections.update(socket, { badFrames });
    logEvent("warning", "bad-frame", { terminal: this.#terminalId() });
    const message = `The frame is not one of this protocol. ${detail}`.trim();
    this.#send(socket, { type: "error", code: "bad_frame", message });
    return { saidHello: false };
  }

  #violation(socket: WebSocket, attachment: TerminalAttachment, now: number, reason: string): { saidHello: boolean } {
    this.#close(socket, attachment, CLOSE.protocol, reason, now);
    return { saidHello: false };
  }

  #close(socket: WebSocket, attachment: TerminalAttachment, code: number, reason: string, now: number): void {
    logEvent("warning", "connection-closed", { terminal: this.#terminalId(), code, detail: reason });
    this.#parts.connections.close(socket, code, reason);
    this.#parts.lane.take({ kind: "lost", connection: attachment.number }, now);
    this.#noticeGreetings(now);
  }

  #noticeGreetings(now: number): void {
    const { connections, lane } = this.#parts;
    const open = connections.terminals().some(({ attachment }) => !attachment.saidHello);
    if (lane.isGreeting !== open) lane.take({ kind: "greeting", open }, now);
  }

  #terminalId(): TerminalRecord["terminalId"] | undefined {
    return this.#parts.records.record?.terminalId;
  }

  #send(socket: WebSocket, frame: GatewayFrame): void {
    this.#parts.lane.send(socket, frame);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A version or serial number as it is kept: no card data, cut to its length, `unknown` where it is empty. */
function reported(text: string): string {
  const { softwareVersion } = RESULT_LENGTHS;
  return [...maskCardNumbers(withoutTrackData(text))].slice(0, softwareVersion).join("") || "unknown";
}
