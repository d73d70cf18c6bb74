/** Pairs of WebSockets in memory, with what `npm run path` and objects use of them. */

type Ending = { code: number; reason: string };

/** What gets what arrives at an end, in place of its own events: an object. */
interface Owner {
  message(text: string): void;
  close(ending: Ending): void;
}

export class MemorySocket extends EventTarget {
  peer: MemorySocket | null = null;
  #owner: Owner | null = null;
  #attachment: unknown = null;
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

  /** Accepted by an object. */
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
    this.#reach((peer) => peer.#takeMessage(text));
  }

  close(code = 1000, reason = ""): void {
    if (this.#sentClose) return;
    this.#sentClose = true;
    this.#reach((peer) => peer.#takeClose({ code, reason }));
  }

  #reach(event: (peer: MemorySocket) => void): void {
    const { peer } = this;
    if (peer === null) return;
    queueMicrotask(() => {
      if (peer.#held === null) event(peer);
      else peer.#held.push(() => event(peer));
    });
  }

  #takeMessage(data: string): void {
    if (this.#owner === null) this.dispatchEvent(Object.assign(new Event("message"), { data }));
    else this.#owner.message(data);
  }

  #takeClose(ending: Ending): void {
    if (this.#gotClose) return;
    this.#gotClose = true;
    if (this.#owner === null) this.dispatchEvent(Object.assign(new Event("close"), ending));
    else this.#owner.close(ending);
  }
}

export function socketPair(): [MemorySocket, MemorySocket] {
  const [one, other] = [new MemorySocket(), new MemorySocket()];
  [one.peer, other.peer] = [other, one];
  return [one, other];
}
