import { needsTarget } from "../../../protocol/transfer-types.ts";
import { renderUnicodeCompact } from "uqr";
import type { Stage, StopReason, TerminalEvent, TerminalResult, TransactionRequest } from "../../client/terminal.ts";
import { stoppedResult } from "../../client/terminal/run.ts";
import { eventText } from "../../simulator/event-text.ts";
import { createInterface } from "node:readline";
import type { Presented } from "../../simulator/payment-means.ts";
import { CUSTOMER_CANCELLED, type SimulatedCustomer } from "../../simulator/payments.ts";

/** Returns null if the screen stays as it is. */
export function stageText(request: TransactionRequest, stage: Stage): string | null {
  switch (stage) {
    case "present":
      return `${heading(request)}\n${invitation(request)}`;
    case "reading":
      return "Reading the card…";
    case "pin":
      return "Enter PIN: ****";
    case "scan":
      return "Reading the code…";
    case "authorising":
      return "Authorising…";
    case "printing":
      return "Approved";
    default:
      return stage satisfies never;
  }
}

function heading({ transType, currency, transId, transData }: TransactionRequest): string {
  const { transAmt, cashAmt } = transData;
  switch (transType) {
    case "sale":
      return `SALE  ${currency} ${toText(transAmt)}`;
    case "cashOut":
      return `SALE  ${currency} ${toText(transAmt)}   CASH  ${currency} ${toText(cashAmt)}`;
    case "void":
      return `VOID  ${transId}`;
    default:
      return transType satisfies never;
  }
}

function invitation({ transType, requestId, transData }: TransactionRequest): string {
  if (needsTarget(transType)) return "Void this transaction?";
  const { paymentMethod, paymentChannel } = transData;
  if (paymentMethod === "qrMerchScan") return "Show your code";
  if (paymentMethod !== "qrCustScan") return "Tap, insert or swipe your card";
  const code = renderUnicodeCompact(`SIMULATED PAYMENT ${requestId}`, { border: 1 });
  return `Scan with ${toText(paymentChannel)}\n${code}`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns null for an event that is not shown. */
export function screenText(event: TerminalEvent): string | null {
  switch (event.kind) {
    case "connected":
    case "binding": {
      const { posId, merchantId, currency } = event.binding;
      const what = event.kind === "connected" ? "Connected" : "Changed";
      return posId === null
        ? `${what}. Not bound to an account yet (use --bind or --bind-key)`
        : `${what}. Ready for ${posId}, ${merchantId ?? ""}, ${currency ?? ""}`;
    }
    case "disconnected":
      return `${eventText(event)}. Reconnecting in ${event.reconnectInMs} ms`;
    case "accepted":
    case "acknowledged":
      return null;
    default:
      return eventText(event);
  }
}

type Answer = Presented | TerminalResult;

/** The first letter of a line chooses the answer. */
const ANSWERS: Record<string, Answer> = {
  "": {},
  t: { entry: "contactless" },
  c: { entry: "chip" },
  m: { entry: "manual" },
  f: { entry: "fallback" },
  d: { card: "MyDebit", entry: "chip" },
  x: CUSTOMER_CANCELLED,
};

const FOR_CARDS = "Enter or t: tap, c: chip, m: keyed in, f: chip fails, d: domestic debit card, x: cancel";
const FOR_OTHERS = "Enter: yes, x: cancel";

/** Reads one line per question, from a terminal window or a pipe. */
export class Keyboard {
  readonly #show: (text: string) => void;
  readonly #otherwise: Presented;
  #asked: ((answer: Answer) => void) | null = null;

  /** @param otherwise what the customer presents by default */
  constructor(input: NodeJS.ReadableStream, otherwise: Presented, show: (text: string) => void) {
    this.#show = show;
    this.#otherwise = otherwise;
    createInterface({ input }).on("line", (line) => this.#read(line));
  }

  readonly customer: SimulatedCustomer = (request, signal) => {
    this.#show(byCard(request) ? FOR_CARDS : FOR_OTHERS);
    return new Promise((resolve) => {
      const answer = (given: Answer): void => {
        this.#asked = null;
        signal.removeEventListener("abort", stopped);
        resolve(given);
      };
      // The POS cancelled, or it is too late: the terminal has stopped asking.
      const stopped = (): void => answer(stoppedResult(signal.reason as StopReason));
      signal.addEventListener("abort", stopped);
      if (signal.aborted) stopped();
      else this.#asked = answer;
    });
  };

  #read(line: string): void {
    const answer = ANSWERS[line.trim().slice(0, 1).toLowerCase()];
    if (this.#asked === null || answer === undefined) return;
    this.#asked("statusCode" in answer ? answer : { ...this.#otherwise, ...answer });
  }
}

function byCard({ transType, transData }: TransactionRequest): boolean {
  return !needsTarget(transType) && transData["paymentMethod"] === "bankCard";
}
