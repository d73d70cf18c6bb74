/** The log lines of a transaction's life: one when it was received, sent, accepted, became pending, settled. */
import type { Outcome, Transaction } from "./lane/transaction.ts";

/** One line; times are milliseconds. */
export interface TransactionLine {
  stage: string;
  /** The transaction's number, under which its requests' log lines name it, too. */
  transaction: number;
  account: string;
  transType: string;
  attempt: number;
  /** statusCode and responseCode, once there are any. */
  outcome?: string;
  /** Who settled it, or why it is pending. */
  by?: string;
  /** Since it was received, and since its last stage. */
  sinceReceived: number;
  sinceLastStage: number;
}

/** Stages that are events of the transaction; those of the terminal's `progress` are in the journal alone. */
const LOGGED = new Set(["received", "sent", "accepted", "pending", "settled"]);

/** What one step added to a transaction; `before` is the row as it was, undefined for a new one. */
export function transactionLines(before: Transaction | undefined, after: Transaction): TransactionLine[] {
  const lines: TransactionLine[] = [];
  for (let index = before?.stages.length ?? 0; index < after.stages.length; index++) {
    const entry = after.stages[index];
    if (entry === undefined || !LOGGED.has(entry.stage)) continue;
    const { stage, at } = entry;
    const ends = stage === "settled" || stage === "pending";
    const by = stage === "settled" ? after.settledBy : stage === "pending" ? after.pendingReason : null;
    lines.push({
      stage,
      transaction: after.requestId,
      account: after.posId,
      // A reference that was cancelled or asked about before its request arrived.
      transType: after.transType ?? "none",
      attempt: after.attempt,
      ...(ends && after.outcome !== null ? { outcome: outcomeText(after.outcome) } : {}),
      ...(by === null ? {} : { by }),
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
