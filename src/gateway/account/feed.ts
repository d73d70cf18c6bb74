import { JOURNAL_LIFE } from "../../protocol/limits.ts";
import type { Claim, VoidMark } from "./storage/claims.ts";
import { isoWithOffset } from "../../protocol/time/zone.ts";
import {
  type AccountTransaction,
  type TransactionEventType,
  type VoidedBy,
  isAboutTransaction,
} from "../../protocol/events.ts";
import type { RecordEntry } from "./rpc.ts";
import { findBusinessDay } from "./tally.ts";
import type { AccountRecord } from "./storage/record.ts";
import type { AccountTables } from "./storage/tables.ts";
import { enqueueStatistics } from "./statistics.ts";
import { enqueuePending, pendingCopy } from "./copies.ts";
import { DAY, type EpochMs } from "../../protocol/time/units.ts";

/** A claim's time is rewritten at most this often: most retries arrive within minutes. */
const CLAIM_REFRESH = DAY;

/**
 * A reference belongs to one device (I1), and a claim is never released: an unneeded claim refuses a message, a missing
 * one pays twice.
 */

/** With `refresh`, the time of the claim must be rewritten. */
type ClaimVerdict =
  | { kind: "new" }
  | { kind: "held"; claim: Claim; refresh: boolean }
  /** `open`: the recorded transaction is not completed. */
  | { kind: "elsewhere"; holder: string; open: boolean };

export function judgeClaim(known: Claim | null, deviceId: string, now: EpochMs): ClaimVerdict {
  if (known === null || isForgotten(known, now)) return { kind: "new" };
  if (known.deviceId !== deviceId) {
    return { kind: "elsewhere", holder: known.deviceId, open: isOpen(known) };
  }
  return { kind: "held", claim: known, refresh: now - known.admittedAt >= CLAIM_REFRESH };
}

/** A claim is kept for 400 days after its last admission and its completion, and while its transaction is open. */
export function isForgotten({ requestId, admittedAt, completedAt }: Claim, now: EpochMs): boolean {
  if (isOpen({ requestId, completedAt })) return false;
  return now - Math.max(admittedAt, completedAt ?? 0) > JOURNAL_LIFE;
}

function isOpen({ requestId, completedAt }: Pick<Claim, "requestId" | "completedAt">): boolean {
  return requestId !== null && completedAt === null;
}

export function newClaim(referenceId: string, deviceId: string, now: EpochMs): Claim {
  return {
    referenceId,
    deviceId,
    admittedAt: now,
    requestId: null,
    revision: 0,
    event: null,
    completedAt: null,
    voided: null,
  };
}

/**
 * I7: entries may arrive twice, late or out of order. Each status of a transaction becomes at most one event, and its
 * newest status is never missing.
 *
 * @returns the type of the entry's event; null: this status, or a newer one, is recorded already
 */
export function judgeEntry(
  claim: Claim | null,
  { requestId, revision, completedAt }: RecordEntry,
): TransactionEventType | null {
  const recorded = claim?.requestId ?? null;
  const revisionKnown = claim?.requestId === requestId ? claim.revision : 0;
  // A higher number with the same reference is a new transaction: the reference was reused after 400 days.
  if (recorded !== null && recorded > requestId) return null;
  if (revision <= revisionKnown) return null;
  if (completedAt !== null) return "transaction.completed";
  return recorded === requestId ? "transaction.updated" : "transaction.pending";
}

/** Creates a missing claim. @param number of the recorded event */
export function recordedClaim(claim: Claim | null, entry: RecordEntry, number: number, now: EpochMs): Claim {
  const { requestId, revision, deviceId, completedAt, transaction } = entry;
  const before = claim ?? newClaim(transaction.referenceId, deviceId, now);
  return { ...before, requestId, revision, event: number, completedAt };
}

/** Returns null if the transaction is not voided, or the mark belongs to another one. */
export function findVoid(mark: VoidMark | null, requestId: number): VoidedBy | null {
  if (mark === null || mark.of !== requestId) return null;
  return { requestId: mark.requestId, referenceId: mark.referenceId };
}

