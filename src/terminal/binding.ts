/** Who a terminal works for, and when that may change. */
import type { Binding, BindOutcome, UnbindOutcome } from "./calls.ts";
import type { Lane } from "./lane/lane.ts";
import { isRunning } from "./lane/transaction.ts";
import type { TerminalRecord } from "./record.ts";

/** A transaction that is queued, sent or accepted within its time holds the binding; a pending one does not. */
export function isHeld(lane: Lane, now: number): boolean {
  for (const transaction of lane.open.values()) if (isRunning(transaction, now)) return true;
  return false;
}

export function judgeBind(
  record: TerminalRecord | null,
  lane: Lane,
  wanted: Binding,
  mode: "move" | "only-unbound",
  now: number,
): BindOutcome {
  if (record === null || record.sealedSecret === null) return { kind: "not-enrolled" };
  const bound = record.binding;
  if (bound?.posId === wanted.posId) return { kind: "bound" };
  if (bound !== null && mode === "only-unbound") return { kind: "bound-otherwise", posId: bound.posId };
  return isHeld(lane, now) ? { kind: "busy" } : { kind: "bound" };
}

export function judgeUnbind(
  record: TerminalRecord | null,
  lane: Lane,
  posId: string | null,
  now: number,
): UnbindOutcome {
  const bound = record?.binding ?? null;
  if (bound === null || (posId !== null && bound.posId !== posId)) return { kind: "not-bound" };
  return isHeld(lane, now) ? { kind: "busy" } : { kind: "unbound" };
}

export function sameBinding(one: Binding | null, other: Binding | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.posId === other.posId &&
    one.merchantId === other.merchantId &&
    one.currency === other.currency &&
    one.timezone === other.timezone
  );
}
