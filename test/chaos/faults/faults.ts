/** Every fault, and which of them this machine cannot cause. */
import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "../journal.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";
import { type Cause, journaled } from "./cause.ts";
import { clock, memory, power, receiver } from "./devices.ts";
import { database, disk, kill, restart, stop } from "./gateway.ts";
import { cut, delayed, drop, duplicate } from "./network.ts";
import type { Say } from "../summary.ts";
import { whyNoFullDisk } from "./storage.ts";

const CAUSES: Readonly<Record<Fault, Cause>> = {
  kill,
  restart,
  stop,
  cut,
  delay: delayed,
  duplicate,
  drop,
  power,
  memory,
  clock,
  disk,
  database,
  receiver,
};

export interface Omitted {
  fault: Fault;
  why: string;
}

/** Faults that cannot be caused at all here. */
export async function omittedHere(): Promise<Omitted[]> {
  const why = await whyNoFullDisk();
  return why === null ? [] : [{ fault: "disk", why }];
}

export const HALF_OMITTED: readonly Omitted[] = [
  {
    fault: "clock",
    why: "The gateway's own clock does not jump, as it is the machine's. Those of tills and terminals do.",
  },
];

/** Milliseconds of business between two faults of the gateway as a whole. */
const BREATHER = 6_000;

/** Causes faults and writes them into the journal. */
export class Faults {
  readonly #world: World;
  readonly #happening = new Set<Promise<void>>();
  readonly #say: Say;
  #isOver = false;

  constructor(world: World, say: Say) {
    this.#world = world;
    this.#say = say;
  }

  begin(fault: Fault, random: Random): void {
    const occurrence = CAUSES[fault](this.#world, random);
    if (occurrence === null) return;
    const { target, turns } = occurrence;
    const happening = turns.take(async () => {
      // It has waited for its turn until the end.
      if (this.#isOver) return;
      await journaled(this.#world.journal, { fault, ...(target === undefined ? {} : { target }) }, async () =>
        occurrence.happen().catch((error: unknown) => this.#failed(fault, error)),
      );
      // On a busy machine a start takes so long that the next fault already waits.
      if (turns === this.#world.gatewayTurns) await delay(BREATHER);
    });
    this.#happening.add(happening);
    void happening.then(() => this.#happening.delete(happening));
  }

  /** No other begins. Resolves when none is active any more. */
  async over(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#happening);
  }

  /** A process may end while a fault is about to hit it. A long run continues, and says so. */
  #failed(fault: Fault, error: unknown): void {
    this.#say(`A fault did not hit as planned (${fault}): ${String(error)}`);
  }
}
