/** A POS's message as the Worker hands it to the terminal's object. */
import type { Terms } from "../../src/protocol/transactions.ts";
import type { TransferCall } from "../../src/protocol/transfer-message.ts";
import { cancelCall, inquiryCall, saleCall } from "../support/transfer-call.ts";
import type { Message } from "./vocabulary.ts";

export const MERCHANT = { merchantId: "shop", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

/** @param posId what the account is called there */
export function objectCall(message: Message, posId: string, detached: boolean, arrivedAt: number): TransferCall {
  const account = { ...MERCHANT, posId };
  const { kind, reference: referenceId } = message;
  if (kind === "cancel") return { ...cancelCall(account, referenceId), arrivedAt };
  if (kind === "inquiry" || kind === "getLast") {
    const { transId: namedTransId = null, named: namedReferenceId = null } = kind === "inquiry" ? message : {};
    return { ...inquiryCall(account, { referenceId, transType: kind, namedTransId, namedReferenceId }), arrivedAt };
  }
  const channel = kind !== "void" && message.inactive === true ? "inactive" : "usable";
  return saleCall(account, { referenceId, transType: kind, terms: termsOf(message), channel, detached, arrivedAt });
}

function termsOf(message: Extract<Message, { kind: "sale" | "cashOut" | "void" }>): Terms {
  if (message.kind === "void") return { transId: String(message.transId) };
  const cash = message.kind === "cashOut" ? { cashAmt: "5.00" } : {};
  return { transAmt: message.amount, ...cash, paymentMethod: "bankCard" };
}
