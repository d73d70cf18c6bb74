import { needsTarget } from "../../protocol/transfer-types.ts";
import { renderUnicodeCompact } from "uqr";
import type { Stage, TerminalEvent, TransactionRequest } from "../../client/terminal.ts";
import { eventText } from "../../simulator/event-text.ts";

/** What a terminal's screen shows at a stage; null where nothing changes. */
export function stageText(request: TransactionRequest, stage: Stage): string | null {
  switch (stage) {
    case "present":
      return `${heading(request)}\n${invitation(request)}`;
    case "reading":
      return "Reading the card …";
    case "pin":
      return "Enter PIN: ****";
    case "scan":
      return "Reading the code …";
    case "authorising":
      return "Authorising …";
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

/** What a terminal says on its screen of its line to the gateway and of its work; null for what is nobody's business. */
export function screenText(event: TerminalEvent): string | null {
  switch (event.kind) {
    case "connected":
    case "binding": {
      const { posId, merchantId, currency } = event.binding;
      const what = event.kind === "connected" ? "Connected" : "Changed";
      return posId === null
        ? `${what}; not bound to an account yet (--bind, --bind-key)`
        : `${what}; ready for ${posId}, ${merchantId ?? ""}, ${currency ?? ""}`;
    }
    case "disconnected":
      return `${eventText(event)}; again in ${event.reconnectInMs} ms`;
    case "accepted":
    case "acknowledged":
      return null;
    default:
      return eventText(event);
  }
}
