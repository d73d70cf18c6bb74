/**
 * Decisions about reference claims (I1). A reference belongs to one device, and a claim is never released: an unneeded
 * claim refuses a message, a missing one pays twice.
 */
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { CLAIM_REFRESH } from "./limits.ts";
import type { Claim, VoidMark } from "./storage/claims.ts";
import { isoWithOffset } from "../time/zone.ts";
import type { AccountTransaction, TransactionEventType, VoidedBy } from "../protocol/events.ts";
import type { RecordEntry } from "../rpc/account.ts";
import { dayOf } from "./business-day.ts";
import type { AccountRecord } from "./storage/record.ts";

/** `held`: this device already has it. `refresh`: its time must be rewritten. */
export type ClaimVerdict =
  | { kind: "new" }
  | { kind: "held"; claim: Claim; refresh: boolean }
  /** `open`: its recorded transaction is not completed. */
  | { kind: "elsewhere"; holder: string; open: boolean };

/** @param known the claim in the registry */
export function judgeClaim(known: Claim | null, deviceId: string, now: number): ClaimVerdict {
  if (known === null || isForgotten(known, now)) return { kind: "new" };
  if (known.deviceId !== deviceId) {
    return { kind: "elsewhere", holder: known.deviceId, open: isOpen(known) };
  }
  return { kind: "held", claim: known, refresh: now - known.admittedAt >= CLAIM_REFRESH };
}

/** A claim is kept for 400 days after its last admission and its completion, and while its transaction is open. */
export function isForgotten({ requestId, admittedAt, completedAt }: Claim, now: number): boolean {
  if (isOpen({ requestId, completedAt })) return false;
  return now - Math.max(admittedAt, completedAt ?? 0) > JOURNAL_LIFE;
}

function isOpen({ requestId, completedAt }: Pick<Claim, "requestId" | "completedAt">): boolean {
  return requestId !== null && completedAt === null;
}

/** A claim without a recorded transaction. */
export function newClaim(referenceId: string, deviceId: string, now: number): Claim {
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
 * What becomes of an entry from a terminal's object (I7). Entries may arrive twice, late or out of order. Each status of a
 * transaction becomes at most one event, and its newest status is never missing.
 *
 * `known`: this status, or a newer one, is recorded already.
 */
export type EntryVerdict = { kind: "known" } | { kind: "event"; type: TransactionEventType };

/** @param claim the registry's claim for the entry's reference */
export function judgeEntry(claim: Claim | null, { requestId, revision, completedAt }: RecordEntry): EntryVerdict {
  const recorded = claim?.requestId ?? null;
  const revisionKnown = claim?.requestId === requestId ? claim.revision : 0;
  // A higher number with the same reference is a new transaction: the reference was reused after 400 days.
  if (recorded !== null && recorded > requestId) return { kind: "known" };
  if (revision <= revisionKnown) return { kind: "known" };
  if (completedAt !== null) return { kind: "event", type: "transaction.completed" };
  return { kind: "event", type: recorded === requestId ? "transaction.updated" : "transaction.pending" };
}

/** The claim after the entry is recorded as event `number`. Creates a missing claim. */
export function recordedClaim(claim: Claim | null, entry: RecordEntry, number: number, now: number): Claim {
  const { requestId, revision, deviceId, completedAt, transaction } = entry;
  const before = claim ?? newClaim(transaction.referenceId, deviceId, now);
  return { ...before, requestId, revision, event: number, completedAt };
}

/** The void of this transaction, if the mark belongs to it. */
export function voidedBy(mark: VoidMark | null, requestId: number): VoidedBy | null {
  if (mark === null || mark.of !== requestId) return null;
  return { requestId: mark.requestId, referenceId: mark.referenceId };
}

/**
 * An entry as lists and events show it, in the account's time zone.
 *
 * @param day null if it has none, or none yet
 */
export function listed(
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

/** An entry as it is recorded. A completed transaction gets its day, which never changes. */
export function transactionOf(
  entry: RecordEntry,
  claim: Claim | null,
  { timezone, closedDay }: Pick<AccountRecord, "timezone" | "closedDay">,
): AccountTransaction {
  const { requestId, completedAt } = entry;
  const day = completedAt === null ? null : dayOf(completedAt, timezone, closedDay);
  return listed(entry, day, voidedBy(claim?.voided ?? null, requestId), timezone);
}

/**
 * The claim of a voided transaction with the mark of its void; null if there is nothing to mark: the void is not a 00, the
 * mark exists, or the reference belongs to another transaction now.
 */
export function markedClaim(claim: Claim | null, entry: RecordEntry, now: number): Claim | null {
  const { voids, transaction, requestId, deviceId } = entry;
  if (voids === null || transaction.statusCode !== "00") return null;
  const before = claim ?? newClaim(voids.referenceId, deviceId, now);
  if (before.requestId !== null && before.requestId !== voids.requestId) return null;
  if (before.voided?.of === voids.requestId) return null;
  const voided = { of: voids.requestId, requestId: String(requestId), referenceId: transaction.referenceId };
  return { ...before, voided };
}
