/** The queue: its head is sent when the lane is free and the terminal is connected. */
import { DELIVER_WITHIN, RESPOND_BEFORE_END } from "../../protocol/limits/transfers.ts";
import { PROBE_AFTER_SILENCE } from "./limits.ts";
import { holdsLaneUntil } from "./deadlines.ts";
import { type Draft, type Lane, type Link, change, withStage } from "./lane.ts";
import type { Transaction } from "./transaction.ts";

/** I5: at most one transaction is with the terminal; the others wait in order of arrival. */
export function sendNext(draft: Draft): void {
  const head = headOfQueue(draft);
  if (head === null) return;
  const isProbed = sendOrProbe(draft, head);
  for (const transaction of draft.open.values()) {
    // A connected terminal answers a probe at once, so a request that waits only for that is not shown as queued.
    if (transaction.state === "queued" && !(isProbed && transaction === head)) noteQueueing(draft, transaction);
  }
}

/** Whether the head of the queue waits only for the answer to a probe. */
function sendOrProbe(draft: Draft, head: Transaction): boolean {
  const { current } = draft.link;
  if (current === null || laneIsHeld(draft)) return false;
  if (isSilent(current, draft.now)) {
    if (current.probedAt === null) {
      draft.effects.push({ kind: "probe", ping: !isPinged(current, draft.now) });
      draft.link = { ...draft.link, current: { ...current, probedAt: draft.now } };
    }
    return true;
  }
  send(draft, head);
  return false;
}

type Connection = NonNullable<Link["current"]>;

function isSilent({ heardAt }: Connection, now: number): boolean {
  return now - heardAt >= PROBE_AFTER_SILENCE;
}

/** A ping that was sent ahead may still be answered: it serves as the probe, with the full wait from now. */
function isPinged({ pingedAt }: Connection, now: number): boolean {
  return pingedAt !== null && now - pingedAt < PROBE_AFTER_SILENCE;
}

/**
 * The lane with a ping sent ahead of a request that may come; null if the terminal needs none. It changes nothing else: no
 * deadline depends on it.
 */
export function pingAhead({ open, link }: Lane, now: number): Lane | null {
  const { current } = link;
  if (current === null || open.size > 0 || current.probedAt !== null) return null;
  if (!isSilent(current, now) || isPinged(current, now)) return null;
  return { open, link: { ...link, current: { ...current, pingedAt: now } } };
}

/** Tells its till why nothing happens yet. */
function noteQueueing(draft: Draft, transaction: Transaction): void {
  if (transaction.stages.some(({ stage }) => stage === "queued")) return;
  change(draft, transaction, { stages: withStage(transaction, "queued", draft.now) });
}

/** Numbers only grow, so the lowest has waited longest. */
function headOfQueue(draft: Draft): Transaction | null {
  let head: Transaction | null = null;
  for (const transaction of draft.open.values()) {
    if (transaction.state === "queued" && (head === null || transaction.requestId < head.requestId)) head = transaction;
  }
  return head;
}

function laneIsHeld(draft: Draft): boolean {
  for (const transaction of draft.open.values()) if (draft.now < holdsLaneUntil(transaction)) return true;
  return false;
}

/**
 * I1: counts the attempt in the row that is written in this same turn, before the frame leaves (the output gate holds the
 * frame until the row is durable). The caller has made sure that the terminal never started an earlier attempt.
 */
export function send(draft: Draft, transaction: Transaction): void {
  const { current } = draft.link;
  if (current === null) return;
  const next = change(draft, transaction, {
    state: "sent",
    attempt: transaction.attempt + 1,
    sending: {
      connection: current.number,
      memory: current.memory,
      at: draft.now,
      // Never after `respondBy`: a request that is sent has at least 30 s left.
      deliverBy: draft.now + DELIVER_WITHIN,
    },
    reached: true,
    stages: withStage(transaction, "sent", draft.now),
  });
  draft.effects.push({ kind: "send-request", transaction: next });
}

/** The terminal ends a request by itself at this time, so that its result arrives before the gateway's cancel. */
export function respondBy(transaction: Transaction): number {
  return transaction.endsAt - RESPOND_BEFORE_END;
}
