/**
 * A terminal on the real client whose wire, login and store a test may tamper with: a terminal that breaks one duty.
 * Whatever is changed is signed again, unless it is the signature that is changed.
 */
import type { Backoff } from "../../src/client/backoff.ts";
import { MemoryStore, TerminalClient } from "../../src/client/terminal.ts";
import type {
  RequestControls,
  SocketEvent,
  TerminalResult,
  TerminalSocket,
  TerminalStore,
  TransactionRequest,
} from "../../src/client/terminal.ts";
import { sleep } from "../../src/client/backoff.ts";
import type { Outcome } from "../../src/conformance/step.ts";
import { runTerminalKit, type TerminalKitOptions } from "../../src/conformance/terminal/kit.ts";
import { NOBODY } from "../../src/conformance/tester.ts";
import type { JsonObject } from "../../src/signing/json.ts";
import { withSignature } from "../../src/signing/signature.ts";

export const SECRET = "secret of the terminal under test";

export type Frame = JsonObject;

/** What a tampered wire can do by itself. */
export interface Wire {
  /** To the gateway, past the tampering. */
  say(frame: Frame): void;
  sayText(text: string): void;
  /** To the terminal, past the tampering. */
  tell(frame: Frame): void;
  tellText(text: string): void;
  isOpen(): boolean;
  close(): void;
  /** The terminal gives up permanently. */
  stopForGood(): void;
}

/** What is done to what passes by; what is not there passes as it is. Null: it does not pass. */
export interface Tampering {
  login?: (body: Frame) => Frame;
  bind?: (body: Frame) => Frame;
  /** An HTTP call as a whole. */
  call?: (request: Request) => Request;
  answer?: (response: Response) => Response | Promise<Response>;
  connect?: (url: string, protocols: string[]) => string;
  toGateway?: (frame: Frame, wire: Wire) => Frame | null;
  textToGateway?: (text: string, wire: Wire) => string | null;
  toTerminal?: (frame: Frame, wire: Wire) => Frame | null;
  closeCode?: (code: number, wire: Wire) => number;
  reconnect?: Backoff;
  random?: () => number;
  /** Milliseconds that a customer takes while the terminal waits. */
  customerTakes?: number;
  /** The store that a restart finds. */
  storeAfterRestart?: (store: TerminalStore) => TerminalStore;
}

export function signedAgain(frame: Frame): Frame {
  return withSignature(frame, SECRET);
}

/** Longer than any step needs, also on a busy machine: it is cancelled when the step is over. */
const CUSTOMER_TAKES = 4_000;

export class TamperedTerminal {
  readonly #url: string;
  readonly #tampering: Tampering;
  #store: TerminalStore = new MemoryStore();
  #client: TerminalClient;
  #power = { on: true };
  #invoice = 0;
  readonly #held: TransactionRequest[] = [];

  constructor(url: string, tampering: Tampering) {
    this.#url = url;
    this.#tampering = tampering;
    this.#client = this.#newClient();
  }

  async start(bindKey?: string): Promise<void> {
    await this.#client.start();
    if (bindKey === undefined) return;
    await this.#client.connected();
    await this.#client.bind(bindKey);
  }

  /** Binds itself before it opens its WebSocket. */
  async startBound(bindKey: string): Promise<void> {
    await this.#client.bind(bindKey);
    await this.#client.start();
  }

  /** The power goes, and comes back. */
  async restart(): Promise<void> {
    this.#power.on = false;
    await this.#client.stop();
    this.#store = this.#tampering.storeAfterRestart?.(this.#store) ?? this.#store;
    this.#client = this.#newClient();
    await this.#client.start();
  }

  async stop(): Promise<void> {
    await this.#client.stop();
  }

  #newClient(): TerminalClient {
    const { reconnect = { first: 300, longest: 1_000 }, random } = this.#tampering;
    const power = (this.#power = { on: true });
    const client: TerminalClient = new TerminalClient({
      baseUrl: this.#url,
      terminalId: "T-1",
      secret: SECRET,
      softwareVersion: "1.0",
      terminalSn: "SN-1",
      store: poweredStore(this.#store, power),
      reconnect,
      ...(random === undefined ? {} : { random }),
      handler: {
        onRequest: (request, controls) => this.#pay(request, controls, power),
        onRecover: async (request) => this.#recover(request),
      },
      fetch: (request) => this.#fetch(request),
      openSocket: (url, protocols) => {
        const { connect } = this.#tampering;
        const inner = new WebSocket(connect?.(url, protocols) ?? url, protocols);
        return new TamperedSocket(inner, this.#tampering, power, () => void client.stop());
      },
    });
    return client;
  }

  async #fetch(request: Request): Promise<Response> {
    const { login, bind, call, answer } = this.#tampering;
    let sent = call?.(request) ?? request;
    const change = sent.url.endsWith("/terminal/login") ? login : bind;
    if (change !== undefined) {
      const body: Frame = await sent.clone().json();
      sent = new Request(sent.url, { method: "POST", headers: sent.headers, body: JSON.stringify(change(body)) });
    }
    const response = await fetch(sent);
    return answer?.(response) ?? response;
  }

  /** By the cents: .89 waits for its customer, .22 is pending at the host, all else is approved. */
  async #pay(request: TransactionRequest, controls: RequestControls, power: { on: boolean }): Promise<TerminalResult> {
    const { transAmt } = request.transData;
    const cents = typeof transAmt === "string" ? transAmt.slice(-2) : "";
    controls.progress("present");
    if (cents === "89") await sleep(this.#tampering.customerTakes ?? CUSTOMER_TAKES, controls.signal);
    if (!power.on) await new Promise<never>(() => undefined);
    await controls.reachedHost();
    controls.progress("authorising");
    await sleep(20);
    this.#held.push(request);
    return cents === "22" ? { statusCode: "22", responseCode: "09" } : this.#approved(request);
  }

  #recover(request: TransactionRequest): TerminalResult {
    return this.#held.some(({ requestId }) => requestId === request.requestId)
      ? this.#approved(request)
      : { statusCode: "11", responseCode: "25" };
  }

