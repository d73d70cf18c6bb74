import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { FRAME_BYTES } from "../../protocol/limits/connections.ts";
import { TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import type { BindingMembers } from "../../protocol/binding.ts";
import { verifySignature } from "../../signing/signature.ts";
import { PING, PONG, SUBPROTOCOL } from "../../protocol/frames.ts";
import {
  answerError,
  answerJson,
  bearerOf,
  listen,
  pathOf,
  type Address,
  type Listening,
  type ErrorMembers,
  type Received,
} from "../listen.ts";
import { Log } from "../log.ts";
import { readText, textOf } from "../message.ts";
import { Line } from "./exchange.ts";
import { openOf, type BindHeard, type ConnectHeard, type Heard, type LoginHeard } from "./heard.ts";
import { isTolerable, skewOf } from "./judge.ts";

export const UNBOUND: BindingMembers = { posId: null, merchantId: null, currency: null, timezone: null };

export interface CounterpartOptions {
  address: Address;
  secret: string;
  /** Epoch milliseconds. */
  now: () => number;
  /** The key that binds the terminal: without dashes, in capitals. */
  bindKey: string;
  /** The account that the key binds to. */
  account: BindingMembers;
}

/** How the kit refuses a login or a connection when a step asks for it. */
export type SimulatedFailure = { kind: "unavailable" } | { kind: "rate-limited"; seconds: number };

/**
 * A gateway as a terminal sees it. It records everything it receives, greets every connection, answers pings, and refuses
 * only what a step tells it to: a terminal that breaks one duty must get far enough to be tested for the others.
 */
export class Counterpart {
  readonly logins = new Log<LoginHeard>();
  readonly binds = new Log<BindHeard>();
  readonly connects = new Log<ConnectHeard>();
  readonly heard = new Log<Heard>();
  /** Every connection that has sent its hello. */
  readonly greeted = new Log<Line>();
  /** Every request that was sent. Results of other requests are unknown to the kit. */
  readonly known = new Set<string>();
  binding: BindingMembers = UNBOUND;
  heartbeatSeconds = 1;
  /** How the next logins and connections are refused; null to accept them. */
  failure: SimulatedFailure | null = null;
  terminalId = "";
  readonly #options: CounterpartOptions;
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
  #listening: Listening | null = null;

  constructor(options: CounterpartOptions) {
    this.#options = options;
  }

  async open(): Promise<string> {
    this.#listening = await listen(this.#options.address, (received) => void this.#serve(received));
    this.#listening.server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    return this.#listening.url;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    await this.#listening?.close();
  }

  /** Revokes every issued token. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** The newest connection, if it is usable. */
  get line(): Line | null {
    const newest = this.greeted.items.at(-1);
    return newest?.usable === true ? newest : null;
  }

  async #serve(received: Received): Promise<void> {
    const { method, path, response } = received;
    if (path !== "/terminal/login" && path !== "/terminal/bind" && path !== "/terminal/connect") {
      answerError(response, 404, "This path does not exist.");
    } else if (path === "/terminal/connect") {
      answerError(response, 400, "This path opens a WebSocket. Send Upgrade: websocket.");
    } else if (method !== "POST") {
      answerError(response, 405, "Method not allowed. Use POST.");
    } else if (path === "/terminal/login") {
      this.#login(received);
    } else {
      await this.#bind(received);
    }
  }

  #login({ body, query, response }: Received): void {
    const { now, secret } = this.#options;
    const at = performance.now();
    const signatureHolds = body !== null && verifySignature(body, secret);
    const isFirst = this.logins.items.length === 0;
    const note = (status: number): void => this.logins.put({ at, body, signatureHolds, status, query });
    const refuse = (status: number, message: string, more: ErrorMembers = {}): void => {
      note(status);
      answerError(response, status, message, more);
    };
    if (this.failure?.kind === "unavailable") {
      return refuse(503, "The service is temporarily unavailable. Retry later.");
    }
    if (this.failure?.kind === "rate-limited") {
      const { seconds } = this.failure;
      this.failure = null;
      return refuse(429, `Too many requests. Retry after ${seconds} seconds.`, { retryAfterSeconds: seconds });
    }
    const skew = skewOf(body, now()) ?? 0;
    // Refuses the first login only, so that a terminal that ignores serverTime can go on to the other steps.
    if (!isTolerable(skew) && isFirst) {
      const message = `datetime is ${Math.round(Math.abs(skew) / 1_000)} seconds off. Send UTC, based on serverTime.`;
      return refuse(400, message, { details: [{ path: "datetime", message }], serverTime: now() });
    }
    this.terminalId = textOf(body, "terminalId") || this.terminalId;
    const token = crypto.randomUUID();
    this.#tokens.add(token);
    note(200);
    answerJson(response, 200, { token, expiresAt: new Date(now() + TERMINAL_TOKEN_LIFE).toISOString() });
  }

  /** Lets a terminal bind. Until then, a bind during an open connection gets no answer. */
  letBind(): void {
    this.#letBind();
  }

  async #bind({ body, bearer, response }: Received): Promise<void> {
    // A terminal that binds before it connects must not wait, or it would never connect.
    if (this.connects.items.length > 0) await this.#bindable;
    const { bindKey, account, now } = this.#options;
    const tokenHolds = this.#tokens.has(bearer ?? "");
    const keyHolds = textOf(body, "key").replaceAll("-", "").toUpperCase() === bindKey;
    const status = !tokenHolds ? 401 : keyHolds ? 200 : 400;
    if (status === 200) {
      answerJson(response, 200, { posId: account.posId, merchantId: account.merchantId });
      this.bindTo(account);
    } else if (status === 401) {
      answerError(response, 401, "The token is not one issued to this terminal.");
    } else {
      const message = "The bind key is wrong.";
      answerError(response, 400, message, { details: [{ path: "key", message }] });
    }
    this.binds.put({ at: performance.now(), body, tokenHolds, skew: skewOf(body, now()), status });
  }

  /** Changes the binding and tells the terminal. */
  bindTo(binding: BindingMembers): void {
    this.binding = binding;
    this.line?.send({ type: "binding", ...binding });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path, query } = pathOf(request, this.#options.address.url);
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
    if (this.#tokens.has(bearerOf(request) ?? "")) return "authorization";
    if (protocols[0] === SUBPROTOCOL && this.#tokens.has(protocols[1] ?? "")) return "protocol";
    return [...new URLSearchParams(query).values()].some((value) => this.#tokens.has(value)) ? "url" : "nowhere";
  }

  #greet(socket: WebSocket): void {
    const line = new Line(socket, (this.#connections += 1), crypto.randomUUID());
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (line.ended === null) this.#receive(line, isBinary ? "" : data.toString("utf8"));
    });
    socket.on("close", (code) => line.hasEnded(code));
    // The close event follows, and the steps notice what is missing.
    socket.on("error", () => undefined);
    line.send({
      type: "welcome",
      terminalId: this.terminalId,
      ...this.binding,
      nonce: line.nonce,
      serverTime: this.#options.now(),
      heartbeatSeconds: this.heartbeatSeconds,
    });
  }

  #receive(line: Line, text: string): void {
    const frame = text === PING || text === PONG ? null : readText(text);
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
