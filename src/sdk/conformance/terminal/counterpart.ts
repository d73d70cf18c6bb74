import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { FRAME_BYTES, TERMINAL_TOKEN_LIFE } from "../../../protocol/limits.ts";
import type { BindingMembers } from "../../../protocol/binding.ts";
import { verifySignature } from "../../../protocol/signing/signature.ts";
import { PING, PONG, SUBPROTOCOL } from "../../../protocol/frames.ts";
import { answerError, answerJson, readBearer, Listener, Log, type ListenAddress, type Received } from "../listen.ts";
import { readText, textOf } from "../message.ts";
import { HEARTBEAT_SECONDS_IN_KIT, now, SHORT_RETRY_AFTER } from "../times.ts";
import { TerminalLine } from "./exchange.ts";
import {
  isTolerable,
  openOf,
  measureSkew,
  type BindHeard,
  type ConnectHeard,
  type Heard,
  type LoginHeard,
} from "./judge.ts";
import type { Milliseconds } from "../../../protocol/time/units.ts";

export const UNBOUND: BindingMembers = { posId: null, merchantId: null, currency: null, timezone: null };

/** The account that the key binds to. */
export const ACCOUNT = { posId: "KIT-POS", merchantId: "KIT-M", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

/**
 * Records everything it receives, greets every connection, answers pings, and refuses only what a step asks it to: a
 * terminal that breaks one duty must get far enough to be tested for the others.
 */
export class Counterpart extends Listener {
  readonly logins = new Log<LoginHeard>();
  readonly binds = new Log<BindHeard>();
  readonly connects = new Log<ConnectHeard>();
  readonly heard = new Log<Heard>();
  readonly greeted = new Log<TerminalLine>();
  /** Requests that were sent. Results of other requests are unknown to the kit. */
  readonly known = new Set<string>();
  readonly secret: string;
  binding: BindingMembers = UNBOUND;
  heartbeatSeconds = HEARTBEAT_SECONDS_IN_KIT;
  /** Refuses the next logins and connections, with 429 only the next login; null accepts them. */
  failure: 503 | 429 | 403 | null = null;
  /** By how much the clock that the terminal reads is ahead of the kit's. */
  clockAhead: Milliseconds = 0;
  /** Without dashes, in capitals. */
  readonly #bindKey: string;
  #terminalId = "";
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  readonly #tokens = new Set<string>();
  #letBind: () => void = () => undefined;
  // Node 20 has no Promise.withResolvers.
  readonly #bindable = new Promise<void>((resolve) => (this.#letBind = resolve));
  #connections = 0;

  constructor(address: ListenAddress, secret: string, bindKey: string) {
    super(address);
    this.secret = secret;
    this.#bindKey = bindKey;
  }

  override async open(): Promise<string> {
    const url = await super.open();
    this.server?.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    return url;
  }

  override async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    await super.close();
  }

  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** The newest connection; null if it is not usable. */
  get line(): TerminalLine | null {
    const newest = this.greeted.items.at(-1);
    return newest?.usable === true ? newest : null;
  }

  protected override async receive(received: Received): Promise<void> {
    const { method, path, response } = received;
    if (path === "/terminal/connect") {
      answerError(response, 400, "This path opens a WebSocket. Send Upgrade: websocket.");
    } else if (path !== "/terminal/login" && path !== "/terminal/bind") {
      answerError(response, 404, "This path does not exist.");
    } else if (method !== "POST") {
      answerError(response, 405, "Method not allowed. Use POST.");
    } else if (path === "/terminal/login") {
      this.#login(received);
    } else {
      await this.#bind(received);
    }
  }

  #login({ body, query, response }: Received): void {
    const at = performance.now();
    const skew = measureSkew(body, now());
    // Refuses only the first login, so that a terminal that ignores serverTime can continue to the other steps.
    const isLate = skew !== null && !isTolerable(skew) && this.logins.items.length === 0;
    const status = this.failure ?? (isLate ? 400 : 200);
    const signatureHolds = body !== null && verifySignature(body, this.secret);
    this.logins.put({ at, body, signatureHolds, status, query });
    if (status === 403) {
      this.failure = null;
      response.writeHead(403, { "Content-Type": "text/html" });
      response.end("<html><title>403 Forbidden</title></html>");
    } else if (status === 503) {
      answerError(response, status, "The service is temporarily unavailable. Retry later.");
    } else if (status === 429) {
      this.failure = null;
      const message = `Too many requests. Retry after ${SHORT_RETRY_AFTER} seconds.`;
      answerError(response, status, message, { retryAfterSeconds: SHORT_RETRY_AFTER });
    } else if (status === 400) {
      const off = Math.round(Math.abs(skew ?? 0) / 1_000);
      const message = `datetime is ${off} seconds off. Send UTC, based on serverTime.`;
      answerError(response, status, message, { details: [{ path: "datetime", message }], serverTime: now() });
    } else {
      this.#terminalId = textOf(body, "terminalId") || this.#terminalId;
      const token = crypto.randomUUID();
      this.#tokens.add(token);
      const serverTime = now() + this.clockAhead;
      const expiresAt = new Date(serverTime + TERMINAL_TOKEN_LIFE).toISOString();
      answerJson(response, status, { token, expiresAt, serverTime });
    }
  }

  /** Until this is called, a bind during an open connection gets no answer. */
  letBind(): void {
    this.#letBind();
  }

  async #bind({ body, bearer, response }: Received): Promise<void> {
    // A terminal that binds before it connects must not wait, or it would never connect.
    if (this.connects.items.length > 0) await this.#bindable;
    const tokenHolds = this.#tokens.has(bearer ?? "");
    const keyHolds = textOf(body, "key").replaceAll("-", "").toUpperCase() === this.#bindKey;
    const status = !tokenHolds ? 401 : keyHolds ? 200 : 400;
    if (status === 200) {
      answerJson(response, 200, { posId: ACCOUNT.posId, merchantId: ACCOUNT.merchantId });
      this.bindTo(ACCOUNT);
    } else if (status === 401) {
      answerError(response, 401, "The token is not one issued to this terminal.");
    } else {
      const message = "The bind key is wrong.";
      answerError(response, 400, message, { details: [{ path: "key", message }] });
    }
    this.binds.put({ at: performance.now(), body, tokenHolds, skew: measureSkew(body, now()), status });
  }

  bindTo(binding: BindingMembers): void {
    this.binding = binding;
    this.line?.send({ type: "binding", ...binding });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path, query } = this.pathOf(request);
    const protocols = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
    const token = this.#whereToken(request, protocols, query);
    if (path === "/terminal/connect") this.connects.put({ at: performance.now(), query, protocols, token });
    const status = this.#refusalOf(path, token);
    if (status !== null) {
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#greet(opened));
  }

  #refusalOf(path: string, token: ConnectHeard["token"]): string | null {
    if (path !== "/terminal/connect") return "404 Not Found";
    if (this.failure !== null) return "503 Service Unavailable";
    return token === "nowhere" ? "401 Unauthorized" : null;
  }

  #whereToken(request: IncomingMessage, protocols: string[], query: string): ConnectHeard["token"] {
    if (this.#tokens.has(readBearer(request) ?? "")) return "authorization";
    if (protocols[0] === SUBPROTOCOL && this.#tokens.has(protocols[1] ?? "")) return "protocol";
    return [...new URLSearchParams(query).values()].some((value) => this.#tokens.has(value)) ? "url" : "nowhere";
  }

  #greet(socket: WebSocket): void {
    const line = new TerminalLine(socket, (this.#connections += 1), crypto.randomUUID());
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (line.ended === null) this.#receive(line, isBinary ? "" : data.toString("utf8"));
    });
    socket.on("close", (code) => line.end(code));
    // The close event follows, and the steps notice what is missing.
    socket.on("error", () => undefined);
    line.send({
      type: "welcome",
      terminalId: this.#terminalId,
      ...this.binding,
      nonce: line.nonce,
      serverTime: now() + this.clockAhead,
      heartbeatSeconds: this.heartbeatSeconds,
    });
  }

  #receive(line: TerminalLine, text: string): void {
    const frame = readText(text);
    const heard: Heard = { at: performance.now(), connection: line.number, text, frame };
    if (text === PING && line.answersPings) line.sendText(PONG);
    const type = textOf(frame, "type");
    if (type === "hello" && line.hello === null) {
      line.hello = heard;
      line.send({ type: "ready" });
      for (const requestId of openOf(frame) ?? []) {
        // Left over from an earlier run: cancelled here, and its outcome is answered with unknown_request.
        if (!this.known.has(requestId)) line.send({ type: "cancel", requestId, attempt: 1 });
      }
      this.greeted.put(line);
    }
    const requestId = textOf(frame, "requestId");
    if (type === "result" && !this.known.has(requestId)) {
      const message = "This request was not sent in this run.";
      line.send(
        textOf(frame, "statusCode") === "22"
          ? { type: "ack", requestId, statusCode: "22" }
          : { type: "error", code: "unknown_request", message, requestId },
      );
    }
    this.heard.put(heard);
  }
}
