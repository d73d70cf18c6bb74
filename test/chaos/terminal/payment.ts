/** How a payment goes at a terminal, from its start to the host's decision. */
import type { Random } from "../random.ts";
import type { Decision, Kept } from "./book.ts";
import type { Wire } from "../journal.ts";
import type { Needles } from "../journal-file.ts";
import { madeUpCard } from "../wire/values.ts";
import type { Terminal } from "./terminal.ts";

const GIVEN_UP: Decision = { statusCode: "11", responseCode: "CANCELLED", moved: 0 };
export const RESTARTED: Decision = { statusCode: "11", responseCode: "RESTARTED", moved: 0 };

/** Runs an accepted request to its end. Throws when the power goes. */
export async function pay(terminal: Terminal, kept: Kept, random: Random): Promise<void> {
  const giveUp = async (): Promise<void> => terminal.enter(kept, "ended", GIVEN_UP);
  if (!(await waited(terminal, kept, random.between(0, 300)))) return giveUp();
  await terminal.enter(kept, "started");
  terminal.progress(kept, "present");
  if (!(await waited(terminal, kept, customerTakes(random)))) return giveUp();
  await terminal.enter(kept, "host");
  terminal.progress(kept, "authorising");
  await hostTakes(terminal, kept, hostNeeds(random));
  const decision = terminal.host.authorise(kept, random.chance(0.8));
  // The terminal learns of it a moment later: a power cut in between is the hardest of all.
  await terminal.pause(random.between(0, 100));
  await terminal.decided(kept);
  await terminal.enter(kept, "ended", decision);
}

/** Asks the host about a request that may have reached it before the power went. */
export async function clearUp(terminal: Terminal, kept: Kept, random: Random): Promise<void> {
  await hostTakes(terminal, kept, random.between(200, 6_000));
  await terminal.enter(kept, "ended", terminal.host.clearUp(kept));
}

/** Waits for the customer. Resolves to false if the payment was cancelled, or its time is over. */
async function waited(terminal: Terminal, kept: Kept, milliseconds: number): Promise<boolean> {
  const isOver = (): boolean => terminal.isCancelled(kept) || terminal.left(kept) <= 0;
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    if (isOver()) return false;
    await terminal.pause(Math.max(1, Math.min(100, until - performance.now())));
  }
  return !isOver();
}

/** Waits for the host. A payment that is still open when its time is over is 22 until the host has decided. */
async function hostTakes(terminal: Terminal, kept: Kept, milliseconds: number): Promise<void> {
  const left = Math.max(0, terminal.left(kept));
  await terminal.pause(Math.min(left, milliseconds));
  if (milliseconds <= left) return;
  terminal.reportPending(kept);
  await terminal.pause(milliseconds - left);
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
