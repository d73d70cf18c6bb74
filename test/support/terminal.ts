/**
 * A terminal that does exactly what a test tells it, right or wrong: frames go out when the test says so, and what
 * comes in waits to be looked at. For terminals that keep their duties by themselves there is the simulated one.
 */
import { withSignature } from "../../src/protocol/signing/signature.ts";
import { patiently } from "./patience.ts";

/** Numbers that no gateway of a test run ever gets to. */
let lastUnknownRequest = 9_000_000_000;

export interface Frame {
  type: string;
  [member: string]: unknown;
}

export interface RequestFrame extends Frame {
  requestId: string;
  attempt: number;
  transType: string;
  transId: string;
  referenceId: string;
  currency: string;
  transData: Record<string, string | number>;
  deliverBy: number;
  respondBy: number;
}

export interface Identity {
  terminalId: string;
  secret: string;
}

/** As much of a WebSocket as is used. */
interface Socket {
  addEventListener(type: "message" | "close", listener: (event: { data: unknown; code: number }) => void): void;
  send(data: string | Uint8Array): void;
  close(code: number): void;
}

export interface HelloOptions {
  memory?: string;
  open?: string[];
  softwareVersion?: string;
  terminalSn?: string;
}

/** On any platform: over a socket that somebody has opened. */
export class Terminal {
  readonly #secret: string;
  readonly #socket: Socket;
  readonly texts: string[] = [];
  readonly #received: (Frame | string)[] = [];
  #changed = Promise.withResolvers<void>();
  /** The code that the connection was closed with, or null. */
  closeCode: number | null = null;

  constructor({ secret }: Pick<Identity, "secret">, socket: Socket) {
    this.#secret = secret;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.take(String(data)));
    socket.addEventListener("close", ({ code }) => {
      this.closeCode = code;
      this.#notify();
    });
  }

  /** Keeps what has come, to be looked at. */
  protected take(text: string): void {
    this.texts.push(text);
    this.#received.push(text.startsWith("{") ? (JSON.parse(text) as Frame) : text);
    this.#notify();
  }

  async hello(options: HelloOptions = {}): Promise<void> {
    const welcome = await this.next("welcome");
    this.sendHello(String(welcome["nonce"]), options);
    await this.next("ready");
  }

  sendHello(nonce: string, options: HelloOptions = {}): void {
    this.send(this.helloFrame(nonce, options));
  }

  helloFrame(nonce: string, { memory = "memory-1", open = [], ...versions }: HelloOptions = {}): Frame {
    return this.signed({
      type: "hello",
      nonce,
      softwareVersion: "scripted-1.0",
      terminalSn: "SN-1",
      memory,
      open,
      ...versions,
    });
  }

  /** @param frame a text and bytes are sent as they are */
  send(frame: object | string): void {
    this.#socket.send(typeof frame === "string" || frame instanceof Uint8Array ? frame : JSON.stringify(frame));
  }

  sendSigned(frame: object): void {
    this.send(this.signed(frame));
  }

  signed<Of extends object>(frame: Of): Of & { signature: string } {
    return withSignature(frame, this.#secret);
  }

  /** Accepts the next request at once, and returns it. */
  async acceptNext(): Promise<RequestFrame> {
    const request = await this.nextRequest();
    this.accept(request);
    return request;
  }

  async nextRequest(): Promise<RequestFrame> {
    return (await this.next("request")) as RequestFrame;
  }

  accept({ requestId, attempt }: { requestId: string; attempt: number }): void {
    this.send({ type: "accepted", requestId, attempt });
  }

  refuse({ requestId, attempt }: { requestId: string; attempt: number }, reason: string): void {
    this.send({ type: "refused", requestId, attempt, reason });
  }

  /** A signed result; `members` overrides what is plain. */
  result({ requestId }: { requestId: string }, statusCode: "00" | "11" | "22", members: object = {}): void {
    this.sendSigned(this.resultFrame(requestId, statusCode, members));
  }

  resultFrame(requestId: string, statusCode: "00" | "11" | "22", members: object = {}): Frame {
    return {
      type: "result",
      requestId,
      statusCode,
      responseCode: statusCode === "00" ? "00" : statusCode === "11" ? "05" : "09",
      softwareVersion: "scripted-1.0",
      terminalSn: "SN-1",
      ...(statusCode === "00"
        ? { transData: { paymentChannel: "VISA", invNo: "000001", tid: "10000001", mid: "1000" } }
        : {}),
      ...members,
    };
  }

  /** The next frame of this type; bare texts by their text. Frames of other types before it are dropped. */
  async next(type: string): Promise<Frame> {
    for (;;) {
      while (this.#received.length > 0) {
        const frame = this.#received.shift();
        if (frame === type) return { type };
        if (typeof frame === "object" && frame.type === type) return frame;
      }
      if (this.closeCode !== null) throw new Error(`closed with ${this.closeCode} while waiting for ${type}`);
      await this.#wait(`frame ${type}`);
    }
  }

  /** Every frame that has come by now and was not looked at, in order. */
  pending(): (Frame | string)[] {
    return this.#received.splice(0);
  }

  /**
   * Every frame that was not looked at, in order, up to now: the gateway has handled everything that this connection,
   * if it is the current one, has sent before. It answers a result with a wrong signature in its turn.
   */
  async frames(): Promise<(Frame | string)[]> {
    const requestId = String(++lastUnknownRequest);
    this.send({ ...this.resultFrame(requestId, "11"), signature: "0".repeat(64) });
    const isAnswer = (frame: Frame | string): boolean => typeof frame === "object" && frame["requestId"] === requestId;
    while (!this.#received.some(isAnswer)) {
      if (this.closeCode !== null) throw new Error(`closed with ${this.closeCode}`);
      await this.#wait("the answer to a result with a wrong signature");
    }
    return this.#received.splice(0, this.#received.findIndex(isAnswer) + 1).slice(0, -1);
  }

  async closed(): Promise<number> {
    while (this.closeCode === null) await this.#wait("the connection's end");
    return this.closeCode;
  }

  /** Ends the connection from the terminal's side. */
  drop(code = 1000): void {
    this.#socket.close(code);
  }

  /** The same, until the gateway has closed it, too. */
  async lose(): Promise<void> {
    this.drop();
    await this.closed();
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    changed.resolve();
  }

  #wait(what: string): Promise<void> {
    return patiently(this.#changed.promise, () => what);
  }
}
