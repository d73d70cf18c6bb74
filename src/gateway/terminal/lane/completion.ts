/** How a transaction of the lane ends: completed for ever, or pending until the terminal or an operator resolves it. */
import { changeTransaction, type LaneDraft, type LaneTransaction, withStage } from "./lane.ts";
import { BUSY_WITH_ANOTHER, busyWith, type GatewayCode } from "../../../protocol/gateway-codes.ts";
import { gatewayAnswer, type Outcome, type PendingReason } from "../../../protocol/transactions.ts";

interface Completion {
  outcome: Outcome;
  completedBy: "terminal" | "gateway" | "operator";
}

/** This is the only way into `completed` (I2): the answer is frozen here and never changes. */
export function completeTransaction(
  draft: LaneDraft,
  transaction: LaneTransaction,
  members: Partial<LaneTransaction> & Completion,
): LaneTransaction {
  return concludeTransaction(draft, transaction, {
    ...members,
    state: "completed",
    completedAt: draft.now,
    undelivered: null,
    pendingReason: null,
    stages: withStage(transaction, "completed", draft.now),
  });
}

export function completeAs(
  draft: LaneDraft,
  transaction: LaneTransaction,
  code: GatewayCode,
  members: Partial<LaneTransaction> = {},
): void {
  completeTransaction(draft, transaction, {
    ...members,
    outcome: gatewayAnswer(code, draft.link),
    completedBy: "gateway",
  });
}

/**
 * Completes it as TERMINAL_BUSY. I6: another account's reference is not named.
 *
 * @param holder the payment that is open at the terminal; null: none is known
 */
export function completeBusy(
  draft: LaneDraft,
  transaction: LaneTransaction,
  holder: LaneTransaction | null,
  members: Partial<LaneTransaction> = {},
): void {
  const answer = gatewayAnswer("TERMINAL_BUSY", draft.link);
  completeTransaction(draft, transaction, {
    ...members,
    outcome: holder === null ? answer : { ...answer, ...namedTo(transaction, holder) },
    completedBy: "gateway",
  });
}

function namedTo(
  { posId }: LaneTransaction,
  holder: LaneTransaction,
): Pick<Outcome, "responseText" | "openReferenceId"> {
  const { referenceId } = holder;
  return holder.posId === posId
    ? { responseText: busyWith(referenceId), openReferenceId: referenceId }
    : { responseText: BUSY_WITH_ANOTHER };
}

/** Only the terminal or the operator can resolve the outcome now, so the waiters are answered at once. */
export function makePending(
  draft: LaneDraft,
  transaction: LaneTransaction,
  reason: PendingReason,
  members: Partial<LaneTransaction> = {},
): void {
  concludeTransaction(draft, transaction, {
    undelivered: null,
    ...members,
    state: "pending",
    pendingReason: reason,
    stages: transaction.state === "pending" ? transaction.stages : withStage(transaction, "pending", draft.now),
  });
}

/** The requests that wait get the transaction's present answer. Its revision grows if the account must record that. */
export function concludeTransaction(
  draft: LaneDraft,
  transaction: LaneTransaction,
  members: Partial<LaneTransaction> = {},
): LaneTransaction {
  const revision = revisionAfter(transaction, { ...transaction, ...members });
  const isSame = revision === transaction.revision && Object.keys(members).length === 0;
  const next = isSame ? transaction : changeTransaction(draft, transaction, { ...members, revision });
  draft.effects.push({ kind: "conclude", transaction: next });
  return next;
}

/**
 * I7: the account must record each status that a POS may see for a long time. The gateway's own bookkeeping and
 * repetitions are no new status, and a tombstone has none.
 */
function revisionAfter(before: LaneTransaction, after: LaneTransaction): number {
  if (after.transType === null) return before.revision;
  const hasChanged =
    after.state === "completed" ||
    (after.state === "pending"
      ? before.pendingReason !== after.pendingReason || differsForCallers(before, after)
      : after.ended && !before.ended);
  return hasChanged ? before.revision + 1 : before.revision;
}

/** Whether the terminal's report differs, apart from a time that the gateway filled in. */
function differsForCallers({ outcome: before }: LaneTransaction, { outcome: after }: LaneTransaction): boolean {
  return JSON.stringify(withoutTime(before)) !== JSON.stringify(withoutTime(after));
}

function withoutTime(outcome: Outcome | null): Outcome | null {
  if (outcome?.transData === undefined) return outcome;
  const { transDateTime: _when, ...transData } = outcome.transData;
  return { ...outcome, transData };
}
