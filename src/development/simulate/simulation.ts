import { setTimeout as delay } from "node:timers/promises";
import { inParallel } from "../../bounds/parallel.ts";
import { platformFetch } from "../../client/deadline.ts";
import { newReferenceId, type PosClient, PosError, type StatusCode, type TransferAnswer } from "../../client/pos.ts";
import type { TerminalEvent } from "../../client/terminal.ts";
import { randomOf, type Random } from "../../simulator/random.ts";
import { SimulatedTerminal } from "../../simulator/simulated-terminal.ts";
import { MINUTE } from "../../time/units.ts";
import { openShop, type PatientOperator, type Shop, tillOf, WIDTH } from "../shop.ts";
import { Book, brokenPromises, type Entry, recordKey } from "./book.ts";

/** The cents for which the simulated terminal does not simply approve, with their share in a thousand sales. */
const UNUSUAL: [cents: string, share: number][] = [
  // Declined, insufficient funds, expired card, wrong PIN, issuer unavailable.
  ["05", 30],
  ["51", 20],
  ["54", 8],
  ["55", 12],
  ["91", 6],
  // The customer cancels.
  ["88", 20],
  // Pending first, then approved or declined.
  ["22", 10],
  ["23", 5],
  // The connection drops before the result, or before the request is accepted; the result is sent twice; refused as
  // busy; signed wrongly at first.
  ["81", 12],
  ["82", 8],
  ["84", 10],
  ["86", 4],
  ["87", 6],
];

const USUAL = ["00", "10", "20", "50", "80", "90", "95", "99"];

/** `4.50` to `180.99`; the cents decide what the terminal does. */
export function drawAmount(random: Random): string {
  const units = 4 + random.below(random.chance(0.2) ? 177 : 40);
  let draw = random.below(1_000);
  for (const [cents, share] of UNUSUAL) {
    if (draw < share) return `${units}.${cents}`;
    draw -= share;
  }
  return `${units}.${random.pick(USUAL)}`;
}

const VOIDED = 0.03;

/** Share of the tills' messages whose answer is lost on its way back. */
const ANSWERS_LOST = 0.01;

/** Averages per terminal and minute. */
const CONNECTIONS_LOST = 0.1;
const POWER_CUTS = 0.03;

/** Milliseconds of each stage of a payment. */
const PACE = 150;

/** Milliseconds without power, at most. */
const DARK_FOR = 5_000;

export interface Disruptions {
  reconnects: number;
  dropped: number;
  powerCuts: number;
  alarms: string[];
}

class Device {
  readonly terminalId: string;
  readonly terminal: SimulatedTerminal;
  /** Milliseconds that terminal and customer took, by the transaction's number. */
  readonly took = new Map<string, number>();
  isBusy = false;
  readonly #random: Random;
  readonly #disruptions: Disruptions;
  readonly #accepted = new Map<string, number>();
  #wasConnected = false;
  #isDark = false;
  #isOver = false;

