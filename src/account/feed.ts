/** `record`: turns entries into events, in the order in which they arrive. */
import { type AccountTransaction, isAboutTransaction } from "../protocol/events.ts";
import type { RecordEntry } from "../rpc/account.ts";
import type { UnresolvedCopy } from "../storage/unresolved.ts";
import { judgeEntry, markedClaim, recordedClaim, transactionOf, voidedBy } from "./claims.ts";
import type { Claim } from "./storage/claims.ts";
import type { Unresolved } from "./storage/days.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountStores } from "./stores.ts";
import { addedBy } from "./tally.ts";
import { oweUnresolved } from "./telling.ts";

type FeedStores = Pick<AccountStores, "records" | "claims" | "events" | "untold">;

/**
 * Records one entry and marks the transaction that it voids, in one turn. The caller has closed the days that are due.
 *
 * @returns the number of the newest event; null if the entry was known
 */
export function recordEntry(
  stores: FeedStores,
  account: AccountRecord,
  entry: RecordEntry,
  now: number,
): number | null {
  const { claims, records, events } = stores;
  const claim = claims.find(entry.transaction.referenceId);
  const verdict = judgeEntry(claim, entry);
  if (verdict.kind === "known") return null;
  const data = transactionOf(entry, claim, account);
  const number = events.append(account, { type: verdict.type, data, times: entry.times }, now);
  noteUnresolved(stores, entry, claim, now);
  claims.save(recordedClaim(claim, entry, number, now));
  if (data.day !== null && (account.openDay === "" || data.day < account.openDay))
    records.update({ openDay: data.day });
  return markVoided(stores, account, entry, now) ?? number;
}

/** Operators are shown what is 22. What was completed before anybody recorded it as 22 is nothing to them. */
function noteUnresolved({ untold }: FeedStores, entry: RecordEntry, claim: Claim | null, now: number): void {
  const { requestId, completedAt, deviceId, receivedAt, transaction } = entry;
  const wasOpen = claim?.requestId === requestId && claim.completedAt === null;
  if (completedAt !== null && !wasOpen) return;
  oweUnresolved(
    untold,
    requestId,
    completedAt === null ? unresolvedCopy(deviceId, receivedAt, transaction) : null,
    now,
  );
}

type Copied = Pick<
  AccountTransaction,
  "currency" | "referenceId" | "transType" | "responseCode" | "responseText" | "transAmt" | "cashAmt"
>;

export function unresolvedCopy(deviceId: string, receivedAt: number, transaction: Copied): UnresolvedCopy {
  const { currency, referenceId, transType, responseCode, responseText, transAmt, cashAmt } = transaction;
  const amounts = { transAmt: addedBy(transType, transAmt), cashAmt: addedBy(transType, cashAmt) };
  return { receivedAt, currency, ...amounts, terminalId: deviceId, referenceId, transType, responseCode, responseText };
}

/** D1 was restored: it lacks what is 22 now, and its statistics. */
export function oweAll({ records, events, untold }: FeedStores, open: readonly Unresolved[], now: number): void {
  for (const { requestId, event } of open) {
    const newest = events.find(event);
    if (newest === null || !isAboutTransaction(newest)) continue;
    const { deviceId, receivedAt, ...transaction } = newest.data;
    oweUnresolved(untold, requestId, unresolvedCopy(deviceId, Date.parse(receivedAt), transaction), now);
  }
  records.update({ toldEvent: 0, toldAt: 0, toldNext: 0 });
}

/** Adds an event about the transaction that the entry voids. @returns its number; null if none was added */
function markVoided(
  { claims, events }: FeedStores,
  account: AccountRecord,
  entry: RecordEntry,
  now: number,
): number | null {
  const marked = entry.voids === null ? null : markedClaim(claims.find(entry.voids.referenceId), entry, now);
  if (marked === null) return null;
  const newest = marked.event === null ? null : events.find(marked.event);
  // Not recorded yet: its own event will have the mark.
  if (newest === null || !isAboutTransaction(newest) || marked.requestId === null) {
    claims.save(marked);
    return null;
  }
  const data = { ...newest.data, voidedBy: voidedBy(marked.voided, marked.requestId) };
  const event = events.append(account, { type: "transaction.updated", data }, now);
  claims.save({ ...marked, event });
  return event;
}
