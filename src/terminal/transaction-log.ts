/**
 * The log lines of a transaction: one when it is completed, with everything that came before, and one when it is first
 * pending, or past its end without a report of the terminal: the till may have hung up long before, and then no line of a
 * request mentions it. A log line costs more than the call to the object that it describes; the journal has every stage.
 */
import { isWithTerminal, type Transaction } from "./lane/index.ts";
import { type Outcome } from "../protocol/transactions.ts";

/** A log line; times are milliseconds. */
export interface TransactionLine {
  stage: "pending" | "overdue" | "completed";
  /** The transaction's number. The log lines of its requests have it too. */
  transaction: number;
  account: string;
  transType: string;
  attempt: number;
  /** statusCode and responseCode, if there are any. */
  outcome?: string;
  /** Who completed it, or why it is pending. */
  by?: string;
  /** Milliseconds from its arrival until it was last sent, was accepted, and reached this stage. */
  sentAfter?: number;
  acceptedAfter?: number;
  sinceReceived: number;
  /** Since its previous stage. */
  sinceLastStage: number;
}

/** The lines for what one step added to a transaction. `before` is the previous row, undefined for a new one. */
export function transactionLines(before: Transaction | undefined, after: Transaction): TransactionLine[] {
  const lines: TransactionLine[] = [];
  for (let index = before?.stages.length ?? 0; index < after.stages.length; index++) {
    const entry = after.stages[index];
    if (entry === undefined) continue;
    const { stage, at } = entry;
    if (stage !== "completed" && stage !== "pending") continue;
    const by = stage === "completed" ? after.completedBy : after.pendingReason;
    lines.push(lineOf(after, { stage, at, since: after.stages[index - 1]?.at ?? at }, by));
  }
  if (after.ended && before?.ended !== true && isWithTerminal(after)) {
    const { endsAt: at } = after;
    lines.push(lineOf(after, { stage: "overdue", at, since: after.stages.at(-1)?.at ?? at }, null));
  }
  return lines;
}

function lineOf(
  transaction: Transaction,
  { stage, at, since }: { stage: TransactionLine["stage"]; at: number; since: number },
  by: string | null,
): TransactionLine {
  const { receivedAt, outcome, stages } = transaction;
  const sent = stages.findLast((earlier) => earlier.stage === "sent");
  const accepted = stages.findLast((earlier) => earlier.stage === "accepted");
  return {
    stage,
    transaction: transaction.requestId,
    account: transaction.posId,
    // A tombstone: a reference that was cancelled or asked about before its request arrived.
    transType: transaction.transType ?? "none",
    attempt: transaction.attempt,
    ...(outcome === null ? {} : { outcome: outcomeText(outcome) }),
    ...(by === null ? {} : { by }),
    ...(sent === undefined ? {} : { sentAfter: sent.at - receivedAt }),
    ...(accepted === undefined ? {} : { acceptedAfter: accepted.at - receivedAt }),
    sinceReceived: at - receivedAt,
    sinceLastStage: at - since,
  };
}

/**
 * An outcome in the log: `statusCode responseCode`. The latter may be the terminal's text; card data in it is masked (I6).
 */
export function outcomeText({ statusCode, responseCode }: Outcome): string {
  return `${statusCode} ${responseCode}`;
}
