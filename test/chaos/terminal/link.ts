/** A terminal's connection: login, WebSocket, heartbeat. */
import { randomUUID } from "node:crypto";
import { on } from "node:events";
import { WebSocket } from "ws";
import type { Door } from "../gateway/door.ts";
import type { JournalFile, Needles } from "../journal-file.ts";
import type { Wire } from "../journal.ts";
import { datetimeOf, type DeviceClock } from "../shop/clock.ts";
import { call, parsed } from "../wire/http.ts";
import { signed } from "../wire/signature.ts";

const SUBPROTOCOL = "pos-terminal.v1";
const REPLACED = 4001;
const REPLACED_WAIT = 60_000;

/** More often than it must, so that a black hole is noticed within a short run. */
const HEARTBEAT = 8_000;

export interface Identity {
  terminalId: string;
  secret: string;
  door: Door;
  clock: DeviceClock;
  needles: Needles;
  journal: JournalFile;
}

/** Null: the gateway refuses, which may have another end, or does not answer. */
export async function login({ terminalId, secret, door, clock, needles }: Identity): Promise<string | null> {
  const body = signed({ terminalId, datetime: datetimeOf(clock.now()), nonce: randomUUID() }, secret);
  const { status, body: answer } = await call(door.port, { method: "POST", path: "/terminal/login", body });
  const { token, serverTime } = answer;
  if (typeof serverTime === "number") clock.offset = serverTime - Date.now();
  if (status !== 200) return null;
  needles.add("terminal token", token);
  return String(token);
}

export class Link {
  readonly #socket: WebSocket;
  #unanswered = 0;
  /** The requestIds of results that were sent and are not answered yet. */
  readonly #results: unknown[] = [];
  /** Milliseconds that the terminal must wait before the next connection. */
  wait = 0;

  constructor(port: number, token: string) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/terminal/connect`, [SUBPROTOCOL], {
      headers: { Authorization: `Bearer ${token}` },
      handshakeTimeout: 15_000,
      perMessageDeflate: false,
    });
  }

  /** The frames that arrive until the connection or the power is gone. The next one waits until the one before is handled. */
  async *frames(power: AbortSignal): AsyncGenerator<Wire> {
    const socket = this.#socket;
    const cut = (): void => socket.terminate();
    power.addEventListener("abort", cut);
    socket.on("error", cut);
    socket.on("close", (code) => (this.wait = code === REPLACED ? REPLACED_WAIT : 0));
    const heart = setInterval(() => this.#beat(), HEARTBEAT);
    try {
      for await (const [data] of on(socket, "message", { close: ["close"] }) as AsyncIterable<[Buffer]>) {
        const text = data.toString();
        if (text === "ping") socket.send("pong");
        if (text === "pong") this.#unanswered = 0;
        const frame = parsed(text);
        // What has arrived on a connection that is over is thrown away.
        if (frame === null || socket.readyState !== WebSocket.OPEN) continue;
        const answered = frame["type"] === "ack" || frame["type"] === "error" ? frame["requestId"] : null;
        if (!this.hasAnswered(answered)) this.#results.splice(this.#results.indexOf(answered), 1);
        yield frame;
      }
    } catch {
      // It could not be opened, or broke.
    } finally {
      clearInterval(heart);
      power.removeEventListener("abort", cut);
      socket.terminate();
    }
  }

  /** Whether the frame was handed to an open connection. */
  send(frame: Wire): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    if (frame["type"] === "result") this.#results.push(frame["requestId"]);
    return true;
  }

  /** Whether every result for a request that was sent here has its answer. */
  hasAnswered(requestId: unknown): boolean {
    return !this.#results.includes(requestId);
  }

  #beat(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (++this.#unanswered > 2) this.#socket.terminate();
    else this.#socket.send("ping");
  }
}
