/**
 * A simulated terminal whose wire, login and store a test may tamper with: a terminal that breaks one duty.
 * Whatever is changed is signed again, unless it is the signature that is changed.
 */
import type { Backoff } from "../../src/sdk/client/backoff.ts";
import { MemoryStore, type TerminalSocket, type TerminalStore } from "../../src/sdk/client/terminal.ts";
import { sleep } from "../../src/sdk/client/backoff.ts";
import type { StepOutcome } from "../../src/sdk/conformance/step.ts";
import { runTerminalKit, type TerminalKitOptions } from "../../src/sdk/conformance/terminal/kit.ts";
import { NOBODY } from "../../src/sdk/conformance/tester.ts";
import { ok } from "../../src/protocol/result.ts";
import type { JsonObject } from "../../src/protocol/signing/json.ts";
import { withSignature } from "../../src/protocol/signing/signature.ts";
import { Ledger } from "../../src/sdk/simulator/ledger.ts";
import { SimulatedTerminal } from "../../src/sdk/simulator/simulated-terminal.ts";
import { ToldSocket } from "./scripted-gateway.ts";

export const SECRET = "secret of the terminal under test";

export type Frame = JsonObject;

/** What a tampered wire can do by itself. */
export interface Wire {
  /** Sends to the gateway, past the tampering. */
  say(frame: Frame): void;
  sayText(text: string): void;
  /** Sends to the terminal, past the tampering. */
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
  /** A customer takes so long while the terminal waits. */
  customerTakes?: number;
  /** The store that a restart finds. */
  storeAfterRestart?: (store: TerminalStore) => TerminalStore;
}

export function signedAgain(frame: Frame): Frame {
  return withSignature(frame, SECRET);
}

/** Longer than any step needs, also on a busy machine: it is cancelled when the step is over. */
const CUSTOMER_TAKES = 4_000;

/** The amount at which the customer takes so long. */
const WAIT = "10.01";

export class TamperedTerminal {
  readonly #url: string;
  readonly #tampering: Tampering;
  readonly #ledger = new Ledger();
  #store: TerminalStore = new MemoryStore();
  #terminal: SimulatedTerminal;

  constructor(url: string, tampering: Tampering) {
    this.#url = url;
    this.#tampering = tampering;
    this.#terminal = this.#newTerminal();
  }

  async start(bindKey?: string): Promise<void> {
    await this.#terminal.switchOn();
    if (bindKey === undefined) return;
    await this.#terminal.client.connected();
    await this.#terminal.bind(bindKey);
  }

  /** Binds itself before it opens its WebSocket. */
  async startBound(bindKey: string): Promise<void> {
    await this.#terminal.bind(bindKey);
    await this.#terminal.switchOn();
  }

  /** The power goes, and comes back. */
  async restart(): Promise<void> {
    this.#terminal.powerCut();
    this.#store = this.#tampering.storeAfterRestart?.(this.#store) ?? this.#store;
    this.#terminal = this.#newTerminal();
    await this.#terminal.switchOn();
  }

  /** How often the host has charged a transaction, as the kit asks for it. */
  chargesFor(transId: string): number {
    return this.#ledger.charges.filter((charge) => charge.transId === transId && charge.voidedBy === null).length;
  }

  async stop(): Promise<void> {
    await this.#terminal.stop();
  }

  #newTerminal(): SimulatedTerminal {
    const { reconnect = { first: 300, longest: 1_000 }, random, customerTakes = CUSTOMER_TAKES } = this.#tampering;
    const terminal: SimulatedTerminal = new SimulatedTerminal({
      baseUrl: this.#url,
      terminalId: "T-1",
      secret: SECRET,
      store: this.#store,
      ledger: this.#ledger,
      reconnect,
      ...(random === undefined ? {} : { random }),
      pace: 5,
      customer: async ({ transData }, signal) => {
        if (transData.transAmt === WAIT) await sleep(customerTakes, signal);
        return {};
      },
      fetch: (request) => this.#fetch(request),
      openSocket: (url, protocols) => {
        const { connect } = this.#tampering;
        const inner = new WebSocket(connect?.(url, protocols) ?? url, protocols);
        return new TamperedSocket(inner, this.#tampering, () => void terminal.stop());
      },
    });
    return terminal;
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
}

/** A WebSocket's readyState. */
const OPEN = 1;

class TamperedSocket extends ToldSocket implements TerminalSocket {
  readonly #inner: WebSocket;
  readonly #tampering: Tampering;
  readonly #wire: Wire;

  constructor(inner: WebSocket, tampering: Tampering, stopForGood: () => void) {
    super();
    this.#inner = inner;
    this.#tampering = tampering;
    const sayText = (text: string): void => {
      if (inner.readyState === OPEN) inner.send(text);
    };
    const tellText = (text: string): void => this.tell("message", { type: "message", data: text });
    this.#wire = {
      say: (frame) => sayText(JSON.stringify(frame)),
      sayText,
      tell: (frame) => tellText(JSON.stringify(frame)),
      tellText,
      isOpen: () => inner.readyState === OPEN,
      close: () => inner.close(),
      stopForGood,
    };
    inner.addEventListener("open", () => this.tell("open", { type: "open" }));
    inner.addEventListener("error", () => this.tell("error", { type: "error" }));
    inner.addEventListener("close", ({ code, reason }) => {
      this.tell("close", { type: "close", code: tampering.closeCode?.(code, this.#wire) ?? code, reason });
    });
    inner.addEventListener("message", ({ data }) => this.#receive(String(data)));
  }

  get readyState(): number {
    return this.#inner.readyState;
  }

  send(text: string): void {
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
}

/** What the kit finds at a terminal with this tampering. */
export async function kitOn(tampering: Tampering, options: Partial<TerminalKitOptions> = {}): Promise<StepOutcome[]> {
  let terminal: TamperedTerminal | undefined;
  const outcomes = await runTerminalKit({
    address: { url: new URL("http://127.0.0.1:0"), tls: null },
    secret: SECRET,
    terminalId: "T-1",
    tester: NOBODY,
    only: null,
    patient: false,
    amounts: { wait: WAIT },
    patience: { answer: 4_000, payment: 5_000, reconnect: 5_000, silence: 1_000, outage: 3_000, bind: 1_500 },
    restart: async () => terminal?.restart(),
    // Its memory is not in a file: nothing would keep another one from starting.
    second: () => ({ ended: Promise.resolve(1), end: () => undefined }),
    countCharges: async ({ transId }) => ok(terminal?.chargesFor(transId) ?? 0),
    onOpen: (url) => {
      terminal = new TamperedTerminal(url, tampering);
      void terminal.start("test-keys");
    },
    ...options,
  });
  await terminal?.stop();
  return outcomes;
}
