import { setTimeout as delay } from "node:timers/promises";
import type { StatusCode } from "../../client/pos.ts";
import { randomOf, type Random } from "../../simulator/random.ts";
import { inParallel } from "../../bounds/parallel.ts";
import { WIDTH, openShop, type Shop } from "../fleet/shop.ts";
import type { Operator } from "../../command-line/operator/client.ts";
import { Book, brokenPromises, recordKey } from "./book.ts";
import { Device, type Disruptions } from "./device.ts";
import { Till } from "./till.ts";

/** Terminals of one shop: few enough for the gateway's rate limit of one account. */
const SHOP_TERMINALS = 50;

/** Milliseconds between two decisions about new sales and faults. */
const TICK = 100;

/** How long the gateway may take to list an outcome. */
const RECORDED_WITHIN = 10_000;

export interface SimulationOptions {
  baseUrl: string;
  operator: Operator;
  /** Every id begins with it. */
  prefix: string;
  terminals: number;
  salesPerMinute: number;
  seed: number;
}

/** A fleet of terminals with their tills and customers. Call its steps in the order of the methods. */
export class Simulation {
  readonly book = new Book();
  readonly disruptions: Disruptions = { reconnects: 0, dropped: 0, powerCuts: 0, alarms: [] };
  readonly #options: SimulationOptions;
  readonly #random: Random;
  readonly #giveUp = new AbortController();
  readonly #devices: { device: Device; till: Till }[] = [];
  readonly #tills = new Map<Shop, Till>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#random = randomOf(options.seed);
  }

  /** Sales in progress. */
  get inProgress(): number {
    return this.#running.size;
  }

  /** Creates shops, accounts and terminals. Stops between two shops when `signal` is aborted. Throws CommandError. */
  async setUp(signal: AbortSignal): Promise<void> {
    const { baseUrl, operator, prefix, terminals } = this.#options;
    const names = Array.from({ length: terminals }, (_, index) => `${prefix}-${String(index + 1).padStart(4, "0")}`);
    for (let first = 0; first < terminals && !signal.aborted; first += SHOP_TERMINALS) {
      const number = first / SHOP_TERMINALS + 1;
      const shop = await openShop(baseUrl, operator, {
        posId: `${prefix}-A${number}`,
        merchantId: `${prefix}-M${number}`,
        name: `Simulated shop ${number}`,
        currency: "MYR",
        timezone: "Asia/Kuala_Lumpur",
        terminalIds: names.slice(first, first + SHOP_TERMINALS),
      });
      const till = new Till({ baseUrl, shop, book: this.book, random: this.#random, signal: this.#giveUp.signal });
      this.#tills.set(shop, till);
      for (const [terminalId, secret] of Object.entries(shop.secrets)) {
        const parts = { baseUrl, terminalId, secret, random: this.#random, disruptions: this.disruptions };
        this.#devices.push({ device: new Device(parts), till });
      }
    }
  }

  /** Connects the terminals, a few at a time. Resolves early when `signal` is aborted. */
  async connect(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await inParallel(this.#devices, WIDTH, async ({ device }) => {
      if (!signal.aborted) await Promise.race([device.terminal.start(), stopped]);
    });
  }

  /** Sells for this many milliseconds, or until `signal` is aborted. */
  async sell(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { salesPerMinute } = this.#options;
    const begun = performance.now();
    let sales = 0;
    while (!signal.aborted && performance.now() - begun < milliseconds) {
      const due = ((performance.now() - begun) / 60_000) * salesPerMinute;
      for (; sales < due; sales++) this.#beginSale();
      for (const { device } of this.#devices) device.injectFaults(TICK);
      await delay(TICK, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Waits for the sales in progress, and asks again about open ones; gives up after this many milliseconds. */
  async complete(within: number): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(), within);
    await Promise.all(this.#running);
    await Promise.all([...this.#tills.values()].map((till) => till.clearUp()));
    clearTimeout(timer);
  }

  /** A sentence for every broken promise. */
  async judge(): Promise<string[]> {
    const until = Date.now() + RECORDED_WITHIN;
    const ledgers = new Map(this.#devices.map(({ device }) => [device.terminalId, device.terminal.ledger]));
    for (;;) {
      const broken = brokenPromises({ entries: this.book.entries, ledgers, recorded: await this.#recorded() });
      if (broken.length === 0 || Date.now() > until)
        return [...broken, ...this.book.changed, ...this.disruptions.alarms];
      await delay(1_000);
    }
  }

  /** Milliseconds of every sale at the till, and the part that neither customer nor terminal took. */
  times(): { all: number[]; own: number[] } {
    const took = new Map(this.#devices.map(({ device }) => [device.terminalId, device.took]));
    const all: number[] = [];
    const own: number[] = [];
    for (const entry of this.book.entries) {
      if (entry.statusCode === null) continue;
      all.push(entry.took);
      const atTerminal = took.get(entry.deviceId)?.get(entry.transId ?? "");
      if (entry.transType === "sale" && atTerminal !== undefined) own.push(Math.max(0, entry.took - atTerminal));
    }
    return { all, own };
  }

  /** Switches every terminal off. */
  async stop(): Promise<void> {
    this.#giveUp.abort();
    await Promise.all(this.#devices.map(({ device }) => device.stop()));
  }

  /** Begins a sale at a free terminal; does nothing if all are busy. */
  #beginSale(): void {
    const free = this.#devices.filter(({ device }) => !device.isBusy);
    if (free.length === 0) return;
    const { device, till } = this.#random.pick(free);
    device.isBusy = true;
    const sale = till.serve(device.terminalId).finally(() => {
      device.isBusy = false;
      this.#running.delete(sale);
    });
    this.#running.add(sale);
  }

  async #recorded(): Promise<Map<string, StatusCode>> {
    const recorded = new Map<string, StatusCode>();
    for (const [{ posId }, { pos }] of this.#tills) {
      for await (const { referenceId, statusCode } of pos.transactions()) {
        recorded.set(recordKey({ posId, referenceId }), statusCode);
      }
    }
    return recorded;
  }
}
