/** The two sides of a transfer in the bench: a till that signs and sends, a terminal that approves at once. */
import { WebSocket } from "ws";
import { withSignature } from "../../src/signing/signature.ts";
import { formatDatetime } from "../../src/time/datetime.ts";

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

/** Throws unless the answer says that the sale was approved. */
export function mustBeApproved(answer: string): void {
  const { statusCode } = JSON.parse(answer) as { statusCode?: string };
  if (statusCode !== "00") throw new Error(`a sale was not approved: ${answer}`);
}

/** How a terminal works: it reads a request, says `accepted`, and once that has left, its signed result. */
export class Terminal {
  readonly #secret: string;
  readonly #socket: WebSocket;
  readonly #ready = Promise.withResolvers<void>();
  #distance = 0;

  private constructor(secret: string, socket: WebSocket) {
    this.#secret = secret;
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#later(() => this.#take(data.toString())));
    // Once it is connected, the next sale there is not approved, which the till notices.
    socket.on("error", (error) => this.#ready.reject(error));
  }

  /** Connects; returns when the gateway calls the connection the current one. */
  static async connect(url: string, secret: string, token: string): Promise<Terminal> {
    const protocols = ["pos-terminal.v1", token];
    const terminal = new Terminal(secret, new WebSocket(url, protocols, { perMessageDeflate: false }));
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

  #send(text: string): void {
    this.#later(() => this.#socket.send(text));
  }

  heartbeat(): void {
    this.#send("ping");
  }

  close(): void {
    this.#socket.close();
  }

  #take(text: string): void {
    if (text === "pong") return;
    if (text === "ping") {
      this.#send("pong");
      return;
    }
    const frame = JSON.parse(text) as { type: string; requestId: string; attempt: number; nonce: string };
    switch (frame.type) {
      case "welcome":
        this.#sendSigned({ type: "hello", nonce: frame.nonce, ...VERSIONS, memory: "bench-memory", open: [] });
        return;
      case "ready":
        this.#ready.resolve();
        return;
      case "request": {
        const { requestId, attempt } = frame;
        this.#send(JSON.stringify({ type: "accepted", requestId, attempt }));
        setImmediate(() => this.#sendSigned({ ...RESULT, requestId }));
        return;
      }
      case "ack":
      case "binding":
        return;
      default:
        throw new Error(`the gateway sent ${text}`);
    }
  }

  #sendSigned(frame: object): void {
    this.#send(JSON.stringify(withSignature(frame, this.#secret)));
  }
}

const VERSIONS = { softwareVersion: "bench-1.0", terminalSn: "SN-0001" };

const RESULT = {
  type: "result",
  statusCode: "00",
  responseCode: "00",
  responseText: "APPROVED",
  ...VERSIONS,
  transData: {
    paymentChannel: "VISA",
    invNo: "000001",
    batchNo: "000001",
    tid: "10000001",
    mid: "100000000000001",
    entryMode: "contactless",
    rrn: "632500000001",
    apprCode: "A12345",
    tvr: "0000008000",
    appCrypt: "1F2E3D4C5B6A7988",
    aid: "A0000000031010",
    cvmType: "00",
    cardLabel: "VISA CREDIT",
    cardNo: "xxxxxxxxxxxx1111",
    transDateTime: "2026-11-20T18:15:00",
  },
};
