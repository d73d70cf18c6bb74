import type { Tone } from "../../page/declared.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import { moneyText } from "../../../protocol/amounts.ts";
import type { TransactionAnswer } from "../answers.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

const WHY: Record<NonNullable<TransactionAnswer["pendingReason"]>, string> = {
  reported: "The terminal does not know the outcome yet. It reports the outcome as soon as it does.",
  "other-memory": "The terminal reconnected with another memory and cannot prove the outcome.",
  forgotten: "The terminal accepted it, but no longer has it.",
  mismatch:
    "The terminal's result names another amount or currency, or has a secret that is newer than the payment. See the evidence.",
};

const WORKING = {
  queued: "It waits for the terminal.",
  sent: "It was sent to the terminal.",
  accepted: "The terminal is processing it.",
};

export function paymentStanding(
  payment: TransactionAnswer,
  now: EpochMs,
): { tone: Tone; title: string; sentence: string } {
  const { state, outcome, pendingReason, completedBy, resolvedBy } = payment;
  if (state === "completed") {
    const by =
      completedBy === "operator"
        ? `Resolved by ${resolvedBy ?? "an operator"}.`
        : `Completed by the ${completedBy ?? "gateway"}.`;
    return outcome?.statusCode === "00"
      ? { tone: "good", title: "Approved", sentence: by }
      : { tone: "bad", title: "Not approved", sentence: `${outcome?.responseCode ?? ""}. ${by}`.replace(/^\. /, "") };
  }
  const unknown = { tone: "pending", title: "Pending" } as const;
  if (state === "pending")
    return { ...unknown, sentence: pendingReason === null ? "Its outcome is not known yet." : WHY[pendingReason] };
  if (isPastEnd(payment, now))
    return { ...unknown, sentence: "Its time limit has passed, and the terminal has not reported an outcome." };
  return { tone: "neutral", title: "In progress", sentence: WORKING[state] };
}

export const STATUS_WORDS: Record<StatusCode, string> = { "00": "Approved", "11": "Not approved", "22": "Pending" };

export const STATUS_TONES: Record<StatusCode, Tone> = { "00": "good", "11": "bad", "22": "pending" };

/** An operator can resolve a payment that is pending or past its end. */
export function canResolve(payment: TransactionAnswer, now: EpochMs): boolean {
  return payment.state === "pending" || (payment.state !== "completed" && isPastEnd(payment, now));
}

function isPastEnd({ endsAt }: TransactionAnswer, now: EpochMs): boolean {
  return now > Date.parse(endsAt);
}

/** Writes `sale MYR 12.50`. */
export function formatTitle({ transType, transAmt, cashAmt, currency }: TransactionAnswer): string {
  if (transType === null) return "Cancelled before it arrived";
  const cash = cashAmt === null ? "" : ` + ${cashAmt} cash`;
  return transAmt === null ? transType : `${transType} ${moneyText(transAmt, currency)}${cash}`;
}

/** Returns the time from the request to the outcome; null without an outcome. */
export function measureDuration(receivedAt: string, completedAt: string | null): number | null {
  return completedAt === null ? null : Date.parse(completedAt) - Date.parse(receivedAt);
}
