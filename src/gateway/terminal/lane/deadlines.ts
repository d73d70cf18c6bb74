/** Applies the passing of time to the lane, and derives the next deadline. No timer is needed. */
import { ACCEPT_WITHIN, CANCEL_BEFORE_END, QUEUE_WAIT, RESPOND_BEFORE_END } from "../../../protocol/limits.ts";
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
} from "./lane.ts";
import { laneHolder } from "./answers.ts";
import { completeAs, completeBusy, concludeTransaction } from "./completion.ts";
import { probeEnds, SEND_BEFORE_END } from "./queue.ts";
import { CLOSE } from "../../../protocol/close-codes.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

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

/** The terminal ends a request by itself at this time, so that its result arrives before the gateway's cancel. */
export function respondBy(transaction: LaneTransaction): number {
  return transaction.endsAt - RESPOND_BEFORE_END;
}
