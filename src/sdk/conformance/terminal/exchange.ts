import type { EpochMs } from "../../../protocol/time/units.ts";
import type { WebSocket } from "ws";
import { DELIVER_WITHIN } from "../../../protocol/limits.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { withSignature } from "../../../protocol/signing/signature.ts";
import { textOf } from "../message.ts";
import { CLOSING, now, USUAL_RESPOND } from "../times.ts";
import type { Counterpart } from "./counterpart.ts";
import { isFinal, typeOf, type Heard } from "./judge.ts";

export class TerminalLine {
  readonly number: number;
  readonly openedAt: number = performance.now();
  /** The nonce that `welcome` had. */
  readonly nonce: string;
  /** The terminal's answer to `welcome`; null before it. */
  hello: Heard | null = null;
  answersPings = true;
  /** `code` is the close code that the terminal sent. It is null while the connection is open. */
  ended: { at: number; code: number } | null = null;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, number: number, nonce: string) {
    this.#socket = socket;
    this.number = number;
    this.nonce = nonce;
  }

  get usable(): boolean {
    return this.hello !== null && this.ended === null;
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    if (this.ended === null) this.#socket.send(text);
  }

  /** Ends the connection without a closing handshake. */
  cut(): void {
    this.end(1006);
    this.#socket.terminate();
  }

  close(code: number, reason: string): void {
    this.end(code);
    this.#socket.close(code, reason);
    // Does not wait longer for a terminal that ignores the closing handshake.
    setTimeout(() => this.#socket.terminate(), CLOSING).unref();
  }

  end(code: number): void {
    this.ended ??= { at: performance.now(), code };
  }
}

export class Exchange {
  readonly requestId: string;
  /** Without attempt, times and signature, which change with each sending. */
  readonly request: JsonObject;
  /** Of the last sending, by the kit's clock. */
  respondBy: EpochMs = 0;
  attempt = 0;
  /** The status of the last acknowledged result. */
  acknowledged = "";
  abandoned = false;
  readonly #counterpart: Counterpart;
  /** The index of the first text not read yet. */
  #from: number;

  constructor(request: JsonObject, counterpart: Counterpart) {
    this.request = request;
    this.requestId = textOf(request, "requestId");
    this.#counterpart = counterpart;
    this.#from = counterpart.heard.items.length;
  }

  /** Sends the request with the next attempt. `changes` are signed; `forge` alters the signed frame. */
  send(
    line: TerminalLine,
    changes: JsonObject = {},
    forge: (signed: JsonObject) => JsonObject = (signed) => signed,
  ): void {
    this.#counterpart.known.add(this.requestId);
    this.attempt += 1;
    const times = { deliverBy: now() + DELIVER_WITHIN, respondBy: now() + USUAL_RESPOND };
    const frame: JsonObject = { ...this.request, attempt: this.attempt, ...times, ...changes };
    this.respondBy = Number(frame["respondBy"]);
    line.send(forge(withSignature(frame, this.#counterpart.secret)));
  }

  cancel(line: TerminalLine): void {
    this.#about(line, "cancel");
  }

  ask(line: TerminalLine): void {
    this.#about(line, "ask");
  }

  #about(line: TerminalLine, type: "cancel" | "ask"): void {
    line.send({ type, requestId: this.requestId, attempt: Math.max(this.attempt, 1) });
  }

  acknowledge(line: TerminalLine, statusCode: string): void {
    this.acknowledged = statusCode;
    line.send({ type: "ack", requestId: this.requestId, statusCode });
  }

  /** The next frame about the request, of one of `types` if given; null if none arrives in time. */
  async next(within: number, ...types: string[]): Promise<Heard | null> {
    return this.#next(within, (heard) => types.length === 0 || types.includes(typeOf(heard)));
  }

  async outcome(within: number): Promise<Heard | null> {
    return this.#next(within, isFinal);
  }

  async #next(within: number, isWanted: (heard: Heard) => boolean): Promise<Heard | null> {
    const wanted = (heard: Heard): boolean => this.#isAbout(heard) && isWanted(heard);
    const found = await this.#counterpart.heard.next({ wanted, from: this.#from, within });
    if (found === null) return null;
    this.#from = found.index + 1;
    return found.item;
  }

  skip(): void {
    this.#from = this.#counterpart.heard.items.length;
  }

  get all(): Heard[] {
    return this.#counterpart.heard.items.filter((heard) => this.#isAbout(heard));
  }

  get final(): Heard | undefined {
    return this.all.findLast(isFinal);
  }

  #isAbout({ frame }: Heard): boolean {
    return textOf(frame, "requestId") === this.requestId;
  }
}
