/** What the gateway itself knows about a transaction, as an answer's `transData`. */
import { canBeVoided } from "../../protocol/transfer-types.ts";
import { MANDATORY, type Outcome, type TransactionData } from "../../protocol/transactions.ts";
import { localDateTime } from "../../time/zone.ts";
import type { Transaction } from "./transaction.ts";

/** @param at the time of the transaction's completion, epoch milliseconds */
export function knownData({ requestId, terms, details, frozen }: Transaction, at: number): TransactionData {
  const data: TransactionData = { transId: terms.transId ?? String(requestId), paymentChannel: "" };
  if (frozen.transAmt !== undefined) data["transAmt"] = frozen.transAmt;
  if (frozen.cashAmt !== undefined) data["cashAmt"] = frozen.cashAmt;
  data["transDateTime"] = localDateTime(at, frozen.timezone);
  data["currency"] = frozen.currency;
  for (const name of MANDATORY) data[name] = "";
  if (details.metadata !== undefined) data["metadata"] = details.metadata;
  return data;
}

/**
 * Adds what is known to an answer about a sale or cashOut that has no details, the gateway's own or a terminal's, so that a
 * till can ask by number. It is derived from frozen members each time, not stored: always the same for a completed
 * transaction. Nothing is known about a tombstone, and a void's answer would name the payment that was not voided.
 */
export function withKnownData(transaction: Transaction, outcome: Outcome): Outcome {
  if (outcome.transData !== undefined || !canBeVoided(transaction.transType)) return outcome;
  return { ...outcome, transData: knownData(transaction, transaction.completedAt ?? transaction.receivedAt) };
}
