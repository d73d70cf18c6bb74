import type { WebSocket } from "ws";
import type { JsonObject } from "../../signing/json.ts";
import { CLOSING } from "../times.ts";
import type { Heard } from "./heard.ts";

/** One connection of the terminal, seen from the gateway. */
export class Line {
  readonly number: number;
  readonly openedAt: number = performance.now();
  /** As sent in `welcome`. */
  readonly nonce: string;
  /** The terminal's answer to `welcome`; null before it. */
  hello: Heard | null = null;
  /** Whether the terminal's `ping` is answered. */
  answersPings = true;
  /** When it ended, and with which code as the other side said it; null while it is open. */
  ended: { at: number; code: number } | null = null;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, number: number, nonce: string) {
    this.#socket = socket;
    this.number = number;
    this.nonce = nonce;
  }

  /** It is there, and the terminal has said hello. */
  get usable(): boolean {
    return this.hello !== null && this.ended === null;
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    if (this.ended === null) this.#socket.send(text);
  }

  /** The connection breaks without a word. */
  cut(): void {
    this.#end(1006);
    this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    this.#end(code);
    this.#socket.close(code, reason);
    // A terminal that does not answer the closing is not waited for.
    setTimeout(() => this.#socket.terminate(), CLOSING).unref();
  }

  /** The other side ended it. */
  hasEnded(code: number): void {
    this.#end(code);
  }

  #end(code: number): void {
    this.ended ??= { at: performance.now(), code };
  }
}

/** The requestIds that a hello lists as open; null where the list is none. */
export function openOf(hello: JsonObject | null | undefined): string[] | null {
  const open = hello?.["open"];
  return Array.isArray(open) ? open.map(String) : null;
}
