/**
 * A gateway that does exactly what a test says, right or wrong: the other end of a `TerminalClient`. It keeps no state;
 * other tests show how the real one handles a terminal's frames.
 */
import { hasValidSignature, signMessage } from "../../src/sdk/client/signature.ts";
import type {
  OpenSocket,
  RequestControls,
  SocketEvent,
  TerminalClientOptions,
  TerminalEvent,
  TerminalResult,
  TerminalSocket,
  TransactionRequest,
} from "../../src/sdk/client/terminal.ts";
import { MemoryStore, TerminalClient } from "../../src/sdk/client/terminal.ts";
import { patiently } from "./patience.ts";

export const SECRET = "secret-of-the-scripted-terminal";

/** What the stores of its terminals belong to. */
export const OWNER = { terminalId: "T-1", gateway: "https://gateway.test" };

export interface Frame {
  type: string;
  [member: string]: unknown;
}

/** Waits for what `take` finds, and says what it waited for when that never comes. */
export class Inbox<Item> {
  readonly #items: Item[] = [];
  #wake: () => void = () => undefined;

  put(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  async take(what: string, wanted: (item: Item) => boolean = () => true): Promise<Item> {
    for (;;) {
      const index = this.#items.findIndex(wanted);
      const [found] = index < 0 ? [] : this.#items.splice(index, 1);
      if (found !== undefined) return found;
      const more = new Promise<void>((resolve) => (this.#wake = resolve));
      await patiently(more, () => `${what}; there is: ${JSON.stringify(this.#items)}`);
    }
  }

  get waiting(): readonly Item[] {
    return this.#items;
  }
}

/** As much of a terminal's socket as tells it of events. */
export class ToldSocket {
  readonly #listeners = new Map<string, ((event: SocketEvent) => void)[]>();

  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  /** The platform tells the terminal of an event. */
  tell(type: string, event: SocketEvent): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

/** One connection, seen from the gateway. */
export class ScriptedConnection extends ToldSocket implements TerminalSocket {
  readyState = 1;
  readonly protocols: string[];
  readonly frames = new Inbox<Frame>();
  readonly texts = new Inbox<string>();
  closedWith: number | null = null;
  closedFor: string | null = null;

  constructor(protocols: string[]) {
    super();
    this.protocols = protocols;
  }

  /** The terminal sends. */
  send(text: string): void {
    if (text.startsWith("{")) this.frames.put(JSON.parse(text));
    else this.texts.put(text);
  }

  /** The terminal closes. */
  close(code = 1000, reason = ""): void {
    this.closedWith = code;
    this.closedFor = reason;
    this.end(code);
  }

  /** The gateway says a text. */
  say(text: string): void {
    this.tell("message", { type: "message", data: text });
  }

  /** Breaks the connection. */
  fail(): void {
    this.readyState = 3;
    this.tell("error", { type: "error" });
  }

  sendFrame(frame: object): void {
    this.say(JSON.stringify(frame));
  }

  /** The connection ends, with the gateway's code or without any. */
  end(code?: number): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.tell("close", { type: "close", ...(code === undefined ? {} : { code, reason: "" }) });
  }

  /** The next frame of this type. */
  frame(type: string): Promise<Frame> {
    return this.frames.take(`a ${type} frame`, (frame) => frame.type === type);
  }

  /** Says welcome, and ready to the hello that comes. Returns the hello. */
  async greet(members: object = {}): Promise<Frame> {
    this.sendFrame({ ...welcome(), ...members });
    const hello = await this.frame("hello");
    this.sendFrame({ type: "ready" });
    return hello;
  }

  /** Sends a request signed with the terminal's secret. */
  async request(members: object = {}): Promise<void> {
    this.sendFrame(await signMessage(requestFrame(members), SECRET));
  }
}

export function welcome(): Frame {
  return {
    type: "welcome",
    terminalId: "T-1",
    posId: "POS-1",
    merchantId: "M-1",
    currency: "MYR",
    timezone: "Asia/Kuala_Lumpur",
    nonce: "nonce-1",
    serverTime: Date.now(),
    heartbeatSeconds: 30,
  };
}

export function requestFrame(members: object = {}): Frame {
  return {
    type: "request",
    requestId: "1000000001",
    attempt: 1,
    transType: "sale",
    posId: "POS-1",
    merchantId: "M-1",
    referenceId: "R-1",
    currency: "MYR",
    transId: "1000000001",
    transData: { transAmt: "12.50", paymentMethod: "bankCard" },
    deliverBy: Date.now() + 10_000,
    respondBy: Date.now() + 75_000,
    ...members,
  };
}

export const APPROVED: TerminalResult = { statusCode: "00", responseCode: "00", transData: { invNo: "000001" } };
export const DECLINED: TerminalResult = { statusCode: "11", responseCode: "05" };
export const PENDING: TerminalResult = { statusCode: "22", responseCode: "09" };

/** A request in the hands of a handler that a test leads. */
export interface Work {
  request: TransactionRequest;
  controls: RequestControls;
  end(result: TerminalResult): void;
  fail(error: unknown): void;
}

export class ScriptedGateway {
  readonly events: TerminalEvent[] = [];
  /** Calls of the terminal's HTTP side: path and body. */
  readonly calls: { path: string; body: Record<string, unknown> }[] = [];
  readonly #connections = new Inbox<ScriptedConnection>();
  readonly #works = new Inbox<Work>();
  /** The next logins and binds are answered so. */
  readonly logins: Response[] = [];
  readonly binds: Response[] = [];

  readonly openSocket: OpenSocket = (_, protocols) => {
    const connection = new ScriptedConnection(protocols);
    this.#connections.put(connection);
    return connection;
  };

  readonly fetch = async (request: Request): Promise<Response> => {
    const body: Record<string, unknown> = await request.json();
    this.calls.push({ path: new URL(request.url).pathname, body });
    if (request.url.endsWith("/terminal/bind")) {
      return this.binds.shift() ?? Response.json({ posId: "POS-1", merchantId: "M-1" });
    }
    const expiresAt = new Date(Date.now() + 300_000).toISOString();
    return this.logins.shift() ?? Response.json({ token: "token-1", expiresAt, serverTime: Date.now() });
  };

  /** A client of this gateway whose handler does what the test says. */
  client(overrides: Partial<TerminalClientOptions> = {}): TerminalClient {
    return new TerminalClient({
      baseUrl: OWNER.gateway,
      terminalId: OWNER.terminalId,
      secret: SECRET,
      softwareVersion: "1.0",
      terminalSn: "SN-1",
      store: new MemoryStore(),
      handler: { onRequest: (request, controls) => this.#handle(request, controls) },
      openSocket: this.openSocket,
      fetch: this.fetch,
      reconnect: { first: 0, longest: 0 },
      onEvent: (event) => this.events.push(event),
      ...overrides,
    });
  }

  connection(): Promise<ScriptedConnection> {
    return this.#connections.take("a connection");
  }

  /** Starts a client and greets its first connection. */
  async connected(
    overrides: Partial<TerminalClientOptions> = {},
    members: object = {},
  ): Promise<{ client: TerminalClient; connection: ScriptedConnection; hello: Frame }> {
    const client = this.client(overrides);
    await client.start();
    const connection = await this.connection();
    const hello = await connection.greet(members);
    await client.connected();
    return { client, connection, hello };
  }

  work(): Promise<Work> {
    return this.#works.take("a request for the handler");
  }

  /** Requests that reached the handler and were not taken. */
  get untaken(): readonly Work[] {
    return this.#works.waiting;
  }

  #handle(request: TransactionRequest, controls: RequestControls): Promise<TerminalResult> {
    const { promise, resolve, reject } = Promise.withResolvers<TerminalResult>();
    // Nobody leads it any more when the test is over.
    controls.signal.addEventListener("abort", () => {
      if (controls.signal.reason === "stopped") reject(new Error("the test is over"));
    });
    this.#works.put({ request, controls, end: resolve, fail: reject });
    return promise;
  }
}

/** Makes a refusal in the gateway's form. */
export function refusal(status: number, members: object = {}, headers: Record<string, string> = {}): Response {
  return Response.json({ code: status * 100, message: "no", traceId: "T", ...members }, { status, headers });
}

export function isTrue(frame: Frame): Promise<boolean> {
  return hasValidSignature(JSON.parse(JSON.stringify(frame)), SECRET);
}
