/**
 * One log line when a transaction is completed, with everything that came before, and one when it is first pending, or
 * past its end without a report of the terminal: the POS may have hung up long before, so no line of a request
 * mentions it. A log line costs more than the call to the object that it describes; the journal has every stage.
 */
import { isWithTerminal, type LaneTransaction } from "./lane/index.ts";
import { type Outcome } from "../../protocol/transactions.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** `before` is the previous row; undefined for a new one. */
export function transactionLines(before: LaneTransaction | undefined, after: LaneTransaction) {
  const { stages, endsAt } = after;
  const lines = stages.slice(before?.stages.length ?? 0).flatMap(({ stage, at }) => {
    if (stage !== "completed" && stage !== "pending") return [];
    return [formatLine(after, stage, at, stage === "completed" ? after.completedBy : after.pendingReason)];
  });
  const isOverdue = after.ended && before?.ended !== true && isWithTerminal(after);
  return isOverdue ? [...lines, formatLine(after, "overdue", endsAt, null)] : lines;
}

/**
 * Times are milliseconds.
 *
 * @param by who completed the transaction, or why it is pending
 */
function formatLine(transaction: LaneTransaction, stage: string, at: EpochMs, by: string | null) {
  const { receivedAt, outcome, stages } = transaction;
  const earlier = stages.filter((one) => one.at <= at && one.stage !== stage);
  const sent = stages.findLast((one) => one.stage === "sent");
  const accepted = stages.findLast((one) => one.stage === "accepted");
  return {
    stage,
    transaction: transaction.requestId,
    account: transaction.posId,
    transType: transaction.transType ?? "none",
    attempt: transaction.attempt,
    ...(outcome === null ? {} : { outcome: logOutcome(outcome) }),
    ...(by === null ? {} : { by }),
    ...(sent === undefined ? {} : { sentAfter: sent.at - receivedAt }),
    ...(accepted === undefined ? {} : { acceptedAfter: accepted.at - receivedAt }),
    sinceReceived: at - receivedAt,
    sinceLastStage: at - (earlier.at(-1)?.at ?? at),
  };
}

/** Writes `statusCode responseCode`. The latter may be the terminal's text; card data in it is masked (I6). */
export function logOutcome({ statusCode, responseCode }: Outcome): string {
  return `${statusCode} ${responseCode}`;
}
