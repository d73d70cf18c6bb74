/** `record`: entries become events, in the order in which they come. */
import { isAboutTransaction } from "../protocol/events.ts";
import { append } from "./append.ts";
import type { RecordEntry } from "./calls.ts";
import { judgeEntry, markedClaim, recordedClaim, transactionOf, voidedBy } from "./recording.ts";
import type { Claims } from "./storage/claims.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecord } from "./storage/record.ts";

export interface FeedParts {
  claims: Claims;
  events: Events;
}

/** Records one entry, and marks the transaction that it took back, in one turn. */
export function recordEntry(parts: FeedParts, account: AccountRecord, entry: RecordEntry, now: number): void {
  const { claims } = parts;
  const { referenceId } = entry.transaction;
  const claim = claims.find(referenceId);
  const verdict = judgeEntry(claim, entry);
  if (verdict.kind === "known") return;
  const data = transactionOf(entry, claim, account.timezone);
  const number = append(parts, account, { type: verdict.type, data }, now);
  claims.save(recordedClaim(claim, entry, number, now));
  if (entry.voids !== null) markVoided(parts, account, entry, entry.voids.referenceId, now);
}

/** A void that is done: whoever reads the transaction that it took back is told. */
function markVoided(
  parts: FeedParts,
  account: AccountRecord,
  entry: RecordEntry,
  referenceId: string,
  now: number,
): void {
  const { claims, events } = parts;
  const marked = markedClaim(claims.find(referenceId), entry, now);
  if (marked === null) return;
  const newest = marked.event === null ? null : events.find(marked.event);
  // Not recorded yet: its own event will carry the mark.
  if (newest === null || !isAboutTransaction(newest) || marked.requestId === null) {
    claims.save(marked);
    return;
  }
  const data = { ...newest.data, voidedBy: voidedBy(marked.voided, marked.requestId) };
  claims.save({ ...marked, event: append(parts, account, { type: "transaction.updated", data }, now) });
}
