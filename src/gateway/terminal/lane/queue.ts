/** Decides which queued request is sent now, and whether a silent terminal is probed first. */
import { DELIVER_WITHIN, PROBE_WAIT, PROBE_WAIT_AT_MOST } from "../../../protocol/limits.ts";
import { SECOND, type EpochMs } from "../../../protocol/time/units.ts";
import { laneHolder } from "./answers.ts";
import { changeTransaction, type ConnectionLink, type LaneDraft, type LaneTransaction, withStage } from "./lane.ts";

/** A request with less time left than this is not sent, neither for the first time nor again. */
export const SEND_BEFORE_END = 30 * SECOND;

/** After this much silence the gateway sends a probe before anything else. */
export const PROBE_AFTER_SILENCE = 10 * SECOND;

/** At most one transaction is with the terminal (I5); the others wait in order of arrival. */
export function sendNext(draft: LaneDraft): void {
  const head = headOfQueue(draft);
  if (head === null) return;
  const isProbed = sendOrProbe(draft, head);
  for (const transaction of draft.open.values()) {
    // A connected terminal answers a probe immediately, so a request that waits only for that is not shown as queued.
    if (transaction.state === "queued" && !(isProbed && transaction === head)) noteQueueing(draft, transaction);
  }
}

/** Whether the head of the queue waits only for the answer to a probe. */
function sendOrProbe(draft: LaneDraft, head: LaneTransaction): boolean {
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

type Connection = NonNullable<ConnectionLink["current"]>;

/**
 * Returns when an unanswered probe ends the connection; Infinity without one. A terminal behind a satellite or a bad
 * mobile network takes seconds to answer, and is alive: it gets its own round trip in addition.
 */
export function probeEnds({ probedAt, roundTrip }: Connection): number {
  return probedAt === null ? Infinity : probedAt + Math.min(PROBE_WAIT + roundTrip, PROBE_WAIT_AT_MOST);
}

function isSilent({ heardAt }: Connection, now: EpochMs): boolean {
  return now - heardAt >= PROBE_AFTER_SILENCE;
}

/** A ping that was sent ahead may still be answered: it serves as the probe, with the full wait from now. */
function isPinged({ pingedAt }: Connection, now: EpochMs): boolean {
  return pingedAt !== null && now - pingedAt < PROBE_AFTER_SILENCE;
}

/** Whether a ping sent now saves the probe of a request that may come. No deadline depends on such a ping. */
export function isPrewarmUseful({ current }: ConnectionLink, now: EpochMs): boolean {
  return current !== null && current.probedAt === null && isSilent(current, now) && !isPinged(current, now);
}

function noteQueueing(draft: LaneDraft, transaction: LaneTransaction): void {
  if (transaction.stages.some(({ stage }) => stage === "queued")) return;
  changeTransaction(draft, transaction, { stages: withStage(transaction, "queued", draft.now) });
}

/** Numbers only grow, so the lowest has waited longest. */
function headOfQueue(draft: LaneDraft): LaneTransaction | null {
  let head: LaneTransaction | null = null;
  for (const transaction of draft.open.values()) {
    if (transaction.state === "queued" && (head === null || transaction.requestId < head.requestId)) head = transaction;
  }
  return head;
}

function laneIsHeld(draft: LaneDraft): boolean {
  return laneHolder(draft) !== null;
}

/**
 * Counts the attempt in the row that is written in this turn (I1), before the frame leaves: the output gate holds the
 * frame until the row is durable. The caller has made sure that the terminal never started an earlier attempt.
 */
export function send(draft: LaneDraft, transaction: LaneTransaction): void {
  const { current } = draft.link;
  if (current === null) return;
  const next = changeTransaction(draft, transaction, {
    state: "sent",
    attempt: transaction.attempt + 1,
    sending: {
      connection: current.number,
      memory: current.memory,
      at: draft.now,
      // This is never after `respondBy`: a request that is sent has at least 30 s left.
      deliverBy: draft.now + DELIVER_WITHIN,
    },
    reached: true,
    stages: withStage(transaction, "sent", draft.now),
  });
  draft.effects.push({ kind: "send-request", transaction: next });
}