  #approved({ transData, transId, currency, merchantId }: TransactionRequest): TerminalResult {
    this.#invoice += 1;
    const { transAmt, cashAmt } = transData;
    return {
      statusCode: "00",
      responseCode: "00",
      transData: {
        transId,
        ...(transAmt === undefined ? {} : { transAmt }),
        ...(cashAmt === undefined ? {} : { cashAmt }),
        currency,
        paymentChannel: "VISA",
        cardNo: "xxxxxxxxxxxx1111",
        invNo: String(this.#invoice).padStart(6, "0"),
        tid: "T-1",
        mid: merchantId,
      },
    };
  }
}

/** A store that never comes back once the power is gone. */
function poweredStore(store: TerminalStore, power: { on: boolean }): TerminalStore {
  return {
    load: () => store.load(),
    save: (memory) => (power.on ? store.save(memory) : Promise.reject(new Error("no power"))),
  };
}

type Listener = (event: SocketEvent) => void;

/** A WebSocket's readyState. */
const OPEN = 1;

class TamperedSocket implements TerminalSocket {
  readonly #inner: WebSocket;
  readonly #tampering: Tampering;
  readonly #power: { on: boolean };
  readonly #listeners = new Map<string, Listener[]>();
  readonly #wire: Wire;

  constructor(inner: WebSocket, tampering: Tampering, power: { on: boolean }, stopForGood: () => void) {
    this.#inner = inner;
    this.#tampering = tampering;
    this.#power = power;
    const sayText = (text: string): void => {
      if (inner.readyState === OPEN && power.on) inner.send(text);
    };
    const tellText = (text: string): void => this.#tell("message", { type: "message", data: text });
    this.#wire = {
      say: (frame) => sayText(JSON.stringify(frame)),
      sayText,
      tell: (frame) => tellText(JSON.stringify(frame)),
      tellText,
      isOpen: () => inner.readyState === OPEN,
      close: () => inner.close(),
      stopForGood,
    };
    inner.addEventListener("open", () => this.#tell("open", { type: "open" }));
    inner.addEventListener("error", () => this.#tell("error", { type: "error" }));
    inner.addEventListener("close", ({ code, reason }) => {
      this.#tell("close", { type: "close", code: tampering.closeCode?.(code, this.#wire) ?? code, reason });
    });
    inner.addEventListener("message", ({ data }) => this.#receive(String(data)));
  }

  get readyState(): number {
    return this.#inner.readyState;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    if (!this.#power.on) return;
    const { toGateway, textToGateway } = this.#tampering;
    if (!text.startsWith("{")) {
      const passed = textToGateway === undefined ? text : textToGateway(text, this.#wire);
      if (passed !== null) this.#inner.send(passed);
      return;
    }
    const frame: Frame = JSON.parse(text);
    const passed = toGateway === undefined ? frame : toGateway(frame, this.#wire);
    if (passed !== null) this.#inner.send(JSON.stringify(passed));
  }

  close(code?: number, reason?: string): void {
    this.#inner.close(code, reason);
  }

  #receive(text: string): void {
    const { toTerminal } = this.#tampering;
    if (!text.startsWith("{") || toTerminal === undefined) {
      this.#wire.tellText(text);
      return;
    }
    const passed = toTerminal(JSON.parse(text), this.#wire);
    if (passed !== null) this.#wire.tell(passed);
  }

  #tell(type: string, event: SocketEvent): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

/** What the kit finds at a terminal with this tampering. */
export async function kitOn(tampering: Tampering, options: Partial<TerminalKitOptions> = {}): Promise<Outcome[]> {
  let terminal: TamperedTerminal | undefined;
  const outcomes = await runTerminalKit({
    address: { url: new URL("http://127.0.0.1:0"), tls: null },
    secret: SECRET,
    terminalId: "T-1",
    tester: NOBODY,
    only: null,
    patient: false,
    patience: { answer: 4_000, payment: 5_000, reconnect: 5_000, silence: 1_000, outage: 3_000, bind: 1_500 },
    restart: async () => terminal?.restart(),
    onOpen: (url) => {
      terminal = new TamperedTerminal(url, tampering);
      void terminal.start("test-keys");
    },
    ...options,
  });
  await terminal?.stop();
  return outcomes;
}
