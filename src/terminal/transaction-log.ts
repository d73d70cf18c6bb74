/**
 * The log lines of a transaction's life: one when it is settled, which tells of all that came before, and one where it is
 * pending first, or past its end without a word of the terminal: the till may have hung up long before, and then no line
 * of a request tells of it. A line costs more than the call to the object that it tells of; every stage is in the journal.
 */
import { isWithTerminal, type Transaction } from "./lane/index.ts";
import { type Outcome } from "../protocol/transactions.ts";

/** One line; times are milliseconds. */
export interface TransactionLine {
  stage: "pending" | "overdue" | "settled";
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
    lines.push(lineOf(after, stage, at, after.stages[index - 1]?.at ?? at, by));
  }
  if (after.ended && before?.ended !== true && isWithTerminal(after)) {
    lines.push(lineOf(after, "overdue", after.endsAt, after.stages.at(-1)?.at ?? after.endsAt, null));
  }
  return lines;
}

function lineOf(
  transaction: Transaction,
  stage: TransactionLine["stage"],
  at: number,
  lastStageAt: number,
  by: string | null,
): TransactionLine {
  const { receivedAt, outcome, stages } = transaction;
  const sent = stages.findLast((earlier) => earlier.stage === "sent");
  const accepted = stages.findLast((earlier) => earlier.stage === "accepted");
  return {
    stage,
    transaction: transaction.requestId,
    account: transaction.posId,
    // A reference that was cancelled or asked about before its request arrived.
    transType: transaction.transType ?? "none",
    attempt: transaction.attempt,
    ...(outcome === null ? {} : { outcome: outcomeText(outcome) }),
    ...(by === null ? {} : { by }),
    ...(sent === undefined ? {} : { sentAfter: sent.at - receivedAt }),
    ...(accepted === undefined ? {} : { acceptedAfter: accepted.at - receivedAt }),
    sinceReceived: at - receivedAt,
    sinceLastStage: at - lastStageAt,
  };
}

/** An outcome as the log has it: `statusCode responseCode`. The latter may be the terminal's text; it was masked (I6). */
export function outcomeText({ statusCode, responseCode }: Outcome): string {
  return `${statusCode} ${responseCode}`;
}
