/** `record`: turns entries into events, in the order in which they arrive. */
import { type AccountTransaction, isAboutTransaction } from "../protocol/events.ts";
import type { Unresolved } from "./storage/unresolved.ts";
import { append } from "./append.ts";
import type { RecordEntry } from "../rpc/account.ts";
import { judgeEntry, markedClaim, recordedClaim, transactionOf, voidedBy } from "./recording.ts";
import type { UnresolvedCopy } from "../storage/unresolved.ts";
import { hundredths } from "./amounts.ts";
import type { Claim, Claims } from "./storage/claims.ts";
import type { Untold } from "../objects/storage/untold.ts";
import { oweUnresolved } from "./telling.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

export interface FeedParts {
  records: AccountRecordStore;
  claims: Claims;
  events: Events;
  untold: Untold;
}

/**
 * Records one entry and marks the transaction that it voids, in one turn. The caller has closed the days that are due.
 *
 * @returns the number of the newest event; null if the entry was known
 */
export function recordEntry(parts: FeedParts, account: AccountRecord, entry: RecordEntry, now: number): number | null {
  const { claims, records } = parts;
  const { referenceId } = entry.transaction;
  const claim = claims.find(referenceId);
  const verdict = judgeEntry(claim, entry);
  if (verdict.kind === "known") return null;
  const data = transactionOf(entry, claim, account);
  const number = append(parts, account, { type: verdict.type, data }, now, entry.times);
  noteUnresolved(parts, entry, claim, now);
  claims.save(recordedClaim(claim, entry, number, now));
  if (data.day !== null && (account.openDay === "" || data.day < account.openDay))
    records.update({ openDay: data.day });
  return entry.voids === null ? number : (markVoided(parts, account, entry, entry.voids.referenceId, now) ?? number);
}

/** Operators are shown what is 22. What was completed before anybody recorded it as 22 is nothing to them. */
function noteUnresolved({ untold }: FeedParts, entry: RecordEntry, claim: Claim | null, now: number): void {
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

function unresolvedCopy(deviceId: string, receivedAt: number, transaction: Copied): UnresolvedCopy {
  const { currency, referenceId, transType, responseCode, responseText, transAmt, cashAmt } = transaction;
  const amounts = { transAmt: hundredths(transAmt), cashAmt: hundredths(cashAmt) };
  return { receivedAt, currency, ...amounts, terminalId: deviceId, referenceId, transType, responseCode, responseText };
}

/** D1 was restored: it lacks what is 22 now, and its statistics. */
export function oweAll({ records, events, untold }: FeedParts, open: readonly Unresolved[], now: number): void {
  for (const { requestId, event } of open) {
    const newest = events.find(event);
    if (newest === null || !isAboutTransaction(newest)) continue;
    const { deviceId, receivedAt, ...transaction } = newest.data;
    oweUnresolved(untold, requestId, unresolvedCopy(deviceId, Date.parse(receivedAt), transaction), now);
  }
  records.update({ toldEvent: 0, toldAt: 0, toldNext: 0 });
}

/** Adds an event about a voided transaction. @returns its number; null if none was added */
function markVoided(
  parts: FeedParts,
  account: AccountRecord,
  entry: RecordEntry,
  referenceId: string,
  now: number,
): number | null {
  const { claims, events } = parts;
  const marked = markedClaim(claims.find(referenceId), entry, now);
  if (marked === null) return null;
  const newest = marked.event === null ? null : events.find(marked.event);
  // Not recorded yet: its own event will have the mark.
  if (newest === null || !isAboutTransaction(newest) || marked.requestId === null) {
    claims.save(marked);
    return null;
  }
  const data = { ...newest.data, voidedBy: voidedBy(marked.voided, marked.requestId) };
  const event = append(parts, account, { type: "transaction.updated", data }, now);
  claims.save({ ...marked, event });
  return event;
}
