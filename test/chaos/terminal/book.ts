/** A terminal's durable book: what survives a power cut. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import { hundredthsOf } from "../wire/values.ts";

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

export interface Decision {
  statusCode: "00" | "11";
  responseCode: string;
  /** Hundredths that the customer was charged; negative: paid back. */
  moved: number;
}

const NOT_AUTHORISED: Decision = { statusCode: "11", responseCode: "25", moved: 0 };

/** The acquirer's host: it moves the money, and nobody else does. */
export class Host {
  readonly #decisions = new Map<string, Decision>();
  readonly #voided = new Set<string>();

  /** Decides once. A request that a terminal has asked about before stays refused. */
  authorise(kept: Kept, isApproved: boolean): Decision {
    const known = this.#decisions.get(kept.requestId);
    if (known !== undefined) return known;
    const decision = isApproved ? this.#approve(kept) : { statusCode: "11" as const, responseCode: "05", moved: 0 };
    this.#decisions.set(kept.requestId, decision);
    return decision;
  }

  /** What became of a request. One that is unknown will never be authorised. */
  clearUp({ requestId }: Kept): Decision {
    const known = this.#decisions.get(requestId) ?? NOT_AUTHORISED;
    this.#decisions.set(requestId, known);
    return known;
  }

  /** What the acquirer's list says; null: nothing. */
  decided(requestId: string): Decision | null {
    return this.#decisions.get(requestId) ?? null;
  }

  #approve({ transType, transId, transData }: Kept): Decision {
    const charged = hundredthsOf(transData["transAmt"]) + hundredthsOf(transData["cashAmt"]);
    if (transType !== "void") return { statusCode: "00", responseCode: "00", moved: charged };
    const paid = this.#decisions.get(transId)?.moved ?? 0;
    if (paid <= 0 || this.#voided.has(transId)) return NOT_AUTHORISED;
    this.#voided.add(transId);
    return { statusCode: "00", responseCode: "00", moved: -paid };
  }
}
