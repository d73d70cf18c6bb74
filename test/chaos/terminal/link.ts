/** A terminal's connection: login, WebSocket, heartbeat. */
import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import type { JournalFile, Needles } from "../journal-file.ts";
import type { Wire } from "../journal.ts";
import type { Door } from "../gateway/door.ts";
import { datetimeOf, type DeviceClock } from "../shop/clock.ts";
import { call, parsed } from "../wire/http.ts";
import { signed } from "../wire/signature.ts";

const SUBPROTOCOL = "pos-terminal.v1";
const REPLACED = 4001;
const REPLACED_WAIT = 60_000;

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

export interface Listener {
  /** Called one by one: the next frame waits until the one before is handled. */
  onFrame(frame: Wire, link: Link): Promise<void>;
}

/** One open connection. */
export class Link {
  readonly #socket: WebSocket;
  #handled: Promise<void> = Promise.resolve();
  #unanswered = 0;
  /** Results that were sent and not answered yet, by requestId. */
  readonly #results = new Map<unknown, number>();
  #isOver = false;
  #failure: unknown = null;

  private constructor(socket: WebSocket, listener: Listener) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#read(data.toString(), listener));
    socket.on("error", () => socket.terminate());
  }

  /**
   * Connects and listens until the connection is over and everything that it was doing is done. Resolves to the
   * milliseconds that the terminal must wait at least before the next one. Throws what the listener throws.
   */
  static async live(identity: Identity, token: string, power: AbortSignal, listener: Listener): Promise<number> {
    const socket = new WebSocket(`ws://127.0.0.1:${identity.door.port}/terminal/connect`, [SUBPROTOCOL], {
      headers: { Authorization: `Bearer ${token}` },
      handshakeTimeout: 15_000,
      perMessageDeflate: false,
    });
    const closed = new Promise<number>((resolve) => socket.once("close", resolve));
    const link = new Link(socket, listener);
    const cut = (): void => socket.terminate();
    power.addEventListener("abort", cut);
    const heart = setInterval(() => link.#beat(), HEARTBEAT);
    const code = await closed;
    clearInterval(heart);
    power.removeEventListener("abort", cut);
    // What is read from now on is thrown away; what is being written is finished first.
    link.#isOver = true;
    await link.#handled;
    if (link.#failure !== null) throw link.#failure;
    return code === REPLACED ? REPLACED_WAIT : 0;
  }

  /** Whether the frame was handed to an open connection. */
  send(frame: Wire): boolean {
    if (this.#isOver || this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    if (frame["type"] === "result") this.#counts(frame, 1);
    return true;
  }

  /** Whether every result for a request that was sent here has its answer. */
  hasAnswered(requestId: string): boolean {
    return (this.#results.get(requestId) ?? 0) === 0;
  }

  #counts({ requestId }: Wire, more: 1 | -1): void {
    this.#results.set(requestId, (this.#results.get(requestId) ?? 0) + more);
  }

  #read(text: string, listener: Listener): void {
    if (text === "ping") this.#socket.send("pong");
    if (text === "pong") this.#unanswered = 0;
    const frame = parsed(text);
    if (frame === null) return;
    if (frame["type"] === "ack" || frame["type"] === "error") this.#counts(frame, -1);
    this.#handled = this.#handled
      .then(async () => (this.#isOver ? undefined : listener.onFrame(frame, this)))
      .catch((error: unknown) => {
        this.#failure = error;
        this.#socket.terminate();
      });
  }

  #beat(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (++this.#unanswered > 2) this.#socket.terminate();
    else this.#socket.send("ping");
  }
}

/** More often than it must, so that a black hole is noticed within a short run. */
const HEARTBEAT = 8_000;
