/** Simulated terminals, POS programs and customers at a running gateway, with faults. */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { platformFetch } from "../../sdk/client/deadline.ts";
import {
  newReferenceId,
  type PosClient,
  PosError,
  type StatusCode,
  type TransferAnswer,
} from "../../sdk/client/pos.ts";
import type { TerminalEvent } from "../../sdk/client/terminal.ts";
import { CommandError } from "../../sdk/command-line/operator-client.ts";
import { type Result, err, ok } from "../../protocol/result.ts";
import { createRandom, type Random } from "../../sdk/simulator/random.ts";
import { SimulatedTerminal } from "../../sdk/simulator/simulated-terminal.ts";
import { MINUTE, SECOND, type Milliseconds } from "../../protocol/time/units.ts";
import { openShop, createShopPos, WIDTH } from "../../sdk/command-line/operator-shop.ts";
import { cardSale, PatientOperator, removeAll } from "../development/shop.ts";
import { brokenPromises, type SimulatedEntry, recordKey } from "./judge.ts";

/** The ids of all accounts and terminals of simulations, and of the test sales of deploys, begin with these. */
export const PREFIX = "SIM-";
export const TRIAL_PREFIX = "DEPLOY-TRIAL-";

/**
 * The cents for which the simulated terminal does not simply approve, with their share in a thousand sales. First the
 * declined: by the issuer, funds, expired, wrong PIN, issuer unavailable. 88: the customer cancels. 22, 23: pending first.
 * Then faults: the connection drops before the result, or before the request is accepted; the result is sent twice;
 * refused as busy; signed wrongly at first.
 */
const DECLINED = { "05": 30, "51": 20, "54": 8, "55": 12, "91": 6 };
const UNUSUAL = Object.entries({
  ...DECLINED,
  "88": 20,
  "22": 10,
  "23": 5,
  "81": 12,
  "82": 8,
  "84": 10,
  "86": 4,
  "87": 6,
});

const USUAL = ["00", "10", "20", "50", "80", "90", "95", "99"];

/** `4.50` to `180.99`; the cents decide what the terminal does. */
export function drawAmount(random: Random): string {
  const units = 4 + random.below(random.chance(0.2) ? 177 : 40);
  let draw = random.below(1_000);
  const unusual = UNUSUAL.find(([, share]) => (draw -= share) < 0);
  return `${units}.${unusual?.[0] ?? random.pick(USUAL)}`;
}

/** Shares of approved sales that are voided, of completed ones that are sent again, and of messages whose answer is lost. */
const VOIDED = 0.03;
const REPEATED = 0.02;
const ANSWERS_LOST = 0.01;

/** Averages per terminal and minute. */
const CONNECTIONS_LOST = 0.1;
const POWER_CUTS = 0.03;

/** Of each stage of a payment, without power at most, and between decisions about new sales and faults. */
const PACE: Milliseconds = 150;
const DARK_FOR = 5 * SECOND;
const TICK = 100;

/** Milliseconds until the accounts have recorded every outcome. */
const RECORDED_WITHIN: Milliseconds = 10 * SECOND;

/** Few enough for the gateway's rate limit of one account. */
const SHOP_TERMINALS = 50;

/** Events of a terminal that a gateway that keeps its promises never causes. */
const ALARMS = ["replaced", "forged-request", "bad-frame", "contradiction", "handler-failed", "memory-failed"];

type Send = () => Promise<TransferAnswer>;

interface Counter {
  posId: string;
  terminalId: string;
  pos: PosClient;
  terminal: SimulatedTerminal;
  isBusy: boolean;
  isDark: boolean;
}

/** Call the steps in the order of the methods. */
export class Simulation {
  /** Every id begins with it. */
  readonly id: string;
  readonly entries: SimulatedEntry[] = [];
  readonly counts = { repeated: 0, answersLost: 0, limited: 0, refused: 0, dropped: 0, powerCuts: 0, reconnects: 0 };
  readonly #baseUrl: string;
  readonly #operator: PatientOperator;
  readonly #random: Random;
  readonly #counters: Counter[] = [];
  readonly #running = new Set<Promise<unknown>>();
  /** How to ask again about an entry without an outcome. */
  readonly #open = new Map<SimulatedEntry, Send>();
  readonly #problems: string[] = [];
  readonly #giveUp = new AbortController();

  constructor(baseUrl: string, operator: PatientOperator, seed: number, prefix = PREFIX) {
    this.id = prefix + randomBytes(4).toString("hex").toUpperCase();
    this.#baseUrl = baseUrl;
    this.#operator = operator;
    this.#random = createRandom(seed);
  }

