import type { WebSocket } from "ws";
import type { JsonObject } from "../../signing/json.ts";
import { CLOSING } from "../times.ts";
import type { Heard } from "./heard.ts";

/** One connection of the terminal, on the gateway's side. */
export class Line {
  readonly number: number;
  readonly openedAt: number = performance.now();
  /** As sent in `welcome`. */
  readonly nonce: string;
  /** The terminal's answer to `welcome`; null before it. */
  hello: Heard | null = null;
  /** Whether the kit answers the terminal's `ping`. */
  answersPings = true;
  /** When it ended, and the close code that the terminal sent; null while it is open. */
  ended: { at: number; code: number } | null = null;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, number: number, nonce: string) {
    this.#socket = socket;
    this.number = number;
    this.nonce = nonce;
  }

  /** Whether it is open and the terminal has sent hello. */
  get usable(): boolean {
    return this.hello !== null && this.ended === null;
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    if (this.ended === null) this.#socket.send(text);
  }

  /** Breaks the connection without a closing handshake. */
  cut(): void {
    this.#end(1006);
    this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    this.#end(code);
    this.#socket.close(code, reason);
    // Does not wait longer for a terminal that ignores the closing handshake.
    setTimeout(() => this.#socket.terminate(), CLOSING).unref();
  }

  /** Notes that the connection has ended. */
  hasEnded(code: number): void {
    this.#end(code);
  }

  #end(code: number): void {
    this.ended ??= { at: performance.now(), code };
  }
}

/** The requestIds in the `open` list of a hello; null if `open` is not a list. */
export function openOf(hello: JsonObject | null | undefined): string[] | null {
  const open = hello?.["open"];
  return Array.isArray(open) ? open.map(String) : null;
}
