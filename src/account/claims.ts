/**
 * Decisions about reference claims (I1). A reference belongs to one device, and a claim is never released: an unneeded
 * claim refuses a message, a missing one pays twice.
 */
import { JOURNAL_LIFE } from "../protocol/limits/transfers.ts";
import { CLAIM_REFRESH } from "./limits.ts";
import type { Claim } from "./storage/claims.ts";

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
