import type { Backoff } from "../client/backoff.ts";
import type { Fetch } from "../client/fetch.ts";
import { MemoryStore, TerminalClient } from "../client/terminal.ts";
import type {
  OpenSocket,
  SessionResult,
  Stage,
  TerminalEvent,
  TerminalMemory,
  TerminalStore,
  TransactionRequest,
} from "../client/terminal.ts";
import { openPlatformSocket } from "../client/terminal/socket.ts";
import { behaviourFor } from "./behaviour.ts";
import type { Behaviour } from "./behaviour.ts";
import { FaultySocket } from "./faulty-socket.ts";
import { Ledger } from "./ledger.ts";
import { Payments } from "./payments.ts";
import type { Customer } from "./payments.ts";
import { WireFaults } from "./wire-faults.ts";

export interface SimulatedTerminalOptions {
  baseUrl: string;
  terminalId: string;
  secret: string;
  /** Without one, the memory lasts as long as this object. */
  store?: TerminalStore;
  /** What the host really charged; may be shared, or kept over a change of devices. */
  ledger?: Ledger;
  openSocket?: OpenSocket;
  fetch?: Fetch;
  /** Milliseconds that each stage takes: none unless given. */
  pace?: number;
  /** Milliseconds that each text takes on the wire, either way. */
  latency?: number;
  /** How every transaction is treated; without it, the cents of the amount decide. */
  behaviour?: Behaviour;
  /** Who presents what; without one, the terminal meets what it expects. */
  customer?: Customer;
  /** Waits between connections; short unless given, as no fleet is behind a simulator. */
  reconnect?: Backoff;
  onEvent?: (event: TerminalEvent) => void;
  onStage?: (request: TransactionRequest, stage: Stage) => void;
  onReceipt?: (text: string) => void;
}

const QUICK_RECONNECT: Backoff = { first: 200, longest: 5_000 };

/** From switching on to switching off, or to the power cut after which nothing of it has any effect. */
interface PowerCycle {
  client: TerminalClient;
  powered: boolean;
  sockets: FaultySocket[];
}

/**
 * A terminal without hardware on the real client: it acts on the cents of the amount, or as `behaveNext` says, and keeps
 * a ledger of what it really charged.
 */
export class SimulatedTerminal {
  readonly ledger: Ledger;
  readonly receipts: string[] = [];
  readonly #options: SimulatedTerminalOptions;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #next: Behaviour[] = [];
  readonly #faults: WireFaults;
  #store: TerminalStore;
  #cycle: PowerCycle;

  constructor(options: SimulatedTerminalOptions) {
    this.#options = options;
    this.ledger = options.ledger ?? new Ledger();
    this.#store = options.store ?? new MemoryStore();
    this.#faults = new WireFaults((request) => this.#behaviourOf(request));
    this.#cycle = this.#newCycle();
  }

  /** Where its memory is. */
  get store(): TerminalStore {
    return this.#store;
  }

  /** The client inside: binding, reports. Another one after each power cut. */
  get client(): TerminalClient {
    return this.#cycle.client;
  }

  /** Switches the terminal on; it connects by itself. */
  async switchOn(): Promise<void> {
    await this.#cycle.client.start();
  }

  /** Switches the terminal on; resolves when the gateway has confirmed its connection. */
  async start(): Promise<void> {
    await this.switchOn();
    await this.#cycle.client.connected();
  }

  async bind(key: string): Promise<SessionResult<{ posId: string; merchantId: string }>> {
    return this.#cycle.client.bind(key);
  }

  /** Switches it off in good order; `start` switches it on again. */
  async stop(): Promise<void> {
    await this.#cycle.client.stop();
    this.#cycle = this.#newCycle();
  }

  /** The next requests that come in, of whatever amount, are treated so; then the cents decide again. */
  behaveNext(...behaviours: Behaviour[]): void {
    this.#next.push(...behaviours);
  }

  /** The current connection breaks without a word; the terminal reconnects by itself. */
  dropConnection(): void {
    for (const socket of this.#cycle.sockets) socket.drop();
  }

  /**
   * The power goes: from this moment nothing is sent, stored, charged or printed. What had been stored is there again
   * after `start`.
   */
  powerCut(): void {
    this.#cycle.powered = false;
    this.dropConnection();
    // Nothing of it arrives anywhere; stopping only ends its tries to reconnect.
    void this.#cycle.client.stop();
    this.#cycle = this.#newCycle();
  }

  /** Another device takes over the identity, with nothing in its memory. Only while switched off. */
  loseMemory(): void {
    this.#store = new MemoryStore();
    this.#cycle = this.#newCycle();
  }

  #newCycle(): PowerCycle {
    const { baseUrl, terminalId, secret, pace = 0, openSocket = openPlatformSocket } = this.#options;
    const { fetch, onEvent, onStage, onReceipt, reconnect = QUICK_RECONNECT, latency = 0 } = this.#options;
    const sockets: FaultySocket[] = [];
    const powered = (): boolean => cycle.powered;
    const client: TerminalClient = new TerminalClient({
      baseUrl,
      terminalId,
      secret,
      softwareVersion: "simulator 1",
      terminalSn: `SIM-${terminalId}`.slice(0, 40),
      store: poweredStore(this.#store, powered),
      handler: new Payments({
        ledger: this.ledger,
        behaviourOf: (request) => this.#behaviourOf(request),
        customer: this.#options.customer ?? (async () => ({})),
        binding: () => client.binding,
        terminalId,
        pace,
        powered,
        onStage: (request, stage) => onStage?.(request, stage),
        onReceipt: (text) => {
          this.receipts.push(text);
          onReceipt?.(text);
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
      onEvent: (event) => {
        if (cycle.powered) onEvent?.(event);
      },
    });
    const cycle: PowerCycle = { client, powered: true, sockets };
    return cycle;
  }

  /** Decided once per request, so that a repetition meets the same fate. */
  #behaviourOf(request: TransactionRequest): Behaviour {
    const known = this.#behaviours.get(request.requestId);
    if (known !== undefined) return known;
    const { transAmt } = request.transData;
    const byAmount = typeof transAmt === "string" ? behaviourFor(transAmt) : ({ kind: "approve" } as const);
    const behaviour = this.#next.shift() ?? this.#options.behaviour ?? byAmount;
    this.#behaviours.set(request.requestId, behaviour);
    return behaviour;
  }
}

/** A store that never comes back once the power is gone. */
function poweredStore(store: TerminalStore, powered: () => boolean): TerminalStore {
  return {
    load: () => store.load(),
    save: (memory: TerminalMemory) => (powered() ? store.save(memory) : new Promise<never>(() => undefined)),
    close: async () => {
      if (powered()) await store.close?.();
    },
  };
}
