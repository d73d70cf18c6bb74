/** What a till can ask for, as the form hands it over and the client takes it. */
import type { CashOutRequest, InquiryRequest, SaleRequest, TransferTarget, VoidRequest } from "../../client/pos.ts";

export const TRANSACTION_TYPES = ["sale", "cashOut", "void", "inquiry", "getLast"] as const;
export type TransType = (typeof TRANSACTION_TYPES)[number];

export type Call =
  | { transType: "sale"; request: SaleRequest }
  | { transType: "cashOut"; request: CashOutRequest }
  | { transType: "void"; request: VoidRequest }
  | { transType: "inquiry"; request: InquiryRequest }
  | { transType: "getLast"; request: TransferTarget };

/** The same text for one and the same transaction, however often it is sent. */
export function callKey({ transType, request }: Call): string {
  return JSON.stringify([transType, request]);
}
