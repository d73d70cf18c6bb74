import type { SocketEvent, TerminalSocket } from "../client/terminal.ts";
import type { WireFaults } from "./wire-faults.ts";

type Listener = (event: SocketEvent) => void;
type EventType = "open" | "message" | "close" | "error";

/**
 * A terminal's socket that simulates network faults between the client and the gateway. Every text is delayed by `latency`
 * milliseconds in each direction.
 */
export class FaultySocket implements TerminalSocket {
  readonly #inner: TerminalSocket;
  readonly #faults: WireFaults;
  readonly #latency: number;
  readonly #listeners = new Map<EventType, Listener[]>();
  #cut = false;

  constructor(inner: TerminalSocket, faults: WireFaults, latency = 0) {
    this.#inner = inner;
    this.#faults = faults;
    this.#latency = latency;
    inner.addEventListener("open", (event) => this.#tell("open", event));
    inner.addEventListener("message", (event) => {
      if (latency === 0) this.#receive(event);
      else setTimeout(() => this.#receive(event), latency);
    });
    inner.addEventListener("close", (event) => this.#tell("close", event));
    inner.addEventListener("error", (event) => this.#tell("error", event));
  }

  get readyState(): number {
    return this.#cut ? 3 : this.#inner.readyState;
  }

  addEventListener(type: EventType, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    if (this.#cut) return;
    const fate = this.#faults.outgoing(text);
    switch (fate.kind) {
      case "pass":
        return this.#sendAfter(this.#latency, text);
      case "lose":
        return;
      case "twice":
        this.#sendAfter(this.#latency, text);
        return this.#sendAfter(this.#latency, text);
      case "instead":
        return this.#sendAfter(this.#latency, fate.text);
      case "later":
        return this.#sendAfter(fate.milliseconds, text);
      case "drop":
        return this.drop();
      default:
        return fate satisfies never;
    }
  }

  close(code?: number, reason?: string): void {
    if (!this.#cut) this.#inner.close(code, reason);
  }

  /** Breaks the connection: neither side receives anything more. */
  drop(): void {
    if (this.#cut) return;
    this.#tell("close", { type: "close", code: 1006, reason: "" });
    this.#cut = true;
    this.#inner.close(3100, "simulated loss");
  }

  #sendAfter(milliseconds: number, text: string): void {
    if (milliseconds === 0) {
      this.#inner.send(text);
      return;
    }
    setTimeout(() => {
      if (!this.#cut && this.#inner.readyState === 1) this.#inner.send(text);
    }, milliseconds);
  }

  #receive(event: SocketEvent): void {
    if (this.#cut) return;
    if (this.#faults.incoming(event.data) === "drop") this.drop();
    else this.#tell("message", event);
  }

  #tell(type: EventType, event: SocketEvent): void {
    if (this.#cut) return;
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}
