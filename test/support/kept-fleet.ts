/** Terminals on the real client whose test knows everything that happened: who is connected, and each payment. */
import { inParallel } from "../../src/bounds/parallel.ts";
import { newReferenceId, type PosClient } from "../../src/client/pos.ts";
import { MemoryStore, TerminalClient } from "../../src/client/terminal.ts";
import type { Operator } from "../../src/command-line/operator/client.ts";
import { cardSale, openShop, tillOf, type Shop } from "../../src/development/shop.ts";
import { decimal } from "../../src/protocol/amounts.ts";
import type { AccountTransaction } from "../../src/protocol/events.ts";
import { between, streamOf } from "../chaos/journal.ts";
import { patiently } from "./patience.ts";

export interface Payment extends Pick<AccountTransaction, "referenceId" | "transType" | "statusCode" | "responseCode"> {
  counter: Counter;
  requestId: string;
  /** Hundredths. */
  amount: number;
  /** The terminal has reported it after it was 22. */
  isReported: boolean;
  isContrary: boolean;
  /** When its account was seen to have its end, epoch milliseconds. */
  recordedBy: number;
}

/** What a terminal does with a request: its responseCode, when it is time. */
interface Plan {
  responseCode: string;
  time: Promise<unknown>;
  begun: PromiseWithResolvers<void>;
  /** By the gateway: resolves to the requestId. */
  acknowledged: PromiseWithResolvers<string>;
}

export class Counter {
  readonly shop: Shop;
  readonly terminalId: string;
  readonly till: PosClient;
  state: "new" | "connected" | "offline" = "new";
  /** The gateway heard it last between these two, epoch milliseconds. */
  heard: [from: number, to: number] = [0, 0];
  sales = 0;
  client: TerminalClient | null = null;
  readonly #baseUrl: string;
  readonly #plans = new Map<string, Plan>();
  /** By requestId. */
  readonly #numbered = new Map<string, Plan>();
  readonly #store = new MemoryStore();
  #socket: WebSocket | null = null;
  #disconnected: () => void = () => undefined;

  constructor(baseUrl: string, shop: Shop, till: PosClient, terminalId: string) {
    this.#baseUrl = baseUrl;
    this.shop = shop;
    this.till = till;
    this.terminalId = terminalId;
  }

  /** Resolves when the gateway has confirmed its connection. */
  async start(): Promise<void> {
    this.client = new TerminalClient({
      baseUrl: this.#baseUrl,
      terminalId: this.terminalId,
      secret: this.shop.secrets[this.terminalId] ?? "",
      softwareVersion: "1",
      terminalSn: "1",
      store: this.#store,
      openSocket: (url, protocols) => (this.#socket = new WebSocket(url, protocols)),
      reconnect: { first: 100, longest: 1_000 },
      handler: {
        onRequest: async ({ referenceId, requestId }, controls) => {
          const plan = this.plan(referenceId);
          this.#numbered.set(requestId, plan);
          await controls.reachedHost();
          plan.begun.resolve();
          await plan.time;
          return resultOf(plan.responseCode);
        },
      },
      onEvent: (event) => {
        if (event.kind === "acknowledged") this.#numbered.get(event.requestId)?.acknowledged.resolve(event.requestId);
        if (event.kind === "disconnected") this.#disconnected();
      },
    });
    const began = Date.now();
    await this.client.start();
    await this.client.connected();
    [this.state, this.heard] = ["connected", [began, Infinity]];
  }

  async stop(): Promise<void> {
    await this.client?.stop();
    [this.state, this.heard[1]] = ["offline", Date.now()];
  }

  get isConnected(): boolean {
    return this.state === "connected";
  }

  /** Its connection ends, and it comes back. */
  async cut(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#disconnected = resolve;
    this.#socket?.close();
    await patiently(promise, () => `the end of the connection of ${this.terminalId}`);
    await this.client?.connected();
  }

  /** The plan of a payment; a new one approves at once unless told otherwise. */
  plan(referenceId: string, responseCode = "00", time: Promise<unknown> = Promise.resolve()): Plan {
    const known = this.#plans.get(referenceId);
    if (known !== undefined) return known;
    const own = { begun: Promise.withResolvers<void>(), acknowledged: Promise.withResolvers<string>() };
    const plan = { responseCode, time, ...own };
    this.#plans.set(referenceId, plan);
    return plan;
  }
}

function resultOf(responseCode: string) {
  const statusCode = responseCode === "00" || responseCode === "22" ? responseCode : "11";
  return { statusCode, responseCode } as const;
}

const NEW = { isReported: false, isContrary: false, recordedBy: Infinity };

export class KeptFleet {
  readonly counters: Counter[] = [];
  readonly ledger: Payment[] = [];
  readonly #operator: Operator;
  readonly #seed: string;

  private constructor(operator: Operator, seed: string) {
    this.#operator = operator;
    this.#seed = seed;
  }

