import type { Backoff } from "../client/backoff.ts";
import type { Fetch } from "../client/deadline.ts";
import {
  MemoryStore,
  TerminalClient,
  type OpenSocket,
  type SessionResult,
  type Stage,
  type TerminalEvent,
  type TerminalMemory,
  type TerminalStore,
  type TransactionRequest,
} from "../client/terminal.ts";
import { RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { openPlatformSocket } from "../client/terminal/connection.ts";
import { behaviourByAmount } from "./behaviour.ts";
import { FaultySocket, WireFaults } from "./wire-faults.ts";
import { Ledger } from "./ledger.ts";
import type { HostOptions } from "./host.ts";
import { Payments, type SimulatedCustomer, type PaymentsOptions } from "./payments.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

export interface SimulatedTerminalOptions extends Pick<PaymentsOptions, "pin" | "durable" | "answered"> {
  baseUrl: string;
  terminalId: string;
  secret: string;
  /** Without a store, the memory lasts as long as this object. */
  store?: TerminalStore;
  /** Can be shared, or kept across devices. */
  ledger?: Ledger;
  openSocket?: OpenSocket;
  fetch?: Fetch;
  /** By default, it is a simulator's. */
  softwareVersion?: string;
  terminalSn?: string;
  /** Each stage takes so long; 0 by default. */
  pace?: Milliseconds | PaymentsOptions["pace"];
  /** Each text in either direction takes so long. */
  latency?: Milliseconds;
  /** By default, the cents of the amount decide. */
  behaviourOf?: PaymentsOptions["behaviourOf"];
  /** By default, one that does what the terminal asks. */
  customer?: SimulatedCustomer;
  /** Short by default, because a simulator has no fleet. */
  reconnect?: Backoff;
  /** From 0 to 1, for these waits. */
  random?: () => number;
  onEvent?: (event: TerminalEvent) => void;
  onStage?: (request: TransactionRequest, stage: Stage) => void;
  onReceipt?: HostOptions["onReceipt"];
}

const QUICK_RECONNECT: Backoff = { first: 200, longest: 5_000 };

/** From switching on to switching off or to a power cut, after which a cycle has no effect. */
interface PowerCycle {
  client: TerminalClient;
  powered: boolean;
  sockets: FaultySocket[];
}

/** A terminal on the real client. Its ledger has the actual charges. */
export class SimulatedTerminal {
  readonly ledger: Ledger;
  readonly receipts: string[] = [];
  readonly #options: SimulatedTerminalOptions;
  readonly #behaviourOf: PaymentsOptions["behaviourOf"];
  readonly #faults: WireFaults;
  readonly #store: TerminalStore;
  #cycle: PowerCycle;

  constructor(options: SimulatedTerminalOptions) {
    this.#options = options;
    this.ledger = options.ledger ?? new Ledger();
    this.#store = options.store ?? new MemoryStore();
    this.#behaviourOf = options.behaviourOf ?? behaviourByAmount;
    this.#faults = new WireFaults(this.#behaviourOf);
    this.#cycle = this.#newCycle();
  }

  /** For binding and reports. A new one after each power cut. */
  get client(): TerminalClient {
    return this.#cycle.client;
  }

  /** The terminal connects automatically. */
  async switchOn(): Promise<void> {
    await this.#cycle.client.start();
  }

  /** Resolves when the gateway has confirmed the connection. */
  async start(): Promise<void> {
    await this.switchOn();
    await this.#cycle.client.connected();
  }

  async bind(key: string): Promise<SessionResult<{ posId: string; merchantId: string }>> {
    return this.#cycle.client.bind(key);
  }

  /** Stops cleanly. `start` switches the terminal on again. */
  async stop(): Promise<void> {
    await this.#cycle.client.stop();
    this.#cycle = this.#newCycle();
  }

  /** Breaks the connection without a closing handshake. The terminal reconnects automatically. */
  dropConnection(): void {
    for (const socket of this.#cycle.sockets) socket.drop();
  }

  /** From now on nothing is sent, stored, charged or printed. Stored data is there again after `start`. */
  powerCut(): void {
    this.#cycle.powered = false;
    this.dropConnection();
    // The old cycle has no effect any more; stopping only ends its attempts to reconnect.
    void this.#cycle.client.stop();
    this.#cycle = this.#newCycle();
  }

  #newCycle(): PowerCycle {
    const { baseUrl, terminalId, secret, pace = 0, openSocket = openPlatformSocket } = this.#options;
    const { fetch, onEvent, onStage, onReceipt, random, reconnect = QUICK_RECONNECT, latency = 0 } = this.#options;
    const { softwareVersion = "simulator 1", terminalSn = `SIM-${terminalId}` } = this.#options;
    const sockets: FaultySocket[] = [];
    const powered = (): boolean => cycle.powered;
    const client: TerminalClient = new TerminalClient({
      baseUrl,
      terminalId,
      secret,
      softwareVersion,
      terminalSn: terminalSn.slice(0, RESULT_LENGTHS.terminalSn),
      store: poweredStore(this.#store, powered),
      handler: new Payments({
        ...this.#options,
        ledger: this.ledger,
        behaviourOf: this.#behaviourOf,
        customer: this.#options.customer ?? (async () => ({})),
        binding: () => client.binding,
        pace: typeof pace === "number" ? () => pace : pace,
        powered,
        onStage: (request, stage) => onStage?.(request, stage),
        onReceipt: (text, request) => {
          this.receipts.push(text);
          onReceipt?.(text, request);
        },
      }),
      openSocket: async (url, protocols) => {
        const socket = new FaultySocket(await openSocket(url, protocols), this.#faults, latency);
        sockets.splice(0, sockets.length, socket);
        if (!cycle.powered) socket.drop();
        return socket;
      },
      reconnect,
      ...(fetch === undefined ? {} : { fetch }),
      ...(random === undefined ? {} : { random }),
      onEvent: (event) => {
        if (cycle.powered) onEvent?.(event);
      },
    });
    const cycle: PowerCycle = { client, powered: true, sockets };
    return cycle;
  }
}

/** Its calls never resolve after a power loss. */
function poweredStore(store: TerminalStore, powered: () => boolean): TerminalStore {
  return {
    load: () => store.load(),
    save: (memory: TerminalMemory) => (powered() ? store.save(memory) : new Promise<never>(() => undefined)),
    close: async () => {
      if (powered()) await store.close?.();
    },
  };
}
