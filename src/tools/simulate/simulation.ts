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
import { CommandError } from "../../sdk/command-line/operator-client.ts";
import { type Result, err, ok } from "../../protocol/result.ts";
import { createRandom, type Random } from "../../sdk/simulator/random.ts";
import { SimulatedTerminal } from "../../sdk/simulator/simulated-terminal.ts";
import { MINUTE, SECOND, type Milliseconds } from "../../protocol/time/units.ts";
import { openShop, createShopPos, type OpenedShop, WIDTH } from "../../sdk/command-line/operator-shop.ts";
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

/** During these shares of sales, the terminal loses its connection, or its power. */
const CONNECTIONS_LOST = 0.1;
const POWER_CUTS = 0.03;

/** Each stage of a payment takes so long. */
const PACE: Milliseconds = 150;

/** A fault comes at most this late in a sale, and a terminal is without power for at least a second, and this long at most. */
const FAULT_WITHIN: Milliseconds = 2 * SECOND;
const DARK_FOR: Milliseconds = 5 * SECOND;

/** The accounts record every outcome within this time. */
const RECORDED_WITHIN: Milliseconds = 10 * SECOND;

/** Few enough for the gateway's rate limit of one account. */
const SHOP_TERMINALS = 50;

/** Events of a terminal that a gateway that keeps its promises never causes. */
const ALARMS = ["replaced", "forged-request", "bad-frame", "contradiction", "handler-failed", "memory-failed"];

type Send = () => Promise<TransferAnswer>;

/** A terminal with the POS and the customers in front of it. */
interface Counter {
  posId: string;
  terminalId: string;
  pos: PosClient;
  terminal: SimulatedTerminal;
  random: Random;
}

/** Call the steps in the order of the methods. */
export class Simulation {
  /** Every id begins with it. */
  readonly id: string;
  readonly entries: SimulatedEntry[] = [];
  readonly faults = { answersLost: 0, connectionsDropped: 0, powerCuts: 0 };
  readonly #baseUrl: string;
  readonly #operator: PatientOperator;
  readonly #seed: number;
  readonly #counters: Counter[] = [];
  /** How to ask again about an entry without an outcome. */
  readonly #open = new Map<SimulatedEntry, Send>();
  readonly #problems: string[] = [];
  readonly #givenUp = new AbortController();

  constructor(baseUrl: string, operator: PatientOperator, seed: number, prefix = PREFIX) {
    this.id = prefix + randomBytes(4).toString("hex").toUpperCase();
    this.#baseUrl = baseUrl;
    this.#operator = operator;
    this.#seed = seed;
  }

