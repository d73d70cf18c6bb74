import { PING, PONG } from "../../../protocol/frames.ts";
import { parseJson } from "../../../protocol/signing/json.ts";
import { readFrame, type FrameReading } from "./frames.ts";

const OPEN = 1;

/** The code 1006 means that there was no closing handshake. */
export interface Ending {
  code: number;
  reason: string;
}

/**
 * Reads frames strictly one at a time.
 *
 * Reads no frame after it has ended. `ended` resolves only after the current frame has been handled, so that the `open`
 * of the next `hello` is complete: the gateway's promise of `11` depends on that.
 */
export class Connection {
  readonly ended: Promise<Ending>;
  readonly #socket: TerminalSocket;
  readonly #onFrame: (reading: FrameReading, connection: Connection) => Promise<void>;
  #reading = true;
  #frames: Promise<void> = Promise.resolve();
  #finish: (ending: Ending) => void = () => undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #unanswered = 0;

  constructor(socket: TerminalSocket, onFrame: (reading: FrameReading, connection: Connection) => Promise<void>) {
    this.#socket = socket;
    this.#onFrame = onFrame;
    // Node 20 has no Promise.withResolvers.
    this.ended = new Promise((resolve) => (this.#finish = resolve));
    socket.addEventListener("message", (event) => this.#receive(event.data));
    socket.addEventListener("close", (event) => this.#end({ code: event.code ?? 1006, reason: event.reason ?? "" }));
    socket.addEventListener("error", () => this.#end({ code: 1006, reason: "" }));
    if (socket.readyState > OPEN) this.#end({ code: 1006, reason: "" });
  }

  /** Sends only on an open connection. Frames lost with a connection are repeated after the next hello. */
  send(frame: object): void {
    this.#sendText(JSON.stringify(frame));
  }

  close(code: number, reason: string): void {
    this.#end({ code, reason });
    try {
      this.#socket.close(code, reason);
    } catch {
      // The socket is closed already.
    }
  }

  /** Sends `ping` every `seconds`. Closes the connection after two unanswered pings. */
  keepHeartbeat(seconds: number, onBeat: () => void): void {
    clearInterval(this.#heartbeat);
    this.#unanswered = 0;
    this.#heartbeat = setInterval(() => {
      if (this.#unanswered >= 2) {
        this.close(3000, "two unanswered pings");
        return;
      }
      this.#unanswered += 1;
      this.#sendText(PING);
      onBeat();
    }, seconds * 1_000);
  }

  #receive(data: unknown): void {
    if (!this.#reading) return;
    this.#unanswered = 0;
    if (data === PONG) return;
    if (data === PING) {
      // Answers at once, even while a frame is being handled.
      this.#sendText(PONG);
      return;
    }
    this.#frames = this.#frames.then(async () => {
      if (this.#reading) await this.#onFrame(read(data), this);
    });
  }

  #sendText(text: string): void {
    if (!this.#reading || this.#socket.readyState !== OPEN) return;
    try {
      this.#socket.send(text);
    } catch {
      this.#end({ code: 1006, reason: "" });
    }
  }

  #end(ending: Ending): void {
    if (!this.#reading) return;
    this.#reading = false;
    clearInterval(this.#heartbeat);
    void this.#frames.then(() => this.#finish(ending));
  }
}

function read(data: unknown): FrameReading {
  if (typeof data !== "string") return { kind: "bad", why: "not a text" };
  const parsed = parseJson(data);
  return parsed.ok ? readFrame(parsed.value) : { kind: "bad", why: "not JSON" };
}

export interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: string;
}

/** The used part of a WebSocket, of browsers, Node and workers. */
export interface TerminalSocket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: SocketEvent) => void): void;
}

/**
 * Opens a WebSocket, connecting or already open. Replace it in tests, or in a runtime without a `WebSocket`
 * constructor.
 */
export type OpenSocket = (url: string, protocols: string[]) => TerminalSocket | Promise<TerminalSocket>;

export function openPlatformSocket(url: string, protocols: string[]): TerminalSocket {
  return new WebSocket(url, protocols);
}
