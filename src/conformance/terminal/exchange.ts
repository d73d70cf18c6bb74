import { DELIVER_WITHIN } from "../../protocol/limits/transfers.ts";
import type { JsonObject } from "../../signing/json.ts";
import { withSignature } from "../../signing/signature.ts";
import { USUAL_RESPOND } from "../times.ts";
import type { KitClock } from "./clock.ts";
import type { Counterpart } from "./counterpart.ts";
import { textOf, typeOf, type Heard } from "./heard.ts";
import type { Line } from "./line.ts";

/** A request to the terminal, and every frame from the terminal about it. */
export class Exchange {
  readonly requestId: string;
  /** The request without attempt, times and signature, which change with each sending. */
  readonly request: JsonObject;
  /** `respondBy` of the last sending, epoch milliseconds of the kit's clock. */
  respondBy = 0;
  attempt = 0;
  /** The status of the last acknowledged result. */
  acknowledged = "";
  /** No more frames are expected. */
  abandoned = false;
  readonly #counterpart: Counterpart;
  readonly #clock: KitClock;
  readonly #secret: string;
  /** The index of the first text not looked at yet. */
  #from: number;

  constructor(request: JsonObject, surroundings: { counterpart: Counterpart; clock: KitClock; secret: string }) {
    this.request = request;
    this.requestId = textOf(request, "requestId");
    this.#counterpart = surroundings.counterpart;
    this.#clock = surroundings.clock;
    this.#secret = surroundings.secret;
    this.#from = this.#counterpart.heard.items.length;
  }

  /** Sends it with the next attempt. `changes` are signed; `forge` alters the signed frame. */
  send(line: Line, changes: JsonObject = {}, forge: (signed: JsonObject) => JsonObject = (signed) => signed): void {
    this.#counterpart.known.add(this.requestId);
    this.attempt += 1;
    const now = this.#clock.now();
    const times = { deliverBy: now + DELIVER_WITHIN, respondBy: now + USUAL_RESPOND };
    const frame: JsonObject = { ...this.request, attempt: this.attempt, ...times, ...changes };
    this.respondBy = Number(frame["respondBy"]);
    line.send(forge(withSignature(frame, this.#secret)));
  }

  cancel(line: Line): void {
    line.send({ type: "cancel", requestId: this.requestId, attempt: Math.max(this.attempt, 1) });
  }

  ask(line: Line): void {
    line.send({ type: "ask", requestId: this.requestId, attempt: Math.max(this.attempt, 1) });
  }

  acknowledge(line: Line, statusCode: string): void {
    this.acknowledged = statusCode;
    line.send({ type: "ack", requestId: this.requestId, statusCode });
  }

  /** The next frame about it, of one of `types` if given; null if none arrives in time. */
  async next(within: number, ...types: string[]): Promise<Heard | null> {
    const wanted = (heard: Heard): boolean =>
      this.#isAbout(heard) && (types.length === 0 || types.includes(typeOf(heard)));
    const found = await this.#counterpart.heard.next(wanted, { from: this.#from, within });
    if (found === null) return null;
    this.#from = found.index + 1;
    return found.item;
  }

  /** The next final result. */
  async outcome(within: number): Promise<Heard | null> {
    const end = performance.now() + within;
    for (;;) {
      const result = await this.next(Math.max(0, end - performance.now()), "result");
      if (result === null || isFinal(result)) return result;
    }
  }

  /** Skips everything received so far. */
  skip(): void {
    this.#from = this.#counterpart.heard.items.length;
  }

  /** Every frame about it. */
  get all(): Heard[] {
    return this.#counterpart.heard.items.filter((heard) => this.#isAbout(heard));
  }

  /** Its last final result. */
  get final(): Heard | undefined {
    return this.all.findLast(isFinal);
  }

  #isAbout({ frame }: Heard): boolean {
    return textOf(frame, "requestId") === this.requestId;
  }
}

export function isFinal(heard: Heard): boolean {
  const statusCode = textOf(heard.frame, "statusCode");
  return typeOf(heard) === "result" && (statusCode === "00" || statusCode === "11");
}