/** @param day null: none, or none yet */
export function toAccountTransaction(
  entry: RecordEntry,
  day: string | null,
  takenBackBy: VoidedBy | null,
  timezone: string,
): AccountTransaction {
  const { requestId, deviceId, receivedAt, completedAt, transaction } = entry;
  const { transType, merchantId, referenceId, statusCode, responseCode, responseText, completedBy, ...others } =
    transaction;
  return {
    requestId: String(requestId),
    transType,
    deviceId,
    merchantId,
    referenceId,
    statusCode,
    responseCode,
    responseText,
    completedBy,
    receivedAt: isoWithOffset(receivedAt, timezone),
    completedAt: completedAt === null ? null : isoWithOffset(completedAt, timezone),
    day,
    ...others,
    voidedBy: takenBackBy,
  };
}

/** A completed transaction gets its day, which never changes. */
export function assignBusinessDay(
  entry: RecordEntry,
  claim: Claim | null,
  { timezone, closedDay }: Pick<AccountRecord, "timezone" | "closedDay">,
): AccountTransaction {
  const { requestId, completedAt } = entry;
  const day = completedAt === null ? null : findBusinessDay(completedAt, timezone, closedDay);
  return toAccountTransaction(entry, day, findVoid(claim?.voided ?? null, requestId), timezone);
}

/**
 * Marks the voided transaction's claim. Returns null if there is nothing to mark, because the void is not a 00, the
 * mark exists, or the reference belongs to another transaction now.
 */
export function markedClaim(claim: Claim | null, entry: RecordEntry, now: EpochMs): Claim | null {
  const { voids, transaction, requestId, deviceId } = entry;
  if (voids === null || transaction.statusCode !== "00") return null;
  const before = claim ?? newClaim(voids.referenceId, deviceId, now);
  if (before.requestId !== null && before.requestId !== voids.requestId) return null;
  if (before.voided?.of === voids.requestId) return null;
  const voided = { of: voids.requestId, requestId: String(requestId), referenceId: transaction.referenceId };
  return { ...before, voided };
}

/** Records one entry and marks the transaction that it voids, in one turn. The caller has closed the days that are due. */
export function recordOutcome(tables: AccountTables, account: AccountRecord, entry: RecordEntry, now: EpochMs): void {
  const { claims, events } = tables;
  const claim = claims.find(entry.transaction.referenceId);
  const type = judgeEntry(claim, entry);
  if (type === null) return;
  const data = assignBusinessDay(entry, claim, account);
  const number = events.append(account, { type, data, times: entry.times }, now);
  if (type === "transaction.completed") enqueueStatistics(tables.outbox, number, now);
  notePending(tables, entry, claim, now);
  claims.save(recordedClaim(claim, entry, number, now));
  markVoided(tables, account, entry, now);
}

/**
 * Operators see open transactions (22). A transaction completed before it was recorded as 22 never was open for them.
 */
function notePending({ outbox }: AccountTables, entry: RecordEntry, claim: Claim | null, now: EpochMs): void {
  const { requestId, completedAt, deviceId, receivedAt, transaction } = entry;
  const wasOpen = claim?.requestId === requestId && claim.completedAt === null;
  if (completedAt !== null && !wasOpen) return;
  enqueuePending(
    outbox,
    { requestId, deviceId },
    completedAt === null ? pendingCopy(deviceId, receivedAt, transaction) : null,
    now,
  );
}

function markVoided({ claims, events }: AccountTables, account: AccountRecord, entry: RecordEntry, now: EpochMs): void {
  const marked = entry.voids === null ? null : markedClaim(claims.find(entry.voids.referenceId), entry, now);
  if (marked === null) return;
  const newest = marked.event === null ? null : events.find(marked.event);
  // The transaction is not recorded yet: its own event will have the mark.
  if (newest === null || !isAboutTransaction(newest) || marked.requestId === null) {
    claims.save(marked);
    return;
  }
  const data = { ...newest.data, voidedBy: findVoid(marked.voided, marked.requestId) };
  const event = events.append(account, { type: "transaction.updated", data }, now);
  claims.save({ ...marked, event });
}
