import type { OperatorTerminalDetails, TerminalAnswer, TransactionAnswer } from "../answers.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/** @param journal the newest rows, null until they are read */
export function inProgress(journal: readonly TransactionAnswer[] | null, now: EpochMs): TransactionAnswer | null {
  return (
    journal?.find(({ state, endsAt }) => state !== "completed" && state !== "pending" && now <= Date.parse(endsAt)) ??
    null
  );
}

/** `No payment in progress.`, or the payment that prevents the change. */
export function progressWords(journal: readonly TransactionAnswer[] | null, now: EpochMs): string {
  if (journal === null) return "It is not known yet whether a payment is in progress.";
  const payment = inProgress(journal, now);
  if (payment === null) return "No payment in progress.";
  return `Payment ${payment.requestId} is in progress: the gateway refuses this until it has ended.`;
}

/** For a new secret, which the gateway allows during a payment. */
export function progressWithSecret(journal: readonly TransactionAnswer[] | null, now: EpochMs): string {
  const payment = inProgress(journal, now);
  if (payment === null) return progressWords(journal, now);
  return `Payment ${payment.requestId} is in progress: its outcome would become 22 UNCONFIRMED, which you must resolve. Wait until it has ended.`;
}

/** Counts only the payments that were read. */
export function openWords(journal: readonly TransactionAnswer[] | null): string | null {
  const open = journal?.filter(({ state }) => state === "pending").length ?? 0;
  if (open === 0) return null;
  return `${open === 1 ? "One payment is" : `${open} payments are`} not completed: they stay with the account that made them.`;
}

/**
 * Whether nobody saw how the connection was lost, such as while the gateway was restarted: `offlineSince` is then when it
 * was found lost, and its last heartbeat is only the last one that is stored.
 */
export function isLossUnseen({
  offlineSince,
  lastHeartbeat,
}: Pick<TerminalAnswer, "offlineSince" | "lastHeartbeat">): boolean {
  return offlineSince !== null && Date.parse(offlineSince) > Date.parse(lastHeartbeat ?? offlineSince);
}

export function connectionWords({ connected }: Pick<OperatorTerminalDetails, "connected">): string {
  return connected ? "It is connected now: its connection is closed." : "It is not connected now.";
}
