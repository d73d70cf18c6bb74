import { RESPOND_BEFORE_END } from "../../protocol/limits.ts";
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from "../../protocol/signing/json.ts";
import { readFrame } from "../client/terminal/frames.ts";
import type { TransactionRequest, SocketEvent, TerminalSocket } from "../client/terminal.ts";
import type { Behaviour, Fault } from "./behaviour.ts";
import type { EpochMs } from "../../protocol/time/units.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

/** What is sent in place of a text from the terminal, each after its delay; or the connection drops. */
export type Fate = { text: string; after: number }[] | "drop";

/** After a request's end. */
const LATE: Milliseconds = 2_000;

interface Faulty {
  fault: Fault;
  /** The request's end. */
  end: EpochMs;
  /** Whether the one-time fault has happened. */
  spent: boolean;
}

/** Outlives a connection, so that a one-time fault happens once. */
export class WireFaults {
  readonly #behaviourOf: (request: TransactionRequest) => Behaviour;
  readonly #now: () => number;
  readonly #faulty = new Map<JsonValue | undefined, Faulty>();

  constructor(behaviourOf: (request: TransactionRequest) => Behaviour, now: () => number = Date.now) {
    this.#behaviourOf = behaviourOf;
    this.#now = now;
  }

  incoming(data: unknown): "pass" | "drop" {
    const reading = readFrame(parse(data));
    if (reading.kind === "bad") return "pass";
    const { frame } = reading;
    if (frame.type === "ask") {
      const asked = this.#faulty.get(frame.requestId);
      if (asked?.fault === "silent-until-asked") asked.spent = true;
    }
    if (frame.type !== "request") return "pass";
    const behaviour = this.#behaviourOf(frame);
    if (behaviour.kind !== "fault" || this.#faulty.has(frame.requestId)) return "pass";
    const end = frame.respondBy + RESPOND_BEFORE_END;
    const drops = behaviour.fault === "drop-before-accepted";
    this.#faulty.set(frame.requestId, { fault: behaviour.fault, end, spent: drops });
    return drops ? "drop" : "pass";
  }

  outgoing(text: string): Fate {
    const frame = parse(text);
    const faulty = this.#faulty.get(frame["requestId"]);
    if (faulty === undefined || faulty.spent) return [{ text, after: 0 }];
    if (frame["type"] === "result") return this.#result(text, frame, faulty);
    return frame["type"] === "progress" && faulty.fault === "silent-until-asked" ? [] : [{ text, after: 0 }];
  }

  #result(text: string, frame: object, faulty: Faulty): Fate {
    faulty.spent = ONCE.has(faulty.fault);
    switch (faulty.fault) {
      case "drop-before-accepted":
        return [{ text, after: 0 }];
      case "drop-before-result":
        return "drop";
      case "silent-until-asked":
        return [];
      case "result-twice":
        return [text, text].map((one) => ({ text: one, after: 0 }));
      case "wrong-signature-first":
        return [{ text: JSON.stringify({ ...frame, signature: "0".repeat(64) }), after: 0 }];
      case "result-late":
        return [{ text, after: Math.max(0, faulty.end + LATE - this.#now()) }];
      default:
        return faulty.fault satisfies never;
    }
  }
}

/** Happens to the first result only. */
const ONCE: ReadonlySet<Fault> = new Set(["drop-before-result", "result-twice", "wrong-signature-first"]);

/** What is not an object is not about a request, like one without members. */
function parse(data: unknown): JsonObject {
  const parsed = typeof data === "string" ? parseJson(data) : null;
  return parsed?.ok && isJsonObject(parsed.value) ? parsed.value : {};
}

type Listener = (event: SocketEvent) => void;
type EventType = "open" | "message" | "close" | "error";

/**
 * Simulates network faults between the client and the gateway. Every text is delayed by `latency` in each
 * direction.
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
    for (const type of ["open", "close", "error"] as const) {
      inner.addEventListener(type, (event) => this.#tell(type, event));
    }
    inner.addEventListener("message", (event) => {
      if (latency === 0) this.#receive(event);
      else setTimeout(() => this.#receive(event), latency);
    });
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
    if (fate === "drop") this.drop();
    else for (const sent of fate) this.#sendAfter(this.#latency + sent.after, sent.text);
  }

  close(code?: number, reason?: string): void {
    if (!this.#cut) this.#inner.close(code, reason);
  }

  /** Neither side receives anything more. Again, it has no effect. */
  drop(): void {
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
