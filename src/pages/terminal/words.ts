import { handsOutCash, needsTarget } from "../../protocol/transfer-types.ts";
import type { SessionProblem, TransactionRequest } from "../../sdk/client/terminal.ts";
import { PIN_TRIES } from "../../sdk/simulator/payments.ts";
import type { DisplayedOutcome, TerminalPayment, Prompt, DeviceState } from "./model.ts";

export interface Amount {
  label: string;
  currency: string;
  amount: string;
}

/** In the order of the screen; none for a void. */
export function amounts({ transType, currency, transData }: TransactionRequest): Amount[] {
  const purchase = { label: "Purchase", currency, amount: toText(transData["transAmt"]) };
  switch (transType) {
    case "sale":
      return [{ ...purchase, label: "Sale" }];
    case "cashOut":
      return [purchase, { label: "Cash out", currency, amount: toText(transData["cashAmt"]) }];
    case "void":
      return [];
    default:
      return transType satisfies never;
  }
}

export function method({ transType, transId, transData }: TransactionRequest): string {
  if (needsTarget(transType)) return `Void of ${transId}`;
  switch (transData["paymentMethod"]) {
    case "qrCustScan":
      return toText(transData["paymentChannel"]);
    case "qrMerchScan":
      return "Wallet";
    default:
      return handsOutCash(transType) ? "Domestic debit card" : "Card";
  }
}

export function instruction({ request, prompt }: TerminalPayment): string {
  switch (prompt.kind) {
    case "present":
      return presentWords(request, prompt.insert);
    case "customer-scans":
      return `Scan with ${toText(request.transData["paymentChannel"])}`;
    case "pin":
      return pinWords(prompt.wrong);
    default:
      return INSTRUCTIONS[prompt.kind];
  }
}

const INSTRUCTIONS = {
  "customer-shows": "Show your code",
  confirm: "OK to void, Cancel to keep it",
  reading: "Reading the card…",
  authorising: "Authorising…",
};

function presentWords({ transType }: TransactionRequest, insert: "cash" | "limit" | null): string {
  if (insert === "limit") return "Amount too high to tap: insert your card";
  if (insert === "cash") return "Cash needs a PIN: insert your card";
  return handsOutCash(transType) ? "Insert your card" : "Tap, insert or swipe your card";
}

function pinWords(wrong: number): string {
  const left = PIN_TRIES - wrong;
  if (wrong === 0) return "Enter your PIN";
  return left === 1 ? "Wrong PIN, one try left" : `Wrong PIN, ${left} tries left`;
}

export type VerdictTone = "good" | "bad" | "open";

export function verdict({ request, statusCode, responseCode }: DisplayedOutcome): {
  heading: string;
  tone: VerdictTone;
} {
  if (statusCode === "00") return { heading: needsTarget(request.transType) ? "Voided" : "Approved", tone: "good" };
  if (statusCode === "22") return { heading: "Not known yet", tone: "open" };
  return { heading: FAILURES[responseCode] ?? "Declined", tone: "bad" };
}

/** For an 11 that does not come from a bank. */
const FAILURES: Record<string, string> = {
  "17": "Cancelled",
  CANCELLED: "Cancelled",
  CUSTOMER_TIMEOUT: "Timed out",
  TERMINAL_STOPPED: "Switched off",
  TERMINAL_ERROR: "Failed",
  RESTARTED: "Interrupted",
};

/** Empty if the heading says everything. */
export function explanation({ line, held }: DeviceState, { request, statusCode, text }: DisplayedOutcome): string {
  const isReported = !held.some((one) => one.request.requestId === request.requestId && !one.acknowledged);
  if (line !== "up" && !isReported) return "The gateway gets the result when the connection is back.";
  return statusCode === "00" ? "" : text;
}

const LINES: Record<DeviceState["line"], string> = {
  up: "Online",
  connecting: "Connecting",
  cut: "Offline",
  lost: "Offline",
  replaced: "Replaced",
};

export function lineWords({ line }: DeviceState): string {
  return LINES[line];
}

/** For screen readers, when the screen changes. */
export function announcement(state: DeviceState): string {
  const { access, payment, outcome, binding, bindProblem, line } = state;
  if (access.kind === "signed-out") return access.problem ?? bindProblem ?? "";
  if (access.kind === "signing-in") return "Signing in.";
  const offline = line === "up" ? "" : ` ${lineWords(state)}.`;
  if (payment !== null) {
    const asked = instruction(payment);
    // The amount is said once, with the first request.
    const isFirst = FIRST_PROMPTS.includes(payment.prompt.kind);
    return `${isFirst ? `${summary(payment.request)}. ` : ""}${sentence(asked)}${offline}`;
  }
  if (outcome !== null) {
    const { heading } = verdict(outcome);
    const explained = explanation(state, outcome);
    return `${heading}. ${summary(outcome.request)}.${explained === "" ? "" : ` ${explained}`}${offline}`;
  }
  if (bindProblem !== null) return bindProblem;
  return `${binding.posId === null ? "Not bound to an account." : `Ready for ${binding.posId}.`}${offline}`;
}

const FIRST_PROMPTS: Prompt["kind"][] = ["present", "customer-scans", "customer-shows", "confirm"];

function summary(request: TransactionRequest): string {
  const listed = amounts(request).map(({ label, currency, amount }) => `${label} ${currency} ${amount}`);
  return listed.length === 0 ? method(request) : listed.join(", ");
}

function sentence(text: string): string {
  return /[.…]$/.test(text) ? text.replace("…", ".") : `${text}.`;
}

/** Explains a failed login or binding to a person. */
export function problemSentence(problem: SessionProblem): string {
  if (problem.kind === "rate-limited") return `Too many attempts. Try again in ${problem.retryAfterSeconds} seconds.`;
  if (problem.kind !== "login-refused") return problem.message;
  return "The gateway does not know this terminal, or the secret is out of date.";
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
