/**
 * The outcomes of transactions on their way to their accounts (I7): for each new revision of a transaction an entry of
 * the outbox, in the same turn, until the account has recorded that revision. What is delivered is the transaction as it
 * is then, so its newest revision is enough.
 */
import { needsTarget } from "../../protocol/transfer-types.ts";
import type { DeliveryAnswer, Outbox, OutboxEntry } from "../durable/storage/outbox.ts";
import type { AccountStub } from "../account/rpc.ts";
import { accountObject } from "../d1/objects.ts";
import type { LaneTransaction } from "./lane/index.ts";
import { isReal, buildRecordEntry, type RecordSource } from "./record-entry.ts";
import { OUTCOME } from "./storage/journal.ts";

export function enqueueOutcome(outbox: Outbox, transaction: LaneTransaction, now: number): void {
  if (!isReal(transaction)) return;
  const { requestId, posId, revision } = transaction;
  outbox.enqueue({ target: accountObject(posId), kind: OUTCOME, key: String(requestId), version: revision }, now);
}

/**
 * @param entries of this account
 * @returns what became of each entry. An account that could not record one has recorded the others.
 */
export async function deliverOutcomes(
  { find, terminalId, link }: RecordSource,
  account: AccountStub,
  entries: readonly OutboxEntry[],
): Promise<DeliveryAnswer[]> {
  const transactions = entries.map(({ key }) => find(Number(key))).filter((one) => one !== null && isReal(one));
  const { recorded } = await account.record(
    transactions.map((transaction) => {
      const { transType, terms } = transaction;
      // A void of another account's transaction is refused, and never 00.
      const voided = needsTarget(transType) ? find(Number(terms.transId)) : null;
      return buildRecordEntry(transaction, terminalId, link, voided);
    }),
  );
  const revisions = new Map(recorded.map(({ requestId, revision }) => [String(requestId), revision]));
  return entries.map(({ key, version }) => ((revisions.get(key) ?? 0) >= version ? "delivered" : "failed"));
}
