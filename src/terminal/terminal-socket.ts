/** The messages of a terminal's socket: refuses what is not a frame of the protocol, and passes on the rest. */
import { log } from "../outcomes/log.ts";
import { CLOSE } from "../protocol/close-codes.ts";
import { BAD_FRAMES, FRAME_BYTES } from "../protocol/limits/connections.ts";
import { parseJson, type JsonObject } from "../signing/json.ts";
import type { TerminalConnection } from "./connections.ts";
import { PING, PONG } from "../protocol/frames.ts";
import { terminalFrame, type TerminalFrame } from "./frames.ts";
import { hello } from "./handshake.ts";
import { report } from "./reports.ts";
import { type Closing, hangUp, type TerminalSide } from "./terminal-side.ts";
import { takeFrame } from "./throttle.ts";

/** A message that a terminal has sent, as the object understands it. */
export type Message =
  | { kind: "frame"; frame: TerminalFrame; signed: JsonObject }
  | { kind: "ping" }
  | { kind: "pong" }
  /** The message is JSON, and no frame of the protocol. */
  | { kind: "bad"; problem: string }
  /** The message breaks the protocol, and the connection is closed. */
  | ({ kind: "violation" } & Closing);

export function readMessage(message: string | ArrayBuffer): Message {
  if (typeof message !== "string") return NOT_JSON;
  if (Buffer.byteLength(message) > FRAME_BYTES) return TOO_BIG;
  if (message === PING) return { kind: "ping" };
  if (message === PONG) return { kind: "pong" };
  const parsed = parseJson(message);
  if (!parsed.ok) return isJson(message) ? { kind: "bad", problem: "" } : NOT_JSON;
  const frame = terminalFrame.safeParse(parsed.value);
  if (frame.success) return { kind: "frame", frame: frame.data, signed: parsed.value as JsonObject };
  const [issue] = frame.error.issues;
  return { kind: "bad", problem: issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}` };
}

const NOT_JSON: Message = { kind: "violation", code: CLOSE.protocol, reason: "frames are JSON text" };
const TOO_BIG: Message = { kind: "violation", code: CLOSE.tooBig, reason: "a frame has at most 64 KiB" };

/** Whether a message only shows how far its request is, which is stored on the connection (`lane/shown.ts`). */
export function rarelyWrites(message: Message): boolean {
  return message.kind === "frame" && (message.frame.type === "accepted" || message.frame.type === "progress");
}

export function receive(side: TerminalSide, connection: TerminalConnection, message: Message, now: number): void {
  const { connections, lane } = side;
  const { socket, attachment } = connection;
  if (attachment.closed) return;
  const allowance = takeFrame(attachment.allowance, now);
  if (allowance === null) return hangUp(side, connection, { code: CLOSE.protocol, reason: "too many frames" }, now);
  if (message.kind === "violation") return hangUp(side, connection, message, now);
  const isCurrent = attachment.saidHello && attachment.number === lane.currentConnection;
  connections.update(socket, { allowance, ...(isCurrent ? { heardAt: now, probedAt: null, pingedAt: null } : {}) });
  switch (message.kind) {
    case "ping":
      return connections.sendText(socket, PONG);
    case "pong":
      if (isCurrent) lane.take({ kind: "pong" }, now);
      return;
    case "bad":
      // Frames of a connection that is not the current one are ignored, except a hello that could make it current.
      if (isCurrent || !attachment.saidHello) reject(side, connection, message.problem, now);
      return;
    case "frame": {
      const { frame, signed } = message;
      if (frame.type === "hello") hello(side, connection, { frame, signed }, now);
      else if (isCurrent) report(side, socket, { frame, signed }, now);
      return;
    }
  }
}

/** Explains what is wrong with a frame, a few times on each connection. */
function reject(side: TerminalSide, connection: TerminalConnection, problem: string, now: number): void {
  const { socket, attachment } = connection;
  const badFrames = attachment.badFrames + 1;
  if (badFrames >= BAD_FRAMES)
    return hangUp(side, connection, { code: CLOSE.protocol, reason: "too many bad frames" }, now);
  side.connections.update(socket, { badFrames });
  log("warning", "bad-frame", { terminal: side.records.terminalId });
  const explanation = `The frame is not one of this protocol. ${problem}`.trim();
  side.connections.sendError(socket, "bad_frame", explanation);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