  /** Creates the shops, and connects their terminals. Throws CommandError. */
  async open(terminals: number, signal: AbortSignal): Promise<void> {
    const names = Array.from({ length: terminals }, (_, index) => `${this.id}-${String(index + 1).padStart(4, "0")}`);
    for (let first = 0; first < terminals && !signal.aborted; first += SHOP_TERMINALS) {
      const posId = `${this.id}-A${first / SHOP_TERMINALS + 1}`;
      const terminalIds = names.slice(first, first + SHOP_TERMINALS);
      const terms = { name: "Simulated shop", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
      const shop = await openShop(this.#baseUrl, this.#operator, { posId, merchantId: posId, terminalIds, ...terms });
      for (const terminalId of terminalIds) this.#counters.push(this.#newCounter(shop, terminalId));
    }
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await mapConcurrently(this.#counters, WIDTH, async ({ terminal }) => {
      if (!signal.aborted) await Promise.race([terminal.start(), stopped]);
    });
  }

  /** Every counter sells, one sale after the other, until the time is over and its last sale has ended. */
  async sell(milliseconds: Milliseconds, salesPerMinute: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + milliseconds;
    const pause = (MINUTE * this.#counters.length) / salesPerMinute;
    const work = async (counter: Counter): Promise<void> => {
      for (;;) {
        const wait = Math.min(counter.random.below(2 * pause), Math.max(until - performance.now(), 0));
        await delay(wait, undefined, { signal }).catch(() => undefined);
        if (signal.aborted || performance.now() >= until) return;
        await Promise.all([this.#serve(counter), this.#disturb(counter)]);
      }
    };
    await Promise.all(this.#counters.map(work));
  }

  /** Asks again about the sales without an outcome. */
  async complete(): Promise<void> {
    await mapConcurrently([...this.#open], WIDTH, async ([entry, send]) => {
      const { statusCode = entry.statusCode, responseCode = entry.responseCode } =
        (await send().catch(nullIfPosError)) ?? {};
      Object.assign(entry, { statusCode, responseCode });
    });
  }

  /** Ends the waits of all POS programs, so that the steps end soon. */
  giveUp(): void {
    this.#givenUp.abort();
  }

  /** Returns a sentence for each broken promise. */
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
    this.giveUp();
    await Promise.all(this.#counters.map(({ terminal }) => terminal.stop()));
    return removeAll(this.#operator, this.id);
  }

  /** Makes one sale at the first terminal. Throws CommandError. */
  async sellOnce(amount: string): Promise<TransferAnswer> {
    const [counter] = this.#counters;
    if (counter === undefined) throw new Error("Open the simulation first.");
    const request = cardSale(counter.terminalId, amount);
    const answer = await this.#send(counter, null, request.referenceId, () => counter.pos.sale(request));
    if (answer === null) throw new CommandError("The gateway refused the sale, or did not answer.");
    return answer;
  }

  #newCounter(shop: OpenedShop, terminalId: string): Counter {
    const random = createRandom(this.#seed + this.#counters.length);
    const terminal = new SimulatedTerminal({
      baseUrl: this.#baseUrl,
      terminalId,
      secret: shop.secrets[terminalId] ?? "",
      pace: PACE,
      onEvent: ({ kind }) => {
        if (ALARMS.includes(kind)) this.#problems.push(`${terminalId}: ${kind}.`);
      },
    });
    const pos = createShopPos(this.#baseUrl, shop, { fetch: (request) => this.#fetch(request, random) });
    return { posId: shop.posId, terminalId, pos, terminal, random };
  }

  /** One sale, and sometimes its repetition or its void. Resolves when the POS knows the outcome or gives up. */
  async #serve(counter: Counter): Promise<void> {
    const { pos, random, terminalId: deviceId } = counter;
    const { signal } = this.#givenUp;
    const request = cardSale(deviceId, drawAmount(random));
    const send: Send = () => pos.sale(request, { signal });
    const first = await this.#send(counter, null, request.referenceId, send);
    if (first === null || first.statusCode === "22") return;
    if (random.chance(REPEATED)) {
      const second = await send().catch(nullIfPosError);
      if (second !== null && JSON.stringify(second) !== JSON.stringify(first)) {
        this.#problems.push(`${first.referenceId} was ${first.responseCode}, and then ${second.responseCode}.`);
      }
    }
    const transId = first.transData?.transId;
    if (first.statusCode !== "00" || transId === undefined || !random.chance(VOIDED)) return;
    const undo = { deviceId, referenceId: newReferenceId(), transId };
    await this.#send(counter, request.referenceId, undo.referenceId, () => pos.void(undo, { signal }));
  }

  /** Null if the gateway refused the call, or the POS gave up. */
  async #send({ posId, terminalId: deviceId }: Counter, voids: string | null, referenceId: string, send: Send) {
    const begun = performance.now();
    let failure = "no answer";
    const answer = await send().catch((error: unknown) => {
      if (error instanceof PosError && !error.outcomeUnknown) failure = "refused";
      return nullIfPosError(error);
    });
    const { statusCode = null, responseCode = failure } = answer ?? {};
    const took = performance.now() - begun;
    const entry: SimulatedEntry = { posId, deviceId, referenceId, voids, statusCode, responseCode, took };
    this.entries.push(entry);
    if (statusCode === "22" || responseCode === "no answer") this.#open.set(entry, send);
    return answer;
  }

  /** Sometimes cuts the terminal's connection or power in the middle of a sale. */
  async #disturb({ terminal, random }: Counter): Promise<void> {
    const draw = random.below(1_000) / 1_000;
    if (draw >= POWER_CUTS + CONNECTIONS_LOST) return;
    await delay(random.below(FAULT_WITHIN));
    if (draw >= POWER_CUTS) {
      this.faults.connectionsDropped++;
      terminal.dropConnection();
      return;
    }
    this.faults.powerCuts++;
    terminal.powerCut();
    await delay(SECOND + random.below(DARK_FOR - SECOND));
    if (!this.#givenUp.signal.aborted) await terminal.switchOn();
  }

  /** Loses some answers to transfers after the gateway has given them. */
  async #fetch(request: Request, random: Random): Promise<Response> {
    const response = await platformFetch(request);
    if (new URL(request.url).pathname !== "/api/transfer" || !random.chance(ANSWERS_LOST)) return response;
    this.faults.answersLost++;
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
  /** From the POS's request to its answer. */
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