  /** Shops with so many terminals each, which are bound and have never connected. */
  static async open(
    baseUrl: string,
    operator: Operator,
    seed: string,
    { shops, each, currencies }: { shops: number; each: number; currencies: readonly string[] },
  ): Promise<KeptFleet> {
    const fleet = new KeptFleet(operator, seed);
    const numbers = Array.from({ length: shops }, (_, index) => index);
    const opened = await inParallel(numbers, 4, async (index) => {
      const terminalIds = Array.from({ length: each }, (_, terminal) => `T-${index}-${terminal}`);
      const currency = currencies[index % currencies.length] ?? "";
      const names = { posId: `POS-${index}`, merchantId: `M-${index}`, name: `Shop ${index}` };
      return openShop(baseUrl, operator, { ...names, currency, timezone: "UTC", terminalIds });
    });
    for (const shop of opened) {
      const till = tillOf(baseUrl, shop);
      fleet.counters.push(...shop.terminalIds.map((id) => new Counter(baseUrl, shop, till, id)));
    }
    return fleet;
  }

  in(state: Counter["state"]): Counter[] {
    return this.counters.filter((counter) => counter.state === state);
  }

  get unresolved(): Payment[] {
    return this.ledger.filter(({ statusCode }) => statusCode === "22");
  }

  get contrary(): Payment[] {
    return this.ledger.filter(({ isContrary }) => isContrary);
  }

  /** Those whose terminal may still report what became of them. */
  reportable(payments: readonly Payment[]): Payment[] {
    return payments.filter(({ isReported, counter }) => !isReported && counter.isConnected);
  }

  get completed(): Payment[] {
    return this.ledger.filter(({ statusCode }) => statusCode !== "22");
  }

  /**
   * Resolves when the till has its outcome; with 22, when the gateway has acknowledged that.
   *
   * @param begun called when the terminal has the request
   */
  async sell(counter: Counter, responseCode: string, time?: Promise<unknown>, begun?: () => void): Promise<void> {
    // Whoever sells first: the same seed, the same amounts.
    const amount = between(streamOf(this.#seed, counter.terminalId, (counter.sales += 1)), 100, 99_900);
    const began = Date.now();
    const request = cardSale(counter.terminalId, decimal(amount));
    const { referenceId } = request;
    const plan = counter.plan(referenceId, responseCode, time);
    void plan.begun.promise.then(begun);
    const hungUp = new AbortController();
    const answer = counter.till.sale(request, { signal: hungUp.signal });
    const payment = { counter, referenceId, amount, transType: "sale", ...NEW } as const;
    if (responseCode === "22") {
      answer.catch(() => undefined);
      const requestId = await acknowledged(plan, referenceId);
      hungUp.abort();
      this.ledger.push({ ...payment, requestId, statusCode: "22", responseCode });
    } else {
      const { statusCode, responseCode: code, transData } = await answer;
      this.ledger.push({ ...payment, requestId: transData?.transId ?? "", statusCode, responseCode: code });
    }
    if (counter.isConnected) counter.heard[0] = began;
  }

  /** Voids a sale. */
  async takeBack({ counter, requestId: transId, amount }: Payment): Promise<void> {
    const [began, referenceId] = [Date.now(), newReferenceId()];
    counter.plan(referenceId);
    const answer = await counter.till.void({ deviceId: counter.terminalId, referenceId, transId });
    const { statusCode, responseCode } = answer;
    this.ledger.push({
      counter,
      referenceId,
      amount,
      requestId: "",
      transType: "void",
      statusCode,
      responseCode,
      ...NEW,
    });
    counter.heard[0] = began;
  }

  /** The terminal reports that the money of a 22 has moved after all: contrary to an operator who has decided. */
  async report(payment: Payment): Promise<void> {
    const { counter, requestId, referenceId } = payment;
    const plan = counter.plan(referenceId);
    plan.acknowledged = Promise.withResolvers<string>();
    const began = Date.now();
    await counter.client?.report(requestId, resultOf("00"));
    await acknowledged(plan, referenceId);
    counter.heard[0] = began;
    payment.isReported = true;
    if (payment.statusCode === "11") payment.isContrary = true;
    else Object.assign(payment, { statusCode: "00", responseCode: "00" });
  }

  /** The operator decides that no money has moved. */
  async resolve(payment: Payment): Promise<void> {
    const { counter, requestId } = payment;
    const path = `/terminals/${counter.terminalId}/transactions/${requestId}/resolve`;
    await this.#operator.must("POST", path, { statusCode: "11", reason: "The host has no such payment." });
    Object.assign(payment, { statusCode: "11", responseCode: "RESOLVED" });
  }

  /** The operator closes a contradiction. */
  async close(payment: Payment): Promise<void> {
    const path = `/accounts/${payment.counter.shop.posId}/transactions/${payment.requestId}/close`;
    await this.#operator.must("POST", path, { reason: "Refunded." });
    payment.isContrary = false;
  }
}

async function acknowledged(plan: Plan, referenceId: string): Promise<string> {
  return patiently(plan.acknowledged.promise, () => `the acknowledgement of ${referenceId}`);
}
