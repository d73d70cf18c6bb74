import { RESPOND_BEFORE_END } from "../protocol/limits/transfers.ts";
import { parseJson } from "../signing/json.ts";
import type { JsonValue } from "../signing/json.ts";
import { readFrame } from "../client/terminal/frames.ts";
import type { TransactionRequest } from "../client/terminal.ts";
import type { Behaviour, Fault } from "./behaviour.ts";

/** The fate of a text from the terminal. */
export type Fate =
  | { kind: "pass" }
  | { kind: "lose" }
  | { kind: "twice" }
  | { kind: "instead"; text: string }
  | { kind: "later"; milliseconds: number }
  | { kind: "drop" };

const PASS: Fate = { kind: "pass" };

/** How long after a request's end a late result is sent. */
const LATE = 2_000;

interface Faulty {
  fault: Fault;
  /** Epoch milliseconds of the request's end. */
  end: number;
  /** Whether the one-time fault has happened. */
  spent: boolean;
}

/** Decides about every text of a terminal. Outlives a connection, so that a one-time fault happens once. */
export class WireFaults {
  readonly #behaviourOf: (request: TransactionRequest) => Behaviour;
  readonly #now: () => number;
  readonly #faulty = new Map<string, Faulty>();

  constructor(behaviourOf: (request: TransactionRequest) => Behaviour, now: () => number = Date.now) {
    this.#behaviourOf = behaviourOf;
    this.#now = now;
  }

  /** Whether a text from the gateway arrives or the connection drops. */
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

  /** A text from the terminal. */
  outgoing(text: string): Fate {
    const frame = parse(text);
    if (!isAboutRequest(frame)) return PASS;
    const faulty = this.#faulty.get(frame.requestId);
    if (faulty === undefined || faulty.spent) return PASS;
    if (frame.type === "progress" && faulty.fault === "silent-until-asked") return { kind: "lose" };
    return frame.type === "result" ? this.#result(frame, faulty) : PASS;
  }

  #result(frame: object, faulty: Faulty): Fate {
    switch (faulty.fault) {
      case "drop-before-accepted":
        return PASS;
      case "drop-before-result":
        faulty.spent = true;
        return { kind: "drop" };
      case "silent-until-asked":
        return { kind: "lose" };
      case "result-twice":
        faulty.spent = true;
        return { kind: "twice" };
      case "wrong-signature-first":
        faulty.spent = true;
        return { kind: "instead", text: JSON.stringify({ ...frame, signature: "0".repeat(64) }) };
      case "result-late": {
        const milliseconds = faulty.end + LATE - this.#now();
        return milliseconds > 0 ? { kind: "later", milliseconds } : PASS;
      }
      default:
        return faulty.fault satisfies never;
    }
  }
}

function parse(data: unknown): JsonValue {
  const parsed = typeof data === "string" ? parseJson(data) : null;
  return parsed?.ok ? parsed.value : null;
}

function isAboutRequest(frame: JsonValue): frame is { type: JsonValue; requestId: string } {
  return typeof frame === "object" && frame !== null && "requestId" in frame && typeof frame["requestId"] === "string";
}
