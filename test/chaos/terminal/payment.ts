/** How a payment goes at a terminal, from its start to the host's decision. */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Decision, Host } from "./host.ts";
import type { Kept } from "./book.ts";
import type { Wire } from "../journal.ts";
import type { Needles } from "../needles.ts";
import { madeUpCard } from "../wire/values.ts";

/** What a payment needs of its terminal. */
export interface Desk {
  /** Resolves when it is written down; throws when the power goes. */
  enter(kept: Kept, stage: Kept["stage"], decision?: Decision): Promise<void>;
  /** Milliseconds until the request's `respondBy`. */
  left(kept: Kept): number;
  progress(kept: Kept, stage: string): void;
  /** Reports what it has: 22 for one that is open. */
  report(kept: Kept): void;
  isCancelled(kept: Kept): boolean;
  /** The host has decided. */
  decided(kept: Kept): Promise<void>;
  host: Host;
  power: AbortSignal;
}

const GIVEN_UP: Decision = { statusCode: "11", responseCode: "CANCELLED", moved: 0 };
export const RESTARTED: Decision = { statusCode: "11", responseCode: "RESTARTED", moved: 0 };

/** Runs an accepted request to its end. Throws when the power goes. */
export async function pay(kept: Kept, desk: Desk, random: Random): Promise<void> {
  const { host, power } = desk;
  if (!(await waited(kept, desk, random.between(0, 300)))) return desk.enter(kept, "ended", GIVEN_UP);
  await desk.enter(kept, "started");
  desk.progress(kept, "present");
  if (!(await waited(kept, desk, customerTakes(random)))) return desk.enter(kept, "ended", GIVEN_UP);
  await desk.enter(kept, "host");
  desk.progress(kept, "authorising");
  await hostTakes(kept, desk, hostNeeds(random));
  const decision = host.authorise(kept, random.chance(0.8));
  // The terminal learns of it a moment later: a power cut in between is the hardest of all.
  await delay(random.between(0, 100), undefined, { signal: power });
  await desk.decided(kept);
  await desk.enter(kept, "ended", decision);
}

/** Asks the host about a request that may have reached it before the power went. */
export async function clearUp(kept: Kept, desk: Desk, random: Random): Promise<void> {
  await hostTakes(kept, desk, random.between(200, 6_000));
  await desk.enter(kept, "ended", desk.host.clearUp(kept));
}

/** Waits for the customer. Resolves to false if the payment was cancelled, or its time is over. */
async function waited(kept: Kept, desk: Desk, milliseconds: number): Promise<boolean> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    if (desk.isCancelled(kept) || desk.left(kept) <= 0) return false;
    await delay(Math.max(1, Math.min(100, until - performance.now())), undefined, { signal: desk.power });
  }
  return !desk.isCancelled(kept) && desk.left(kept) > 0;
}

/** Waits for the host. A payment that is still open when its time is over is 22 until the host has decided. */
async function hostTakes(kept: Kept, desk: Desk, milliseconds: number): Promise<void> {
  const left = Math.max(0, desk.left(kept));
  await delay(Math.min(left, milliseconds), undefined, { signal: desk.power });
  if (milliseconds <= left) return;
  desk.report(kept);
  await delay(milliseconds - left, undefined, { signal: desk.power });
}

function customerTakes(random: Random): number {
  const kind = random.next();
  if (kind < 0.6) return random.between(50, 1_200);
  if (kind < 0.94) return random.between(1_000, 6_000);
  // Gone without a word.
  return 600_000;
}

function hostNeeds(random: Random): number {
  const kind = random.next();
  if (kind < 0.85) return random.between(50, 1_000);
  return kind < 0.95 ? random.between(1_000, 8_000) : random.between(20_000, 45_000);
}

export const VERSIONS = { softwareVersion: "chaos-1.0", terminalSn: "SN-CHAOS" };

/** Some terminals send a full card number, against their duty: the gateway must not keep it (I6). */
export function resultOf({ requestId, decision }: Kept, random: Random, needles: Needles): Wire {
  const { statusCode, responseCode } = decision ?? { statusCode: "22", responseCode: "09" };
  const card = madeUpCard(random);
  const isCareless = random.chance(0.1);
  if (isCareless) needles.add("card number from a terminal", card);
  const transData = {
    paymentChannel: "VISA",
    invNo: requestId.slice(-6),
    tid: "20000001",
    mid: "300000000000001",
    entryMode: "contactless",
    cardNo: isCareless ? card : `xxxxxxxxxxxx${card.slice(-4)}`,
    ...(isCareless ? { cardHoldersName: `CARD ${card}` } : {}),
  };
  return {
    type: "result",
    requestId,
    statusCode,
    responseCode,
    ...VERSIONS,
    ...(statusCode === "00" ? { transData } : {}),
  };
}
