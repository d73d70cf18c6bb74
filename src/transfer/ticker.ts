import { TICK } from "../terminal/transfer-calls.ts";

/** Ticks on a waiting socket when the object has asked for it, so that the object needs no alarm to check the time. */
export class Ticker {
  readonly #socket: Pick<WebSocket, "send">;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: Pick<WebSocket, "send">) {
    this.#socket = socket;
  }

  /** Ticks once after this time. Replaces an earlier request. */
  tickIn(milliseconds: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      try {
        this.#socket.send(TICK);
      } catch {
        // The socket has ended, and the object is told.
      }
    }, milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
