/** Pairs of WebSockets in memory, with what tests and objects use of them. */

type Ending = { code: number; reason: string };

/** What gets what arrives at an end, in place of its own events: an object. */
export interface Owner {
  /** To each such message, in the object's place. */
  answers(pair: WebSocketRequestResponsePair): void;
  message(socket: MemorySocket, text: string): void;
  close(socket: MemorySocket, ending: Ending): void;
}

/** Codes that the platform refuses to send (RFC 6455, section 7.4.1). */
const NEVER_SENT = new Set([1004, 1005, 1006, 1015]);

export class MemorySocket extends EventTarget {
  peer: MemorySocket | null = null;
  #owner: Owner | null = null;
  #attachment: unknown = null;
  /** When the last message was answered in its owner's place, by the real clock, as on the platform. */
  answeredAt: Date | null = null;
  #sentClose = false;
  #gotClose = false;
  /** What has arrived before `accept`. */
  #held: (() => void)[] | null = [];

  get readyState(): number {
    if (this.#sentClose && this.#gotClose) return WebSocket.CLOSED;
    return this.#sentClose || this.#gotClose ? WebSocket.CLOSING : WebSocket.OPEN;
  }

  /** What has arrived comes later: who accepts it listens then. */
  accept(): void {
    setImmediate(() => this.#takeHeld());
  }

  /** Accepted by an object that may sleep. */
  belongTo(owner: Owner): void {
    this.#owner = owner;
    this.#takeHeld();
  }

  #takeHeld(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) event();
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value);
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment);
  }

  send(text: string): void {
    if (this.#sentClose || this.#gotClose) throw new TypeError("the socket is closed");
    const { peer } = this;
    queueMicrotask(() => peer?.arrive(() => peer.takeMessage(text)));
  }

  answer(text: string): void {
    this.answeredAt = new Date(performance.timeOrigin + performance.now());
    this.send(text);
  }

  close(code = 1000, reason = ""): void {
    if (code < 1000 || code > 4999 || NEVER_SENT.has(code)) throw new TypeError(`code ${code}`);
    if (this.#sentClose) return;
    this.#sentClose = true;
    const { peer } = this;
    queueMicrotask(() => peer?.arrive(() => peer.takeClose({ code, reason })));
  }

  /** The connection is gone, without a close frame. */
  break(): void {
    [this.#sentClose, this.#gotClose] = [true, true];
    const { peer } = this;
    queueMicrotask(() => peer?.arrive(() => peer.takeClose({ code: 1006, reason: "" })));
  }

  arrive(event: () => void): void {
    if (this.#held === null) event();
    else this.#held.push(event);
  }

  takeMessage(data: string): void {
    if (this.#owner === null) this.dispatchEvent(Object.assign(new Event("message"), { data }));
    else this.#owner.message(this, data);
  }

  takeClose(ending: Ending): void {
    if (this.#gotClose) return;
    this.#gotClose = true;
    if (this.#owner === null) this.dispatchEvent(Object.assign(new Event("close"), ending));
    else this.#owner.close(this, ending);
  }
}

export function socketPair(): [MemorySocket, MemorySocket] {
  const [one, other] = [new MemorySocket(), new MemorySocket()];
  [one.peer, other.peer] = [other, one];
  return [one, other];
}
