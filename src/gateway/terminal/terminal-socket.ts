import { type Allowance, helloDue, type TerminalAttachment, type TerminalConnection } from "./connections.ts";
import type { TerminalContext } from "./context.ts";
import { log } from "../lib/log.ts";
import {
  COUNTED_BYTES,
  FRAME_BURST,
  FRAMES_BEFORE_HELLO,
  FRAMES_PER_SECOND,
  UNCONFIRMED_CONNECTIONS,
  HELLO_WITHIN,
  BAD_FRAMES,
  FRAME_BYTES,
} from "../../protocol/limits.ts";
import { randomBytes } from "node:crypto";
import { maskFreeText } from "../../protocol/card-data/sensitive-data.ts";
import { CLOSE } from "../../protocol/close-codes.ts";
import type { Problem } from "../../protocol/problem.ts";
import { signedForm } from "../../protocol/signing/canonical.ts";
import { type JsonObject, parseJson } from "../../protocol/signing/json.ts";
import { computedForm } from "../../protocol/signing/problems.ts";
import { verifySignature } from "../../protocol/signing/signature.ts";
import { terminalFrame, type HelloFrame, type TerminalFrame } from "../../protocol/terminal-frames.ts";
import { buildWelcomeFrame } from "./frames.ts";
import { sortOpenRequests } from "./lane/index.ts";
import { RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { PING, PONG } from "../../protocol/frames.ts";
import { report } from "./read-reports.ts";
import { MINUTE, type EpochMs } from "../../protocol/time/units.ts";

/** This many takeovers of an open connection within `CONTESTED_WITHIN` suggest two devices with one identity. */
export const CONTESTED_TAKEOVERS = 3;
export const CONTESTED_WITHIN = 10 * MINUTE;

export interface Closing {
  code: number;
  reason: string;
}

export function hangUp(
  context: TerminalContext,
  connection: TerminalConnection,
  { code, reason }: Closing,
  now: EpochMs,
): void {
  const { connections, records, lane } = context;
  connections.close(connection.socket, code, reason);
  lane.take({ kind: "lost", connection: connection.attachment.number }, now);
  log("warning", "connection_closed", { terminal: records.terminalId, code, detail: reason });
}

/** Records the end of a connection that the terminal or the gateway closed. */
export function noticeEnd(
  { connections, records, lane }: TerminalContext,
  { socket, attachment }: TerminalConnection,
  now: EpochMs,
): void {
  const { record } = records;
  const isLatest = record !== null && (record.currentConnection ?? attachment.number) === attachment.number;
  // The platform may no longer list the socket.
  const heardAt = connections.lastHeard(socket);
  if (attachment.saidHello && isLatest && heardAt > (record.heardAt ?? 0)) records.update({ heardAt });
  if (!attachment.closed) connections.update(socket, { closed: true });
  lane.take({ kind: "lost", connection: attachment.number }, now);
}

/**
 * How often a terminal, or a device with its identity, may do something on its connections.
 */

/** Returns null if the frame is more than is left. */
function takeFrame({ frames, at }: Allowance, bytes: number, now: EpochMs): Allowance | null {
  // A clock that was set back neither adds nor removes allowance.
  const refilled = Math.min(FRAME_BURST, frames + (Math.max(0, now - at) / 1_000) * FRAMES_PER_SECOND);
  const taken = Math.max(1, Math.ceil(bytes / COUNTED_BYTES));
  return refilled < taken ? null : { frames: refilled - taken, at: now };
}

/**
 * Charges a frame when it arrives: before it is read, and also if it is ignored.
 *
 * @returns false: the connection has sent too much, and must be closed
 */
export function chargeFrame(
  { connections, lane }: Pick<TerminalContext, "connections" | "lane">,
  { socket, attachment }: TerminalConnection,
  message: string | ArrayBuffer,
  now: EpochMs,
): boolean {
  const bytes = typeof message === "string" ? Buffer.byteLength(message) : message.byteLength;
  const allowance = takeFrame(attachment.allowance, bytes, now);
  if (allowance === null) return false;
  const isCurrent = attachment.number === lane.currentConnection;
  connections.noteArrival(socket, { allowance, ...(isCurrent ? { heardAt: now, probedAt: null } : {}) });
  return true;
}

/**
 * When another connection's hello took over open connections of the terminal, newest last, without old ones. Each
 * connection's attachment passes the list on to the one that takes over.
 */
function withTakeover(takeovers: readonly number[], now: EpochMs): number[] {
  return [...recentTakeovers(takeovers, now), now].slice(-CONTESTED_TAKEOVERS);
}

export function recentTakeovers(takeovers: readonly number[], now: EpochMs): number[] {
  return takeovers.filter((at) => now - at < CONTESTED_WITHIN);
}

/**
 * Whether two devices seem to compete for one identity. A terminal that reconnects after a fault takes over its own old
 * connection once; two devices take over from each other again and again.
 */
export function isContested(takeovers: readonly number[]): boolean {
  return takeovers.length >= CONTESTED_TAKEOVERS;
}

export interface Upgrade {
  /** The version of the secret that the terminal's token was made with. */
  secretVersion: string | null;
  /** The scheme and host of the gateway, as the terminal called it. */
  origin: string;
}

/**
 * The Worker has authenticated the upgrade.
 *
 * @returns false if the terminal is retired, or the secret of its token is no longer valid
 */
export function openConnection(
  context: TerminalContext,
  socket: WebSocket,
  { secretVersion, origin }: Upgrade,
  now: EpochMs,
): boolean {
  const { records, connections, lane, secretStore } = context;
  const { record } = records;
  if (record === null || secretStore.find(Number(secretVersion)) === null) return false;
  makeRoom(context, now);
  const number = record.connections + 1;
  records.update({ connections: number });
  const nonce = randomBytes(16).toString("base64url");
  connections.acceptTerminal(socket, {
    v: 1,
    role: "terminal",
    number,
    nonce,
    secretVersion: Number(secretVersion),
    openedAt: now,
    saidHello: false,
    closed: false,
    badFrames: 0,
    heardAt: now,
    probedAt: null,
    pingedAt: null,
    origin,
    allowance: { frames: FRAMES_BEFORE_HELLO, at: now },
    takeovers: [],
    roundTrip: 0,
  });
  connections.send(socket, buildWelcomeFrame(record.terminalId, record.binding, nonce, now));
  // An alarm may come late. What waited in vain until now is TERMINAL_OFFLINE; after the hello it would not be.
  lane.take({ kind: "deadline" }, now);
  return true;
}

export function acceptHello(
  context: TerminalContext,
  connection: TerminalConnection,
  { frame, signed }: { frame: HelloFrame; signed: JsonObject },
  now: EpochMs,
): void {
  const { connections, records, lane, secretStore } = context;
  const { socket, attachment } = connection;
  const { number } = attachment;
  const violation = (reason: string): void => hangUp(context, connection, { code: CLOSE.protocol, reason }, now);
  if (attachment.saidHello) return violation("hello is said once");
  // I2: an alarm may come late. A terminal's clock may lag by as long as its welcome took. The proof that it will not
  // start a request that it has not accepted assumes that this is at most HELLO_WITHIN.
  if (now - attachment.openedAt >= HELLO_WITHIN) return violation("no hello in time");
  const signedWith = secretStore.find(attachment.secretVersion);
  if (frame.nonce !== attachment.nonce) return violation("hello has a wrong nonce");
  if (signedWith === null || !verifySignature(signed, signedWith.secret)) {
    connections.sendError(
      socket,
      "bad_signature",
      `The signature of hello is wrong. ${computedForm(signedForm(signed))}`,
    );
    return violation("hello has a wrong signature");
  }
  // A late hello on an abandoned connection proves nothing, and is never accepted.
  if (number < (lane.currentConnection ?? 0)) {
    return hangUp(context, connection, { code: CLOSE.superseded, reason: "another connection said hello" }, now);
  }
  const takeovers = takeoversUpTo(context, now);
  connections.closeEarlierThan(number);
  const allowance = connections.lastAllowance ?? { frames: FRAME_BURST, at: now };
  const roundTrip = now - attachment.openedAt;
  connections.update(socket, {
    saidHello: true,
    roundTrip,
    heardAt: now,
    allowance,
    ...(takeovers === null ? {} : { takeovers }),
  });
  const { memory } = frame;
  const softwareVersion = reported(frame.softwareVersion);
  const terminalSn = reported(frame.terminalSn);
  records.update({ currentConnection: number, memory, connectedAt: now, softwareVersion, terminalSn });
  connections.send(socket, { type: "ready" });
  log("info", "terminal_connected", { terminal: records.terminalId, connection: number });
  const { unknown, ...listed } = sortOpenRequests(frame.open, (requestId) => lane.find(requestId));
  if (unknown.length > 0) {
    log("warning", "unknown_requests_listed", { terminal: records.terminalId, detail: `${unknown.length}` });
  }
  lane.take({ kind: "hello", connection: number, roundTrip, memory, ...listed, softwareVersion, terminalSn }, now);
  void context.numbers.keep(now);
}

export function closeSilent(context: TerminalContext, now: EpochMs): void {
  for (const connection of context.connections.silent()) {
    if (helloDue(connection) <= now)
      hangUp(context, connection, { code: CLOSE.protocol, reason: "no hello in time" }, now);
  }
}

/** A client that opens connections without a hello keeps only a few. */
function makeRoom(context: TerminalContext, now: EpochMs): void {
  const silent = context.connections.silent();
  const oldest = silent.toSorted((one, other) => one.attachment.number - other.attachment.number);
  for (const connection of oldest.slice(0, Math.max(0, silent.length - UNCONFIRMED_CONNECTIONS + 1))) {
    hangUp(context, connection, { code: CLOSE.protocol, reason: "too many connections without hello" }, now);
  }
}

/** Returns null if this hello takes over no open connection. */
function takeoversUpTo(context: TerminalContext, now: EpochMs): number[] | null {
  const { connections, lane, records } = context;
  const current = lane.currentConnection;
  const replaced = connections.terminals().find(({ attachment }) => attachment.number === current);
  if (replaced === undefined) return null;
  const takeovers = withTakeover(replaced.attachment.takeovers, now);
  const contested = isContested(takeovers);
  log(contested ? "error" : "info", "connection_taken_over", { terminal: records.terminalId, contested });
  return takeovers;
}

/** A version or serial number as it is stored: without card data, cut to its length, `unknown` if it is empty. */
function reported(text: string): string {
  return maskFreeText(text, RESULT_LENGTHS.softwareVersion) || "unknown";
}

export type SocketMessage =
  | { kind: "frame"; frame: TerminalFrame; signed: JsonObject }
  | { kind: "ping" }
  | { kind: "pong" }
  /** The text is JSON, but no frame of the protocol. */
  | { kind: "bad"; problem: string }
  /** The connection is closed. */
  | ({ kind: "violation" } & Closing);

export function readMessage(message: string | ArrayBuffer): SocketMessage {
  if (typeof message !== "string") return NOT_JSON;
  if (Buffer.byteLength(message) > FRAME_BYTES) return TOO_BIG;
  if (message === PING) return { kind: "ping" };
  if (message === PONG) return { kind: "pong" };
  const parsed = parseJson(message);
  if (!parsed.ok) return isJson(message) ? { kind: "bad", problem: named(parsed.error[0]) } : NOT_JSON;
  const frame = terminalFrame.safeParse(parsed.value);
  if (frame.success) return { kind: "frame", frame: frame.data, signed: parsed.value as JsonObject };
  const [issue] = frame.error.issues;
  return { kind: "bad", problem: issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}` };
}

/** JSON that not every language signs alike, such as a fraction: which member it is. */
function named({ path, message }: Problem = { path: "", message: "" }): string {
  return path === "" ? message : `${path}: ${message}`;
}

const NOT_JSON: SocketMessage = { kind: "violation", code: CLOSE.protocol, reason: "frames are JSON text" };
const TOO_MANY_FRAMES: SocketMessage = {
  kind: "violation",
  code: CLOSE.protocol,
  reason: "too many or too long frames",
};
const TOO_BIG: SocketMessage = { kind: "violation", code: CLOSE.tooBig, reason: "a frame has at most 64 KiB" };

/** @param before the connection as it was before the frame arrived */
export function receive(
  context: TerminalContext,
  before: TerminalConnection,
  text: string | ArrayBuffer,
  now: EpochMs,
): void {
  const { connections, lane } = context;
  const { socket } = before;
  const isWithinAllowance = chargeFrame(context, before, text, now);
  const attachment = connections.attachmentOf(socket) as TerminalAttachment;
  const connection = { socket, attachment };
  const message = isWithinAllowance ? readMessage(text) : TOO_MANY_FRAMES;
  if (message.kind === "violation") return hangUp(context, connection, message, now);
  const isCurrent = attachment.number === lane.currentConnection;
  switch (message.kind) {
    case "ping":
      return connections.sendText(socket, PONG);
    case "pong":
      if (isCurrent) lane.take({ kind: "pong" }, now);
      return;
    case "bad":
      // Frames of a connection that is not the current one are ignored, except a hello that could make it current.
      if (isCurrent || !attachment.saidHello) reject(context, connection, message.problem, now);
      return;
    case "frame": {
      const { frame, signed } = message;
      if (frame.type === "hello") acceptHello(context, connection, { frame, signed }, now);
      else if (isCurrent) report(context, socket, { frame, signed }, now);
      return;
    }
  }
}

/** Rejects frames a few times on each connection. */
function reject(context: TerminalContext, connection: TerminalConnection, problem: string, now: EpochMs): void {
  const { socket, attachment } = connection;
  const badFrames = attachment.badFrames + 1;
  if (badFrames >= BAD_FRAMES)
    return hangUp(context, connection, { code: CLOSE.protocol, reason: "too many bad frames" }, now);
  context.connections.update(socket, { badFrames });
  log("warning", "terminal_frame_rejected", { terminal: context.records.terminalId });
  const explanation = `The frame is not one of this protocol. ${problem}`.trim();
  context.connections.sendError(socket, "bad_frame", explanation);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
