/** A POS's message as the Worker hands it to the terminal's object. */
import type { TransferCall } from "../../src/rpc/transfers.ts";
import type { Message } from "./vocabulary.ts";

export const MERCHANT = { merchantId: "shop", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

const NEW = { recorded: false, stages: false };

/** @param posId what the account is called there */
export function objectCall(message: Message, posId: string, detached: boolean, arrivedAt: number): TransferCall {
  const asker = {
    posId,
    referenceId: message.reference,
    account: { ...MERCHANT, version: 0 },
    problems: [],
    arrivedAt,
    ...NEW,
  };
  switch (message.kind) {
    case "sale":
    case "cashOut": {
      const { kind: transType, amount: transAmt } = message;
      const terms = {
        transAmt,
        ...(transType === "cashOut" ? { cashAmt: "5.00" } : {}),
        paymentMethod: "bankCard",
      };
      const channel = message.inactive === true ? "inactive" : "usable";
      return {
        call: "submit",
        question: { ...asker, transType, terms, details: {}, channel, detached },
      };
    }
    case "void": {
      const terms = { transId: String(message.transId) };
      const { kind: transType } = message;
      return {
        call: "submit",
        question: { ...asker, transType, terms, details: {}, channel: "usable", detached },
      };
    }
    case "inquiry": {
      const { kind: transType, transId: namedTransId = null, named: namedReferenceId = null } = message;
      return { call: "inquire", question: { ...asker, transType, namedTransId, namedReferenceId } };
    }
    case "getLast": {
      const { kind: transType } = message;
      return { call: "inquire", question: { ...asker, transType, namedTransId: null, namedReferenceId: null } };
    }
    case "cancel":
      return { call: "cancel", question: asker };
  }
}
