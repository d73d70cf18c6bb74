/** The two sides of a transfer in the bench: a till that signs and sends, a terminal that approves at once. */
import { WebSocket } from "ws";
import { withSignature } from "../../src/signing/signature.ts";
import { formatDatetime } from "../../src/time/datetime.ts";
import { MASKED_RESULT } from "../cost/card-result.ts";
import { type RequestFrame, Terminal as Scripted } from "../support/terminal.ts";

/** A till and its terminal, with everything that either needs. */
export interface Pair {
  posId: string;
  merchantId: string;
  signingKey: string;
  /** Of the one login that this account makes. */
  accessToken: string;
  terminalId: string;
  secret: string;
}

let references = 0;
const run = Date.now().toString(36);

/** A signed sale under a reference that was never used before, as the text that is sent. */
export function saleOf({ posId, merchantId, terminalId, signingKey }: Pair): string {
  const body = {
    transType: "sale",
    posId,
    merchantId,
    deviceId: terminalId,
    referenceId: `${run}-${++references}`,
    transData: { transAmt: "12.50", paymentMethod: "bankCard", note: "two coffees", metadata: "table 7" },
    apiVersion: "v1",
    datetime: formatDatetime(Date.now()),
  };
  return JSON.stringify(withSignature(body, signingKey));
}

/** How a terminal works: it reads a request, says `accepted`, and once that has left, its signed result. */
export class Terminal extends Scripted {
  readonly #ready = Promise.withResolvers<void>();
  /** The reference of every request that it has accepted. */
  readonly asked: string[] = [];
  #distance = 0;

  /** Connects; returns when the gateway calls the connection the current one. */
  static async connect(url: string, secret: string, token: string): Promise<Terminal> {
    const socket = new WebSocket(url, ["pos-terminal.v1", token], { perMessageDeflate: false });
    const terminal = new Terminal({ secret }, socket as never);
    // Once it is connected, the next sale there is not approved, which the till notices.
    socket.on("error", (error) => terminal.#ready.reject(error));
    await terminal.#ready.promise;
    return terminal;
  }

  /** From now on it is so many milliseconds away, there and back. */
  moveAway(milliseconds: number): void {
    this.#distance = milliseconds;
  }

  #later(act: () => void): void {
    if (this.#distance === 0) act();
    else setTimeout(act, this.#distance / 2);
  }

  override send(frame: object | string): void {
    this.#later(() => super.send(frame));
  }

  protected override take(text: string): void {
    this.#later(() => this.#answer(text));
  }

  #answer(text: string): void {
    if (text === "pong") return;
    if (text === "ping") return this.send("pong");
    const frame = JSON.parse(text) as RequestFrame & { nonce: string };
    switch (frame.type) {
      case "welcome":
        return this.sendHello(frame.nonce);
      case "ready":
        return this.#ready.resolve();
      case "request":
        if (Date.now() > frame.deliverBy) return this.refuse(frame, "expired");
        this.asked.push(frame.referenceId);
        this.accept(frame);
        setImmediate(() => this.result(frame, "00", MASKED_RESULT));
        return;
      case "ack":
      case "binding":
        return;
      default:
        throw new Error(`the gateway sent ${text}`);
    }
  }
}
