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
 * Adds what is known to an answer that has no details, the gateway's own or a terminal's: to every approval, and so that a till
 * can ask by number to all about a sale or cashOut. It is derived from frozen members each time, not stored: always the same
 * for a completed transaction. Nothing is known about a tombstone, and a void that failed would name the payment that it did
 * not void.
 */
export function withKnownData(transaction: Transaction, outcome: Outcome): Outcome {
  const isTold = canBeVoided(transaction.transType) || outcome.statusCode === "00";
  if (outcome.transData !== undefined || !isTold) return outcome;
  return { ...outcome, transData: knownData(transaction, transaction.completedAt ?? transaction.receivedAt) };
}
