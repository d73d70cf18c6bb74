/** Reconciliation: what a valid hello, with its memory and its `open` list, proves about every row. */
import { SEND_BEFORE_END, UNDELIVERED_AFTER_DELIVER_BY } from "./limits.ts";
import { makePending } from "./answers.ts";
import { type Draft, change, alert, withStage } from "./lane.ts";
import { send } from "./pump.ts";
import type { Transaction } from "./transaction.ts";

export interface Hello {
  connection: number;
  memory: string;
  /** The requestIds that the terminal has accepted and whose 00 or 11 is not acknowledged. */
  listed: ReadonlySet<number>;
  /** The listed requests that the journal holds as completed 11. */
  listedButCompleted11: readonly { requestId: number; attempt: number }[];
  softwareVersion: string;
  terminalSn: string;
}

/**
 * What the journal knows (`find`, completed or not) about the requests that a terminal lists as open.
 *
 * @returns `unknown`: the requests that it was never sent. I4: the terminal keeps them until their results are stored, which it
 *   sends after this hello.
 */
export function sortListed(
  open: readonly number[],
  find: (requestId: number) => Transaction | null,
): Pick<Hello, "listed" | "listedButCompleted11"> & { unknown: number[] } {
  const listed = new Set<number>();
  const listedButCompleted11: Hello["listedButCompleted11"][number][] = [];
  const unknown: number[] = [];
  for (const requestId of new Set(open)) {
    const transaction = find(requestId);
    if (transaction === null || transaction.attempt === 0) unknown.push(requestId);
    else if (transaction.state !== "completed") listed.add(requestId);
    // If the acknowledgement of the terminal's own 11 was lost, the 11 arrives and is acknowledged again. Any other must be
    // stopped.
    else if (transaction.outcome?.statusCode === "11" && transaction.completedBy !== "terminal") {
      listedButCompleted11.push({ requestId, attempt: transaction.attempt });
    }
  }
  return { listed, listedButCompleted11, unknown };
}

/**
 * The connection becomes the current one. The terminal has stopped reading every earlier connection before it sent this
 * hello, which makes its `open` list a proof.
 */
export function hello(draft: Draft, event: Hello): void {
  draft.link = {
    current: { number: event.connection, memory: event.memory, heardAt: draft.now, probedAt: null, pingedAt: null },
    lostAt: draft.link.lostAt,
    softwareVersion: event.softwareVersion,
    terminalSn: event.terminalSn,
  };
  for (const transaction of draft.open.values()) reconcile(draft, transaction, event);
  for (const { requestId, attempt } of event.listedButCompleted11) cancelCompleted(draft, requestId, attempt);
}

function reconcile(draft: Draft, transaction: Transaction, event: Hello): void {
  if (transaction.state === "queued") return;
  if (event.listed.has(transaction.requestId)) {
    resendCancel(draft, proveAccepted(draft, transaction));
    return;
  }
  // Its own memory's hello has decided. Only a late `accepted` or a listing changes that, not the hello of another memory.
  if (transaction.undelivered !== null) return;
  switch (transaction.state) {
    case "sent":
      if (transaction.sending?.memory !== event.memory) makePending(draft, transaction, "other-memory");
      else notTaken(draft, transaction);
      return;
    case "accepted":
      if (transaction.sending?.memory !== event.memory) makePending(draft, transaction, "other-memory");
      else {
        alert(draft, "terminal-forgot-accepted-request", transaction.requestId);
        makePending(draft, transaction, "forgotten");
      }
      return;
    case "pending":
      // Sent, never proved accepted, and pending only because another memory said hello: now its own memory is back without
      // it. Every other pending row was proved accepted, and stays regardless of the list.
      if (
        !transaction.acceptanceProved &&
        transaction.pendingReason === "other-memory" &&
        transaction.sending?.memory === event.memory
      ) {
        decideUndelivered(draft, transaction);
      } else resendCancel(draft, transaction);
      return;
    case "completed":
      return;
  }
}

/**
 * Not listed by the memory that it was sent to: the terminal never accepted it. It is sent again, or completed by proof.
 */
function notTaken(draft: Draft, transaction: Transaction): void {
  if (transaction.cancel !== "none" || transaction.endsAt - draft.now < SEND_BEFORE_END) {
    decideUndelivered(draft, transaction);
  } else {
    send(draft, transaction);
  }
}

/**
 * I2: non-delivery is certain only when the terminal can no longer start the request, even with a lagging clock. Until then
 * a late `accepted` or a listing wins; after that the decision needs no connection.
 */
function decideUndelivered(draft: Draft, transaction: Transaction): void {
  const responseCode = transaction.cancel === "none" ? "NOT_DELIVERED" : "CANCELLED";
  const at = (transaction.sending?.deliverBy ?? draft.now) + UNDELIVERED_AFTER_DELIVER_BY;
  // If that time has passed, the end of this step completes it.
  change(draft, transaction, { undelivered: { at, responseCode } });
}

/** `accepted`, a listing or `progress`: the terminal has it, regardless of what was assumed before. */
export function proveAccepted(draft: Draft, transaction: Transaction): Transaction {
  if (transaction.state === "pending") {
    return transaction.acceptanceProved && transaction.undelivered === null
      ? transaction
      : change(draft, transaction, { acceptanceProved: true, undelivered: null });
  }
  if (transaction.state === "accepted") return transaction;
  return change(draft, transaction, {
    state: "accepted",
    acceptanceProved: true,
    reached: true,
    undelivered: null,
    stages: withStage(transaction, "accepted", draft.now),
  });
}

/** An unanswered cancel is sent again after every hello. */
export function resendCancel(draft: Draft, transaction: Transaction): void {
  if (transaction.cancel !== "wished") return;
  draft.effects.push({ kind: "send-cancel", requestId: transaction.requestId, attempt: transaction.attempt });
}

/** The till was promised that no money moves: tells the terminal to stop at once, and logs it for the operator. */
export function cancelCompleted(draft: Draft, requestId: number, attempt: number): void {
  alert(draft, "terminal-holds-completed-request", requestId);
  draft.effects.push({ kind: "send-cancel", requestId, attempt });
}
