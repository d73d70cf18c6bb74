/** A POS's message as the Worker hands it to the terminal's object. */
import type { Terms } from "../../src/protocol/transactions.ts";
import type { TransferCall } from "../../src/rpc/transfers.ts";
import type { Message } from "./vocabulary.ts";

export const MERCHANT = { merchantId: "shop", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

/** @param posId what the account is called there */
export function objectCall(message: Message, posId: string, detached: boolean, arrivedAt: number): TransferCall {
  const asker = {
    posId,
    referenceId: message.reference,
    account: { ...MERCHANT, version: 0 },
    problems: [],
    arrivedAt,
    recorded: false,
    stages: false,
  };
  if (message.kind === "cancel") return { call: "cancel", question: asker };
  const { kind: transType } = message;
  if (transType === "inquiry" || transType === "getLast") {
    const { transId: namedTransId = null, named: namedReferenceId = null } = message.kind === "inquiry" ? message : {};
    return { call: "inquire", question: { ...asker, transType, namedTransId, namedReferenceId } };
  }
  const channel = message.kind !== "void" && message.inactive === true ? "inactive" : "usable";
  return {
    call: "submit",
    question: { ...asker, transType, terms: termsOf(message), details: {}, channel, detached },
  };
}

function termsOf(message: Extract<Message, { kind: "sale" | "cashOut" | "void" }>): Terms {
  if (message.kind === "void") return { transId: String(message.transId) };
  const cash = message.kind === "cashOut" ? { cashAmt: "5.00" } : {};
  return { transAmt: message.amount, ...cash, paymentMethod: "bankCard" };
}
