import type { Tone } from "../../page/declared.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import { codeWithWords } from "../../../protocol/response-codes.ts";
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

interface Standing {
  tone: Tone;
  title: string;
  sentence: string;
  /** What a person can do; empty: nothing. */
  next: string;
}

const WAIT_OR_RESOLVE =
  "Money may have moved, so the cashier was told not to charge again. It completes by itself when the terminal reports. If it " +
  "does not: look the payment up at the acquirer by terminal, time and amount, then resolve it.";

/** @param isConflicting whether a conflicting result is open */
export function paymentStanding(payment: TransactionAnswer, now: EpochMs, isConflicting = false): Standing {
  const { state, outcome, pendingReason, completedBy, resolvedBy } = payment;
  if (isConflicting)
    return {
      tone: "bad",
      title: CONFLICT_WORDS,
      sentence: `Recorded as ${outcome?.statusCode ?? "22"}, but the terminal reported the opposite afterwards.`,
      next:
        "The customer may have been charged without a sale, or served without paying. Find out with the acquirer, refund or " +
        "book it, then close the conflicting result. The record does not change.",
    };
  if (state === "completed") {
    const by =
      completedBy === "operator"
        ? `Resolved by ${resolvedBy ?? "an operator"}.`
        : `Completed by the ${completedBy ?? "gateway"}.`;
    const { statusCode = "11", responseCode = "" } = outcome ?? {};
    if (statusCode === "00")
      return { tone: "good", title: STATUS_WORDS["00"], sentence: by, next: "Money moved. It is final." };
    return {
      tone: "bad",
      title: STATUS_WORDS["11"],
      sentence: `${codeWithWords(responseCode)}. ${by}`.replace(/^\. /, ""),
      next: "No money moved, and none will: the cashier may charge again.",
    };
  }
  const unknown = { tone: "pending", title: STATUS_WORDS["22"], next: WAIT_OR_RESOLVE } as const;
  if (state === "pending")
    return { ...unknown, sentence: pendingReason === null ? "Its outcome is not known yet." : WHY[pendingReason] };
  if (isPastEnd(payment, now))
    return { ...unknown, sentence: "Its time limit has passed, and the terminal has not reported an outcome." };
  return { tone: "neutral", title: "In progress", sentence: WORKING[state], next: "" };
}

export const CONFLICT_WORDS = "Conflicting results";

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