  /** Creates the shops, and connects their terminals. Throws CommandError. */
  async open(terminals: number, signal: AbortSignal): Promise<void> {
    const names = Array.from({ length: terminals }, (_, index) => `${this.id}-${String(index + 1).padStart(4, "0")}`);
    for (let first = 0; first < terminals && !signal.aborted; first += SHOP_TERMINALS) {
      const posId = `${this.id}-A${first / SHOP_TERMINALS + 1}`;
      const terminalIds = names.slice(first, first + SHOP_TERMINALS);
      const terms = { name: "Simulated shop", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
      const shop = await openShop(this.#baseUrl, this.#operator, { posId, merchantId: posId, terminalIds, ...terms });
      const pos = createShopPos(this.#baseUrl, shop, { fetch: (request) => this.#fetch(request) });
      for (const [terminalId, secret] of Object.entries(shop.secrets)) {
        const onEvent = (event: TerminalEvent) => this.#note(terminalId, event);
        const terminal = new SimulatedTerminal({ baseUrl: this.#baseUrl, terminalId, secret, pace: PACE, onEvent });
        this.#counters.push({ posId, terminalId, pos, terminal, isBusy: false, isDark: false });
      }
    }
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await mapConcurrently(this.#counters, WIDTH, async ({ terminal }) => {
      if (!signal.aborted) await Promise.race([terminal.start(), stopped]);
    });
    // Each terminal connects once without a fault.
    this.counts.reconnects -= terminals;
  }

  async sell(milliseconds: number, salesPerMinute: number, signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    for (let sales = 0; !signal.aborted && performance.now() - begun < milliseconds;) {
      const due = ((performance.now() - begun) / MINUTE) * salesPerMinute;
      for (; sales < due; sales++) this.#beginSale();
      for (const counter of this.#counters) this.#injectFault(counter);
      await delay(TICK, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Waits for the sales in progress, and asks again about open ones; gives up after `within` milliseconds. */
  async complete(within: number): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(), within);
    await Promise.all(this.#running);
    await mapConcurrently([...this.#open], WIDTH, async ([entry, send]) => {
      const { statusCode = entry.statusCode, responseCode = entry.responseCode } =
        (await send().catch(nullIfPosError)) ?? {};
      Object.assign(entry, { statusCode, responseCode });
    });
    clearTimeout(timer);
  }

  /** A sentence for each broken promise. */
  async judge(): Promise<string[]> {
    const until = performance.now() + RECORDED_WITHIN;
    const ledgers = new Map(this.#counters.map(({ terminalId, terminal }) => [terminalId, terminal.ledger]));
    for (;;) {
      const broken = brokenPromises({ entries: this.entries, ledgers, recorded: await this.#recorded() });
      if (broken.length === 0 || performance.now() > until) return [...broken, ...this.#problems];
      await delay(SECOND);
    }
  }

  /** Stops the terminals and removes what was created. */
  async close() {
    this.#giveUp.abort();
    await Promise.all(this.#counters.map(({ terminal }) => terminal.stop()));
    return removeAll(this.#operator, this.id);
  }

  /** One sale that is approved, without a fault. */
  async sellOnce(amount: string): Promise<TransferAnswer> {
    const [counter] = this.#counters;
    if (counter === undefined) throw new Error("Open the simulation first.");
    const request = cardSale(counter.terminalId, amount);
    const answer = await this.#send(counter, null, request.referenceId, () => counter.pos.sale(request));
    if (answer === null) throw new CommandError("The gateway refused the sale, or did not answer.");
    return answer;
  }

  #beginSale(): void {
    const free = this.#counters.filter(({ isBusy }) => !isBusy);
    if (free.length === 0) return;
    const counter = this.#random.pick(free);
    counter.isBusy = true;
    const sale = this.#serve(counter).finally(() => {
      counter.isBusy = false;
      this.#running.delete(sale);
    });
    this.#running.add(sale);
  }

  /** One sale, and sometimes its repetition or its void. Resolves when the POS knows the outcome or gives up. */
  async #serve(counter: Counter): Promise<void> {
    const { signal } = this.#giveUp;
    const request = cardSale(counter.terminalId, drawAmount(this.#random));
    const send: Send = () => counter.pos.sale(request, { signal });
    const first = await this.#send(counter, null, request.referenceId, send);
    if (first === null || first.statusCode === "22") return;
    if (this.#random.chance(REPEATED)) {
      const second = await send().catch(nullIfPosError);
      this.counts.repeated++;
      if (second !== null && JSON.stringify(second) !== JSON.stringify(first)) {
        this.#problems.push(`${first.referenceId} was ${first.responseCode}, and then ${second.responseCode}.`);
      }
    }
    const transId = first.transData?.transId;
    if (first.statusCode !== "00" || transId === undefined || !this.#random.chance(VOIDED)) return;
    const undo = { deviceId: counter.terminalId, referenceId: newReferenceId(), transId };
    await this.#send(counter, request.referenceId, undo.referenceId, () => counter.pos.void(undo, { signal }));
  }

  /** Null if the POS gave up. */
  async #send({ posId, terminalId: deviceId }: Counter, voids: string | null, referenceId: string, send: Send) {
    const begun = performance.now();
    const answer = await send().catch((error: unknown) => {
      if (error instanceof PosError && !error.outcomeUnknown) return "refused" as const;
      return nullIfPosError(error);
    });
    if (answer === "refused") {
      this.counts.refused++;
      return null;
    }
    const { statusCode = null, responseCode = "no answer" } = answer ?? {};
    const took = performance.now() - begun;
    const entry: SimulatedEntry = { posId, deviceId, referenceId, voids, statusCode, responseCode, took };
    this.entries.push(entry);
    if (statusCode === null || statusCode === "22") this.#open.set(entry, send);
    return answer;
  }

  #injectFault(counter: Counter): void {
    if (counter.isDark) return;
    const share = TICK / MINUTE;
    if (this.#random.chance(POWER_CUTS * share)) void this.#losePower(counter);
    else if (this.#random.chance(CONNECTIONS_LOST * share)) {
      this.counts.dropped++;
      counter.terminal.dropConnection();
    }
  }

  async #losePower(counter: Counter): Promise<void> {
    counter.isDark = true;
    this.counts.powerCuts++;
    counter.terminal.powerCut();
    await delay(SECOND + this.#random.below(DARK_FOR - SECOND));
    if (!this.#giveUp.signal.aborted) await counter.terminal.switchOn();
    counter.isDark = false;
  }

  #note(terminalId: string, { kind }: TerminalEvent): void {
    if (kind === "connected") this.counts.reconnects++;
    if (ALARMS.includes(kind)) this.#problems.push(`${terminalId}: ${kind}.`);
  }

  /** Loses some answers to transfers after the gateway has given them. */
  async #fetch(request: Request): Promise<Response> {
    const response = await platformFetch(request);
    if (response.status === 429) this.counts.limited++;
    const isTransfer = new URL(request.url).pathname === "/api/transfer";
    if (!isTransfer || this.#running.size === 0 || !this.#random.chance(ANSWERS_LOST)) return response;
    this.counts.answersLost++;
    await response.body?.cancel();
    throw new TypeError("simulated loss of the answer");
  }

  async #recorded(): Promise<Map<string, StatusCode>> {
    const recorded = new Map<string, StatusCode>();
    for (const [posId, { pos }] of new Map(this.#counters.map((counter) => [counter.posId, counter]))) {
      for await (const { referenceId, statusCode } of pos.transactions()) {
        recorded.set(recordKey({ posId, referenceId }), statusCode);
      }
    }
    return recorded;
  }
}

/** A failed call is repeated later, or its outcome is reported as unknown. */
function nullIfPosError(error: unknown): null {
  if (error instanceof PosError) return null;
  throw error;
}

export interface Trial {
  transId: string;
  /** Milliseconds from the request of the POS to its answer. */
  took: Milliseconds;
}

/**
 * The test sale of a deploy: a simulation with one terminal and one sale. Also removes what earlier ones have left. The
 * error is a sentence.
 */
export async function trySale(baseUrl: string, operatorToken: string): Promise<Result<Trial, string>> {
  const operator = new PatientOperator(baseUrl, operatorToken);
  const simulation = new Simulation(baseUrl, operator, 0, TRIAL_PREFIX);
  try {
    await removeAll(operator, TRIAL_PREFIX);
    try {
      await simulation.open(1, new AbortController().signal);
      const { statusCode, responseCode, responseText = "", transData } = await simulation.sellOnce("12.50");
      if (statusCode !== "00") return err(`The sale ended with ${statusCode} ${responseCode}: ${responseText}`);
      const broken = await simulation.judge();
      if (broken.length > 0) return err(broken.join(" "));
      return ok({ transId: transData?.transId ?? "", took: Math.round(simulation.entries[0]?.took ?? 0) });
    } finally {
      await simulation.close();
    }
  } catch (error) {
    if (error instanceof CommandError || error instanceof PosError) return err(error.message);
    throw error;
  }
}
