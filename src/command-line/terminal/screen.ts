import { needsTarget } from "../../protocol/transfer-types.ts";
import { renderUnicodeCompact } from "uqr";
import type { Stage, TerminalEvent, TransactionRequest } from "../../client/terminal.ts";
import { eventText } from "../../simulator/event-text.ts";

/** The screen of a terminal at a stage; null if it does not change. */
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
      return `SALE  ${currency} ${textOf(transAmt)}`;
    case "cashOut":
      return `SALE  ${currency} ${textOf(transAmt)}   CASH  ${currency} ${textOf(cashAmt)}`;
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
  return `Scan with ${textOf(paymentChannel)}\n${code}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What the screen shows for an event; null for events that are not shown. */
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
