/** A terminal's connection, from its upgrade to the hello that makes it the current one. */
import { randomBytes } from "node:crypto";
import { freeText } from "../card-data/clean-text.ts";
import { log } from "../outcomes/log.ts";
import { CLOSE } from "../protocol/close-codes.ts";
import { UNCONFIRMED_CONNECTIONS, HELLO_WITHIN } from "../protocol/limits/connections.ts";
import type { JsonObject } from "../signing/json.ts";
import { verifySignature } from "../signing/signature.ts";
import type { Connections, TerminalConnection } from "./connections.ts";
import { welcomeFrame, type HelloFrame } from "./frames.ts";
import { sortListed } from "./lane/index.ts";
import { RESULT_LENGTHS } from "../protocol/lengths.ts";
import { hangUp, type TerminalSide } from "./terminal-side.ts";
import { fullAllowance, isContested, withTakeover } from "./throttle.ts";
import { earliest } from "../objects/turns.ts";

/** What the Worker passes on with an upgrade. */
export interface Upgrade {
  /** The version of the secret that the terminal's token was made with. */
  secretVersion: string | null;
  /** The gateway's address that the terminal used: scheme and host. */
  origin: string;
}

/**
 * Accepts an upgrade that the Worker has authenticated.
 *
 * @returns false if the terminal is retired, or has another secret now
 */
export function openConnection(
  side: TerminalSide,
  socket: WebSocket,
  { secretVersion, origin }: Upgrade,
  now: number,
): boolean {
  const { records, connections, lane } = side;
  const { record } = records;
  if (record === null || record.sealedSecret === null) return false;
  if (secretVersion !== String(record.secretVersion)) return false;
  makeRoom(side, now);
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
    pingedAt: null,
    origin,
    allowance: fullAllowance(now),
    takeovers: [],
    recorded: false,
  });
  connections.send(socket, welcomeFrame(record.terminalId, record.binding, nonce, now));
  // An alarm may come late. What waited in vain until now is TERMINAL_OFFLINE; after the hello it would not be.
  lane.take({ kind: "deadline" }, now);
  return true;
}

/** A valid hello makes its connection the current one and closes all earlier ones. */
export function hello(
  side: TerminalSide,
  connection: TerminalConnection,
  { frame, signed }: { frame: HelloFrame; signed: JsonObject },
  now: number,
): void {
  const { connections, records, lane, secret: readSecret } = side;
  const { socket, attachment } = connection;
  const { number } = attachment;
  const violation = (reason: string): void => hangUp(side, connection, { code: CLOSE.protocol, reason }, now);
  if (attachment.saidHello) return violation("hello is said once");
  // I2: an alarm may come late. A terminal's clock may lag by as long as its welcome took. The proof that it will not start
  // a request that it has not accepted assumes that this is at most HELLO_WITHIN.
  if (now - attachment.openedAt >= HELLO_WITHIN) return violation("no hello in time");
  const secret = readSecret();
  if (secret === null || frame.nonce !== attachment.nonce || !verifySignature(signed, secret)) {
    return violation("hello has a wrong nonce or signature");
  }
  // A late hello on an abandoned connection proves nothing, and is never accepted.
  if (number < (lane.currentConnection ?? 0)) {
    return hangUp(side, connection, { code: CLOSE.superseded, reason: "another connection said hello" }, now);
  }
  const takeovers = takeoversUpTo(side, now);
  connections.closeEarlierThan(number);
  connections.update(socket, { saidHello: true, heardAt: now, ...(takeovers === null ? {} : { takeovers }) });
  const { memory } = frame;
  const softwareVersion = reported(frame.softwareVersion);
  const terminalSn = reported(frame.terminalSn);
  records.update({ currentConnection: number, memory, connectedAt: now, softwareVersion, terminalSn });
  connections.send(socket, { type: "ready" });
  log("info", "terminal-connected", { terminal: records.terminalId, connection: number });
  const { unknown, ...listed } = sortListed(frame.open, (requestId) => lane.find(requestId));
  if (unknown.length > 0) {
    log("warning", "unknown-requests-listed", { terminal: records.terminalId, detail: `${unknown.length}` });
  }
  lane.take({ kind: "hello", connection: number, memory, ...listed, softwareVersion, terminalSn }, now);
  void side.numbers.keep(now);
}

/** Closes connections that have not said hello in time. */
export function closeSilent(side: TerminalSide, now: number): void {
  for (const connection of side.connections.silent()) {
    if (helloDue(connection) <= now)
      hangUp(side, connection, { code: CLOSE.protocol, reason: "no hello in time" }, now);
  }
}

/** When the next hello is due, epoch milliseconds; null if none is awaited. */
export function nextHelloDue(connections: Connections): number | null {
  return earliest(...connections.silent().map(helloDue));
}

/** Makes room for another connection: a client that opens connections without a hello keeps only a few. */
function makeRoom(side: TerminalSide, now: number): void {
  const silent = side.connections.silent();
  const oldest = silent.toSorted((one, other) => one.attachment.number - other.attachment.number);
  for (const connection of oldest.slice(0, Math.max(0, silent.length - UNCONFIRMED_CONNECTIONS + 1))) {
    hangUp(side, connection, { code: CLOSE.protocol, reason: "too many connections without hello" }, now);
  }
}

/** The takeovers up to this hello; null if it takes over no open connection. */
function takeoversUpTo(side: TerminalSide, now: number): number[] | null {
  const { connections, lane, records } = side;
  const current = lane.currentConnection;
  const replaced = connections.terminals().find(({ attachment }) => attachment.number === current);
  if (replaced === undefined) return null;
  const takeovers = withTakeover(replaced.attachment.takeovers, now);
  const contested = isContested(takeovers);
  log(contested ? "error" : "info", "connection-taken-over", { terminal: records.terminalId, contested });
  return takeovers;
}

function helloDue({ attachment }: TerminalConnection): number {
  return attachment.openedAt + HELLO_WITHIN;
}

/** A version or serial number as it is stored: without card data, cut to its length, `unknown` if it is empty. */
function reported(text: string): string {
  return freeText(text, RESULT_LENGTHS.softwareVersion) || "unknown";
}
