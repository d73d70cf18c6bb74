/** Messages as the Worker hands them to the terminal's object: admitted, and without problems. */
import type { Cancellation, Inquiry, Submission, TransferFacts } from "../../src/protocol/transfer-message.ts";

interface Account {
  posId: string;
  merchantId: string;
  currency: string;
  timezone: string;
}

export type SaleCall = Submission & TransferFacts;

function head({ posId, merchantId, currency, timezone }: Account, referenceId: string) {
  return {
    posId,
    deviceId: "T-1",
    merchantId,
    referenceId,
    datetime: Date.now(),
    account: { posId, merchantId, currency, timezone, version: 0 },
    recorded: false,
    arrivedAt: Date.now(),
    problems: [],
    channel: "usable" as const,
    detached: false,
    stages: false,
  };
}

export function saleCall(account: Account, changes: Partial<SaleCall> & { referenceId: string }): SaleCall {
  const terms = { transAmt: "1.00", paymentMethod: "bankCard" };
  return { ...head(account, changes.referenceId), kind: "submit", transType: "sale", terms, details: {}, ...changes };
}

export function cancelCall(account: Account, referenceId: string): Cancellation & TransferFacts {
  return { ...head(account, referenceId), kind: "cancel" };
}

export function inquiryCall(
  account: Account,
  asked: Pick<Inquiry, "referenceId" | "transType"> & Partial<Inquiry>,
): Inquiry & TransferFacts {
  const named = { namedTransId: null, namedReferenceId: null };
  return { ...head(account, asked.referenceId), kind: "inquire", ...named, ...asked };
}
