/** The demo's shops: terminals that stay connected, and some payments, so that the operator's page is not empty. */
import { join, resolve } from "node:path";
import { inParallel } from "../../bounds/parallel.ts";
import { FileStore } from "../../client/file-store.ts";
import { type PosClient, PosError, type TransferProgress } from "../../client/pos.ts";
import type { Operator } from "../../command-line/operator/client.ts";
import { openLedger } from "../../simulator/ledger-file.ts";
import { randomOf } from "../../simulator/random.ts";
import { SimulatedTerminal } from "../../simulator/simulated-terminal.ts";
import { readKept, writeKept } from "../data-folder.ts";
import { TERMS } from "../demo.ts";
import { cardSale, connect, openShop, type Shop, type ShopPlan, tillOf } from "../shop.ts";
import { SHOPS } from "./generated-hours.ts";

/** The first payments of each terminal, made once. The cents decide their outcomes. */
const AMOUNTS = ["8.90", "24.50", "61.00", "13.05", "37.20", "5.51", "112.80"];
const PAYMENTS = 3;

/**
 * The terminal reports it as pending, and the till does not ask again: it stays open until somebody asks or completes
 * it.
 */
const OPEN_AMOUNT = "48.22";

/** Milliseconds of each stage of a payment that nobody watches. */
const PACE = 60;

/** Terminals that connect and sell at the same time: few, because the developer's machine has other work. */
const WIDTH = 2;

interface DemoFleetOptions {
  baseUrl: string;
  operator: Operator;
  /** The data folder. */
  persistTo: string;
  /** Of all shops together. */
  terminals: number;
}

interface Kept {
  shops: Shop[];
  hasSold: boolean;
}

interface Counter {
  shop: Shop;
  pos: PosClient;
  terminalId: string;
  terminal: SimulatedTerminal;
}

/** In one process, each with one socket. They cost nothing while nobody sells. */
export class DemoFleet {
  readonly #options: DemoFleetOptions;
  readonly #folder: string;
  #counters: Counter[] = [];
  #isOver = false;

  constructor(options: DemoFleetOptions) {
    this.#options = options;
    this.#folder = resolve(join(options.persistTo, "fleet"));
  }

  /**
   * Creates what is missing, connects, and makes the first payments. Resolves to a sentence about what exists; null if
   * `stop` came first. Throws CommandError.
   */
  async start(): Promise<string | null> {
    const shops = await this.#shops();
    this.#counters = shops.flatMap((shop) => this.#countersOf(shop));
    await inParallel(this.#counters, WIDTH, async ({ shop, pos, terminal }) => {
      if (!this.#isOver) await connect(terminal, pos, shop);
    });
    if (!(await this.#load()).hasSold) await this.#sell(shops);
    if (this.#isOver) return null;
    // One terminal stays offline, for the page that shows problems.
    await this.#counters.at(-1)?.terminal.stop();
    const names = shops.map(({ name }) => name).join(" and ");
    return `${names}: ${this.#counters.length} simulated terminals, the last one offline.`;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#counters.map(({ terminal }) => terminal.stop()));
  }

  async #shops(): Promise<Shop[]> {
    const { baseUrl, operator } = this.#options;
    const { shops: kept } = await this.#load();
    const shops: Shop[] = [];
    for (const plan of this.#plans()) {
      if (this.#isOver) return shops;
      const known = kept.find(({ posId }) => posId === plan.posId);
      const isComplete = plan.terminalIds.every((terminalId) => known !== undefined && terminalId in known.secrets);
      shops.push(known !== undefined && isComplete ? { ...known, ...plan } : await openShop(baseUrl, operator, plan));
      const others = kept.filter(({ posId }) => !shops.some((shop) => shop.posId === posId));
      await writeKept(this.#path, { ...(await this.#load()), shops: [...shops, ...others] });
    }
    return shops;
  }

  /** Every shop has at least one terminal if there are enough. */
  #plans(): ShopPlan[] {
    const { terminals } = this.#options;
    return SHOPS.map(({ place, ...shop }, index) => {
      const count = Math.floor((terminals + SHOPS.length - 1 - index) / SHOPS.length);
      const names = Array.from({ length: count }, (_, at) => `T-${place}-${String(at + 1).padStart(2, "0")}`);
      return { ...shop, ...TERMS, terminalIds: names };
    }).filter(({ terminalIds }) => terminalIds.length > 0);
  }

  #countersOf(shop: Shop): Counter[] {
    const { baseUrl } = this.#options;
    const pos = tillOf(baseUrl, shop);
    return shop.terminalIds.map((terminalId) => {
      const terminal = new SimulatedTerminal({
        baseUrl,
        terminalId,
        secret: shop.secrets[terminalId] ?? "",
        store: new FileStore(join(this.#folder, `${terminalId}.json`)),
        ledger: openLedger(join(this.#folder, `${terminalId}.ledger`)),
        pace: PACE,
      });
      return { shop, pos, terminalId, terminal };
    });
  }

  async #sell(shops: Shop[]): Promise<void> {
    const random = randomOf(this.#counters.length);
    await inParallel(this.#counters, WIDTH, async ({ pos, terminalId }) => {
      for (let count = 0; count < PAYMENTS && !this.#isOver; count++) {
        await pos.sale(cardSale(terminalId, random.pick(AMOUNTS)));
      }
    });
    const [first] = this.#counters;
    if (first === undefined || this.#isOver) return;
    await leaveOpen(first);
    await writeKept(this.#path, { shops, hasSold: true });
  }

  #load(): Promise<Kept> {
    return readKept<Kept>(this.#path, { shops: [], hasSold: false });
  }

  get #path(): string {
    return join(this.#folder, "fleet.json");
  }
}

/** As a till that is switched off after the first 22. */
async function leaveOpen({ pos, terminalId }: Counter): Promise<void> {
  const off = new AbortController();
  const onProgress = ({ pending }: TransferProgress): void => void (pending !== null && off.abort());
  try {
    await pos.sale(cardSale(terminalId, OPEN_AMOUNT), { signal: off.signal, onProgress });
  } catch (error) {
    if (!(error instanceof PosError && error.kind === "aborted")) throw error;
  }
}
