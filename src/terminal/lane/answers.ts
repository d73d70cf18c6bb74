/** The gateway's own answers, and the two ways in which a transaction gets one. */
import { type Draft, type Link, change, withStage } from "./lane.ts";
import type { GatewayCode } from "../../protocol/gateway-codes.ts";
import { gatewayAnswer, type Outcome, type PendingReason } from "../../protocol/transactions.ts";
import { withKnownData } from "./known-data.ts";
import type { Transaction } from "./transaction.ts";

/** A transaction's answer now: the frozen one of a completed transaction, otherwise a 22 that is created each time. */
export function currentAnswer(transaction: Transaction, link: Link): Outcome {
  const isTold = transaction.state === "completed" || transaction.pendingReason === "reported";
  const told = isTold ? transaction.outcome : null;
  return withKnownData(transaction, told ?? gatewayAnswer(openCode(transaction, link), link));
}

function openCode({ state, ended }: Transaction, link: Link): GatewayCode {
  if (state === "pending") return "UNCONFIRMED";
  if (!ended) return "IN_PROGRESS";
  return link.current === null ? "TERMINAL_LOST" : "TERMINAL_TIMEOUT";
}

/**
 * The revision of a transaction after a change. I7: the account must record each status that a till may see for a long
 * time. The gateway's own bookkeeping and repetitions are no new status, and a tombstone has none.
 */
function revisionAfter(before: Transaction, after: Transaction): number {
  if (after.transType === null) return before.revision;
  const isNews =
    after.state === "completed" ||
    (after.state === "pending"
      ? before.pendingReason !== after.pendingReason || isToldApart(before, after)
      : after.ended && !before.ended);
  return isNews ? before.revision + 1 : before.revision;
}

/** Whether the terminal's report differs. If it names no time, the gateway fills in the time of the report. */
function isToldApart({ outcome: before }: Transaction, { outcome: after }: Transaction): boolean {
  return JSON.stringify(withoutTime(before)) !== JSON.stringify(withoutTime(after));
}

function withoutTime(outcome: Outcome | null): Outcome | null {
  if (outcome?.transData === undefined) return outcome;
  const { transDateTime: _when, ...transData } = outcome.transData;
  return { ...outcome, transData };
}

/** Answers the waiters with the transaction's current state. */
export function conclude(draft: Draft, transaction: Transaction, members: Partial<Transaction> = {}): Transaction {
  const revision = revisionAfter(transaction, { ...transaction, ...members });
  const isSame = revision === transaction.revision && Object.keys(members).length === 0;
  const next = isSame ? transaction : change(draft, transaction, { ...members, revision });
  draft.effects.push({ kind: "conclude", transaction: next });
  return next;
}

/** I2: the only way into `completed`. The answer is frozen here and never changes. */
export function complete(
  draft: Draft,
  transaction: Transaction,
  outcome: Outcome,
  by: "terminal" | "gateway" | "operator",
  members: Partial<Transaction> = {},
): Transaction {
  return conclude(draft, transaction, {
    ...members,
    state: "completed",
    outcome,
    completedBy: by,
    completedAt: draft.now,
    undelivered: null,
    pendingReason: null,
    stages: withStage(transaction, "completed", draft.now),
  });
}

/** Completes with one of the gateway's own answers. */
export function completeAs(
  draft: Draft,
  transaction: Transaction,
  code: GatewayCode,
  members: Partial<Transaction> = {},
): void {
  complete(draft, transaction, gatewayAnswer(code, draft.link), "gateway", members);
}

/** The outcome is open, and only the terminal or the operator can resolve it: answers the waiters at once. */
export function makePending(
  draft: Draft,
  transaction: Transaction,
  reason: PendingReason,
  members: Partial<Transaction> = {},
): void {
  conclude(draft, transaction, {
    undelivered: null,
    ...members,
    state: "pending",
    pendingReason: reason,
    stages: transaction.state === "pending" ? transaction.stages : withStage(transaction, "pending", draft.now),
  });
}
