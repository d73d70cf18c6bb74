import { TICK } from "../terminal/transfer-calls.ts";

/** Ticks on a waiting socket when the object has asked for it: the object looks at the clock, and needs no alarm for that. */
export class Ticker {
  readonly #socket: Pick<WebSocket, "send">;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: Pick<WebSocket, "send">) {
    this.#socket = socket;
  }

  /** Once, in so many milliseconds. What was asked for before is forgotten. */
  tickIn(milliseconds: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      try {
        this.#socket.send(TICK);
      } catch {
        // The socket has ended, of which the object is told.
      }
    }, milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
