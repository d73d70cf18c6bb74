/** How long each part of a transaction took, of its stages; design of the parts: `protocol/statistics.ts`. */
import type { RecordedTimes } from "../rpc/account.ts";
import type { Transaction } from "./lane/index.ts";
import type { Stage } from "../protocol/stages.ts";

/**
 * Milliseconds. What did not happen is missing: a transaction that was never sent has no delivery. The gateway's share ends
 * with the turn that takes the request: that turn stores it and sends it, unless it has to wait for the terminal.
 */
export function timesOf({ stages, receivedAt, completedBy }: Transaction): RecordedTimes {
  const taken = stages[0];
  if (taken === undefined) return {};
  const sent = stages.find(({ stage }) => stage === "sent");
  const accepted = stages.findIndex(({ stage }) => stage === "accepted");
  const lastSent = stages.slice(0, Math.max(accepted, 0)).findLast(({ stage }) => stage === "sent");
  const result = completedBy === "terminal" ? firstResult(stages) : undefined;
  return {
    gateway: between(receivedAt, taken.at),
    ...(sent === undefined ? {} : { queue: between(taken.at, sent.at) }),
    ...(lastSent === undefined ? {} : { delivery: between(lastSent.at, stages[accepted]?.at ?? lastSent.at) }),
    ...(accepted < 0 || result === undefined ? {} : { customer: between(stages[accepted]?.at ?? result, result) }),
  };
}

/** When the terminal's result came; undefined where the transaction was 22 first, and nobody measured how long it took. */
function firstResult(stages: readonly Stage[]): number | undefined {
  const ended = stages.find(({ stage }) => stage === "pending" || stage === "completed");
  return ended?.stage === "completed" ? ended.at : undefined;
}

/** Clocks of two machines: never negative. */
function between(from: number, to: number): number {
  return Math.max(to - from, 0);
}
