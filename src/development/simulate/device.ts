import { setTimeout as delay } from "node:timers/promises";
import type { TerminalEvent } from "../../client/terminal.ts";
import type { Random } from "../../simulator/random.ts";
import { SimulatedTerminal } from "../../simulator/simulated-terminal.ts";
import { CONNECTIONS_LOST, POWER_CUTS } from "./customers.ts";

/** Milliseconds of each stage of a payment. */
const PACE = 150;

/** The longest time that a terminal stays without power, in milliseconds. */
const DARK_FOR = 5_000;

const MINUTE = 60_000;

/** The faults that the devices of a simulation had. */
export interface Disruptions {
  reconnects: number;
  dropped: number;
  powerCuts: number;
  /** Events that must never happen to a terminal, in words. */
  alarms: string[];
}

export interface DeviceOptions {
  baseUrl: string;
  terminalId: string;
  secret: string;
  random: Random;
  disruptions: Disruptions;
}

/** One simulated terminal and its faults. */
export class Device {
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

  constructor({ random, disruptions, ...identity }: DeviceOptions) {
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

  /** Switches it off permanently. */
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
