/**
 * The log lines of a transaction's life: one when it is settled, which tells of all that came before, and one where it is
 * pending first. A line costs more than the call to the object that it tells of. What never comes to an end has the line
 * of its request; every stage is in the journal.
 */
import type { Outcome, Transaction } from "./lane/transaction.ts";

/** One line; times are milliseconds. */
export interface TransactionLine {
  stage: "pending" | "settled";
  /** The transaction's number, under which its requests' log lines name it, too. */
  transaction: number;
  account: string;
  transType: string;
  attempt: number;
  /** statusCode and responseCode, once there are any. */
  outcome?: string;
  /** Who settled it, or why it is pending. */
  by?: string;
  /** Since it was received: when it was sent last, when the terminal said that it has it, and when this stage came. */
  sentAfter?: number;
  acceptedAfter?: number;
  sinceReceived: number;
  /** Since its last stage. */
  sinceLastStage: number;
}

/** What one step added to a transaction; `before` is the row as it was, undefined for a new one. */
export function transactionLines(before: Transaction | undefined, after: Transaction): TransactionLine[] {
  const lines: TransactionLine[] = [];
  for (let index = before?.stages.length ?? 0; index < after.stages.length; index++) {
    const entry = after.stages[index];
    if (entry === undefined) continue;
    const { stage, at } = entry;
    if (stage !== "settled" && stage !== "pending") continue;
    const by = stage === "settled" ? after.settledBy : after.pendingReason;
    const sent = after.stages.findLast((earlier) => earlier.stage === "sent");
    const accepted = after.stages.findLast((earlier) => earlier.stage === "accepted");
    lines.push({
      stage,
      transaction: after.requestId,
      account: after.posId,
      // A reference that was cancelled or asked about before its request arrived.
      transType: after.transType ?? "none",
      attempt: after.attempt,
      ...(after.outcome === null ? {} : { outcome: outcomeText(after.outcome) }),
      ...(by === null ? {} : { by }),
      ...(sent === undefined ? {} : { sentAfter: sent.at - after.receivedAt }),
      ...(accepted === undefined ? {} : { acceptedAfter: accepted.at - after.receivedAt }),
      sinceReceived: at - after.receivedAt,
      sinceLastStage: at - (after.stages[index - 1]?.at ?? at),
    });
  }
  return lines;
}

/** An outcome as the log has it: `statusCode responseCode`. The latter may be the terminal's text; it was masked (I6). */
export function outcomeText({ statusCode, responseCode }: Outcome): string {
  return `${statusCode} ${responseCode}`;
}
