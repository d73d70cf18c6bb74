/** The messages of a terminal's socket: refuses what is not a frame of the protocol, and passes on the rest. */
import { log } from "../log.ts";
import { CLOSE } from "../protocol/close-codes.ts";
import { BAD_FRAMES, FRAME_BYTES } from "../protocol/limits/connections.ts";
import { parseJson, type JsonObject } from "../signing/json.ts";
import type { TerminalConnection } from "./connections.ts";
import { PING, PONG } from "../protocol/frames.ts";
import { terminalFrame } from "./frames.ts";
import { hello } from "./handshake.ts";
import { report } from "./reports.ts";
import { hangUp, type TerminalSide } from "./terminal-side.ts";
import { takeFrame } from "./throttle.ts";

const SHOWS = /"type"\s*:\s*"(?:accepted|progress)"/u;

/** No longer one of these: a result may contain any text. */
const LONGEST_SHOWING = 256;

/**
 * Whether a message probably only shows how far its request is, which is stored on the connection (`lane/shown.ts`). A
 * guess: if it is wrong, the turn takes longer.
 */
export function rarelyWrites(message: string | ArrayBuffer): boolean {
  return typeof message === "string" && message.length <= LONGEST_SHOWING && SHOWS.test(message);
}

export function receive(
  side: TerminalSide,
  connection: TerminalConnection,
  message: string | ArrayBuffer,
  now: number,
): void {
  const { connections, lane } = side;
  const { socket, attachment } = connection;
  if (attachment.closed) return;
  const close = (code: number, reason: string): void => hangUp(side, connection, code, reason, now);
  const allowance = takeFrame(attachment.allowance, now);
  if (allowance === null) return close(CLOSE.protocol, "too many frames");
  if (typeof message !== "string") return close(CLOSE.protocol, "frames are JSON text");
  if (Buffer.byteLength(message) > FRAME_BYTES) return close(CLOSE.tooBig, "a frame has at most 64 KiB");
  const isCurrent = attachment.saidHello && attachment.number === lane.currentConnection;
  connections.update(socket, { allowance, ...(isCurrent ? { heardAt: now, probedAt: null } : {}) });
  if (message === PING) return connections.sendText(socket, PONG);
  if (message === PONG) {
    if (isCurrent) lane.take({ kind: "pong" }, now);
    return;
  }
  const parsed = parseJson(message);
  if (!parsed.ok && !isJson(message)) return close(CLOSE.protocol, "frames are JSON text");
  const frame = parsed.ok ? terminalFrame.safeParse(parsed.value) : null;
  if (!parsed.ok || !frame?.success) {
    // Frames of a connection that is not the current one are ignored, except a hello that could make it current.
    if (!isCurrent && attachment.saidHello) return;
    const badFrames = attachment.badFrames + 1;
    if (badFrames >= BAD_FRAMES) return close(CLOSE.protocol, "too many bad frames");
    connections.update(socket, { badFrames });
    log("warning", "bad-frame", { terminal: side.records.terminalId });
    const problem = frame?.error?.issues[0];
    const detail = problem ? `${problem.path.join(".")}: ${problem.message}` : "";
    const explanation = `The frame is not one of this protocol. ${detail}`.trim();
    return connections.sendError(socket, "bad_frame", explanation);
  }
  const signed = parsed.value as JsonObject;
  if (frame.data.type === "hello") hello(side, connection, frame.data, signed, now);
  else if (isCurrent) report(side, socket, frame.data, signed, now);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
