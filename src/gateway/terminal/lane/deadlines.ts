/** Applies the passing of time to the lane, and derives the next deadline. No timer is needed. */
import {
  ACCEPT_WITHIN,
  CANCEL_BEFORE_END,
  DELIVER_WITHIN,
  PROBE_WAIT,
  PROBE_WAIT_AT_MOST,
  QUEUE_WAIT,
  RESPOND_BEFORE_END,
} from "../../../protocol/limits.ts";
import {
  type LaneDraft,
  type Lane,
  type ConnectionLink,
  answeredCancel,
  changeTransaction,
  loseConnection,
  holdsLaneUntil,
  isWithTerminal,
  takenAt,
  type LaneTransaction,
  withStage,
} from "./lane.ts";
import { laneHolder } from "./answers.ts";
import { completeAs, completeBusy, concludeTransaction } from "./completion.ts";
import { CLOSE } from "../../../protocol/close-codes.ts";
import { SECOND, type EpochMs } from "../../../protocol/time/units.ts";

/** A request with less time left than this is not sent, neither for the first time nor again. */
export const SEND_BEFORE_END = 30 * SECOND;

/** After this much silence the gateway sends a probe before anything else. */
export const PROBE_AFTER_SILENCE = 10 * SECOND;

/** Applies every deadline that has passed. It is idempotent. */
export function passTime(draft: LaneDraft): void {
  giveUpSilentConnection(draft);
  // Changing and completing rows of a Map during iteration is safe: none is added.
  for (const transaction of draft.open.values()) {
    if (transaction.state === "queued") endQueueing(draft, transaction);
    else if (transaction.undelivered !== null && transaction.undelivered.at <= draft.now) {
      completeAs(draft, transaction, transaction.undelivered.responseCode, {
        reached: false,
        cancel: answeredCancel(transaction),
      });
    } else if (isWithTerminal(transaction)) {
      cancelBeforeEnd(draft, transaction);
    }
  }
}

/** After a probe without an answer, or an attempt without `accepted`, the connection counts as dead. */
function giveUpSilentConnection(draft: LaneDraft): void {
  const { current } = draft.link;
  if (current === null) return;
  if (probeEnds(current) <= draft.now) {
    loseConnection(draft, CLOSE.silent, "no answer to ping");
    return;
  }
  for (const { state, sending } of draft.open.values()) {
    if (state === "sent" && sending?.connection === current.number && sending.at + ACCEPT_WITHIN <= draft.now) {
      loseConnection(draft, CLOSE.silent, "no accepted in time");
      return;
    }
  }
}

function endQueueing(draft: LaneDraft, transaction: LaneTransaction): void {
  if (draft.now < queueingEnds(transaction)) return;
  if (draft.link.current === null) completeAs(draft, transaction, "TERMINAL_OFFLINE");
  else completeBusy(draft, transaction, laneHolder(draft));
}

/**
 * The queue's wait counts from when the object received the request, not from its arrival at the Worker: an object that
 * could not be reached has also lost its terminal's connection, and the terminal gets its full time to come back. The
 * request's life counts from its arrival, so it never waits past the last moment at which it may be sent.
 */
function queueingEnds(transaction: LaneTransaction): number {
  const tooLateFrom = transaction.endsAt - SEND_BEFORE_END + 1;
  return Math.min(takenAt(transaction) + QUEUE_WAIT, tooLateFrom);
}

/** Cancels shortly before the end, so that a payment whose customer left is an 11. At the end the answer is 22. */
function cancelBeforeEnd(draft: LaneDraft, transaction: LaneTransaction): void {
  let latest = transaction;
  if (latest.cancel === "none" && latest.endsAt - CANCEL_BEFORE_END <= draft.now) {
    latest = changeTransaction(draft, latest, { cancel: "wished" });
    if (draft.link.current !== null) {
      draft.effects.push({ kind: "send-cancel", requestId: latest.requestId, attempt: latest.attempt });
    }
  }
  if (!latest.ended && latest.endsAt <= draft.now) concludeTransaction(draft, latest, { ended: true });
}

/**
 * Returns when the lane must look at the clock next: the earliest deadline, derived from the rows.
 * Returns null if there is none.
 */
export function nextDeadline(lane: Lane, now: EpochMs): EpochMs | null {
  const { current } = lane.link;
  let next = current === null ? Infinity : probeEnds(current);
  let isQueueing = false;
  let laneFree = 0;
  for (const transaction of lane.open.values()) {
    next = Math.min(next, computeDeadline(transaction, lane.link));
    if (transaction.state === "queued") isQueueing = true;
    laneFree = Math.max(laneFree, holdsLaneUntil(transaction));
  }
  // The lane's end needs a deadline only if a request waits for it. Other deadlines come before it.
  if (isQueueing && laneFree > now) next = Math.min(next, laneFree);
  return next === Infinity ? null : next;
}

function computeDeadline(transaction: LaneTransaction, link: ConnectionLink): number {
  const { state, endsAt, cancel, ended } = transaction;
  const undelivered = transaction.undelivered?.at ?? Infinity;
  switch (state) {
    case "queued":
      return queueingEnds(transaction);
    case "sent":
    case "accepted":
      return Math.min(
        undelivered,
        acceptanceEnds(transaction, link),
        cancel === "none" ? endsAt - CANCEL_BEFORE_END : Infinity,
        ended ? Infinity : endsAt,
      );
    case "pending":
      return undelivered;
    case "completed":
      return Infinity;
  }
}

/**
 * Returns by when the terminal must have accepted the request on the current connection; Infinity if it need not, or
 * has.
 */
function acceptanceEnds({ state, sending }: LaneTransaction, { current }: ConnectionLink): number {
  const isAwaited = state === "sent" && sending !== null && sending.connection === current?.number;
  return isAwaited ? sending.at + ACCEPT_WITHIN : Infinity;
}

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
function probeEnds({ probedAt, roundTrip }: Connection): number {
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

/** The terminal ends a request by itself at this time, so that its result arrives before the gateway's cancel. */
export function respondBy(transaction: LaneTransaction): number {
  return transaction.endsAt - RESPOND_BEFORE_END;
}
