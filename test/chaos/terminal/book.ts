/** A terminal's durable book: what survives a power cut. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import type { Decision } from "./host.ts";

/** A request that it has accepted, until its outcome is acknowledged. */
export interface Kept {
  readonly requestId: string;
  readonly posId: string;
  readonly referenceId: string;
  readonly transType: string;
  /** A void's: the number of what it voids. */
  readonly transId: string;
  readonly transData: Wire;
  readonly respondBy: number;
  /** `host`: from here on the host may have moved money. */
  stage: "accepted" | "started" | "host" | "ended";
  decision: Decision | null;
  /** It has said 22: it only clears up with its host. */
  isPending: boolean;
  /** The gateway has acknowledged the 22. */
  isPendingKnown: boolean;
}

export class Book {
  /** Another memory has another one. */
  readonly memory = randomUUID();
  readonly kept = new Map<string, Kept>();
  /** The highest requestId that was ever accepted. */
  highest = 0;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Changes the book. A power cut before it is written undoes the change: then it throws. */
  async write(power: AbortSignal, change: () => void): Promise<void> {
    await delay(this.#random.between(1, 12), undefined, { signal: power });
    change();
  }
}