  constructor(
    identity: { baseUrl: string; terminalId: string; secret: string },
    random: Random,
    disruptions: Disruptions,
  ) {
    this.terminalId = identity.terminalId;
    this.#random = random;
    this.#disruptions = disruptions;
    this.terminal = new SimulatedTerminal({ ...identity, pace: PACE, onEvent: (event) => this.#heard(event) });
  }

  /** Causes a fault or none; call it every `every` milliseconds. */
  injectFaults(every: number): void {
    if (this.#isDark) return;
    const share = every / MINUTE;
    if (this.#random.chance(POWER_CUTS * share)) void this.#losePower();
    else if (this.#random.chance(CONNECTIONS_LOST * share)) {
      this.#disruptions.dropped++;
      this.terminal.dropConnection();
    }
  }

  async #losePower(): Promise<void> {
    this.#isDark = true;
    this.#disruptions.powerCuts++;
    this.terminal.powerCut();
    await delay(1_000 + this.#random.below(DARK_FOR - 1_000));
    if (!this.#isOver) await this.terminal.switchOn();
    this.#isDark = false;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.terminal.stop();
  }

  #heard(event: TerminalEvent): void {
    switch (event.kind) {
      case "connected":
        if (this.#wasConnected) this.#disruptions.reconnects++;
        this.#wasConnected = true;
        return;
      case "accepted":
        this.#accepted.set(event.requestId, performance.now());
        return;
      case "concluded": {
        const begun = this.#accepted.get(event.requestId);
        if (begun !== undefined) this.took.set(event.requestId, performance.now() - begun);
        return;
      }
      case "replaced":
      case "forged-request":
      case "bad-frame":
      case "contradiction":
      case "handler-failed":
      case "memory-failed":
        this.#disruptions.alarms.push(`${this.terminalId}: ${event.kind}.`);
        return;
      default:
        return;
    }
  }
}

/** Share of completed sales whose request is sent again, to compare the answers. */
const REPEATED = 0.02;

type Send = () => Promise<TransferAnswer>;
type Kind = Pick<Entry, "transType" | "voids" | "referenceId">;

interface TillOptions {
  baseUrl: string;
  shop: Shop;
  book: Book;
  random: Random;
  signal: AbortSignal;
}

class Till {
  readonly pos: PosClient;
  readonly #options: TillOptions;
  /** How to ask again about an entry without an outcome. */
  readonly #open = new Map<Entry, Send>();

  constructor(options: TillOptions) {
    this.#options = options;
    this.pos = tillOf(options.baseUrl, options.shop, { fetch: (request) => this.#fetch(request) });
  }

  /** One sale at the terminal, and sometimes its void. Resolves when the till knows the outcome or gives up. */
  async serve(deviceId: string): Promise<void> {
    const request = { deviceId, referenceId: newReferenceId(), transAmt: drawAmount(this.#options.random) };
    const send: Send = () => this.pos.sale({ ...request, paymentMethod: "bankCard" }, { signal: this.#options.signal });
    const { referenceId } = request;
    const answer = await this.#record(deviceId, { transType: "sale", voids: null, referenceId }, send);
    if (answer === null || answer.statusCode === "22") return;
    if (this.#options.random.chance(REPEATED)) await this.#compare(answer, send);
    const transId = answer.transData?.transId;
    if (answer.statusCode !== "00" || transId === undefined || !this.#options.random.chance(VOIDED)) return;
    const undo = { deviceId, referenceId: newReferenceId(), transId };
    const sendUndo: Send = () => this.pos.void(undo, { signal: this.#options.signal });
    await this.#record(deviceId, { transType: "void", voids: referenceId, referenceId: undo.referenceId }, sendUndo);
  }

  async clearUp(): Promise<void> {
    for (const [entry, send] of this.#open) {
      const answer = await send().catch(ignored);
      if (answer === null) continue;
      Object.assign(entry, { statusCode: answer.statusCode, responseCode: answer.responseCode });
      if (answer.statusCode !== "22") this.#open.delete(entry);
    }
  }

  async #record(deviceId: string, kind: Kind, send: Send): Promise<TransferAnswer | null> {
    const begun = performance.now();
    let answer: TransferAnswer | null = null;
    try {
      answer = await send();
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      if (!error.outcomeUnknown) {
        this.#options.book.refuse(error.kind);
        return null;
      }
    }
    const entry: Entry = {
      posId: this.#options.shop.posId,
      deviceId,
      ...kind,
      statusCode: answer?.statusCode ?? null,
      responseCode: answer?.responseCode ?? "",
      transId: answer?.transData?.transId ?? null,
      took: performance.now() - begun,
    };
    this.#options.book.add(entry);
    if (answer === null || answer.statusCode === "22") this.#open.set(entry, send);
    return answer;
  }

  async #compare(first: TransferAnswer, send: Send): Promise<void> {
    const second = await send().catch(ignored);
    if (second === null) return;
    this.#options.book.counts.repeated++;
    if (JSON.stringify(second) !== JSON.stringify(first)) {
      this.#options.book.changed.push(
        `${first.referenceId} was ${first.statusCode} ${first.responseCode}, and then ` +
          `${second.statusCode} ${second.responseCode}.`,
      );
    }
  }

  /** Loses some answers to transfers after the gateway has given them. */
  async #fetch(request: Request): Promise<Response> {
    const response = await platformFetch(request);
    if (response.status === 429) this.#options.book.counts.limited++;
    if (new URL(request.url).pathname !== "/api/transfer" || !this.#options.random.chance(ANSWERS_LOST))
      return response;
    this.#options.book.counts.lost++;
    await response.body?.cancel();
    throw new TypeError("simulated loss of the answer");
  }
}

/** A failed call is repeated later, or its outcome is reported as unknown. */
function ignored(error: unknown): null {
  if (error instanceof PosError) return null;
  throw error;
}

/** Few enough for the gateway's rate limit of one account. */
const SHOP_TERMINALS = 50;

/** Milliseconds between two decisions about new sales and faults. */
const TICK = 100;

const RECORDED_WITHIN = 10_000;

export interface SimulationOptions {
  baseUrl: string;
  operator: PatientOperator;
  /** Every id begins with it. */
  prefix: string;
  terminals: number;
  salesPerMinute: number;
  seed: number;
}

/** Call the steps in the order of the methods. */
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

  get inProgress(): number {
    return this.#running.size;
  }

  /** Throws CommandError. */
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
        const device = new Device({ baseUrl, terminalId, secret }, this.#random, this.disruptions);
        this.#devices.push({ device, till });
      }
    }
  }

  async connect(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await inParallel(this.#devices, WIDTH, async ({ device }) => {
      if (!signal.aborted) await Promise.race([device.terminal.start(), stopped]);
    });
  }

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

  /** Waits for the sales in progress, and asks again about open ones; gives up after `within` milliseconds. */
  async complete(within: number): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(), within);
    await Promise.all(this.#running);
    await Promise.all([...this.#tills.values()].map((till) => till.clearUp()));
    clearTimeout(timer);
  }

  async judge(): Promise<string[]> {
    const until = performance.now() + RECORDED_WITHIN;
    const ledgers = new Map(this.#devices.map(({ device }) => [device.terminalId, device.terminal.ledger]));
    for (;;) {
      const broken = brokenPromises({ entries: this.book.entries, ledgers, recorded: await this.#recorded() });
      if (broken.length === 0 || performance.now() > until)
        return [...broken, ...this.book.changed, ...this.disruptions.alarms];
      await delay(1_000);
    }
  }

  /** Milliseconds of every sale. `own`: without the time that customer and terminal took. */
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

  async stop(): Promise<void> {
    this.#giveUp.abort();
    await Promise.all(this.#devices.map(({ device }) => device.stop()));
  }

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
