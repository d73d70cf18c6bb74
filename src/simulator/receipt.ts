import type { TransactionRequest } from "../client/terminal.ts";
import type { Charge } from "./ledger.ts";

const DEFAULT_LABEL = "POS Ref";
const DEFAULT_COPIES = 2;
const COPIES = ["MERCHANT COPY", "CUSTOMER COPY"];

/** The receipts of an approved transaction: none, the merchant's, or the merchant's and the customer's. */
export function receipts(request: TransactionRequest, charge: Charge, transDateTime: string): string[] {
  const { note, printCount } = request.transData;
  const lines = [
    "SIMULATED TERMINAL, NO REAL PAYMENT",
    `${request.transType.toUpperCase()}  ${transDateTime.replace("T", " ")}`,
    `TID ${charge.details["tid"] ?? ""}  MID ${charge.details["mid"] ?? ""}`,
    `INV ${charge.details["invNo"] ?? ""}  BATCH ${charge.details["batchNo"] ?? ""}`,
    [charge.details["paymentChannel"], charge.details["cardNo"], charge.details["entryMode"]]
      .filter(Boolean)
      .join("  "),
    `${charge.currency} ${charge.transAmt}`,
    ...(charge.cashAmt === null
      ? []
      : [
          `CASH OUT ${charge.currency} ${charge.cashAmt}`,
          `TOTAL ${charge.currency} ${total(charge.transAmt, charge.cashAmt)}`,
        ]),
    ...(charge.details["apprCode"] === undefined ? [] : [`APPROVAL ${charge.details["apprCode"]}`]),
    `${request.referenceLabel ?? DEFAULT_LABEL}: ${request.referenceId}`,
    `TRANS ID ${charge.transId}`,
    ...(typeof note === "string" ? [note] : []),
  ];
  const copies = printCount === undefined ? DEFAULT_COPIES : printCount;
  return COPIES.slice(0, copies).map((copy) => [...lines, copy].join("\n"));
}

/** The sum of two amounts with two decimals. */
function total(...amounts: string[]): string {
  const sum = amounts.reduce((cents, amount) => cents + BigInt(amount.replace(".", "")), 0n).toString();
  const digits = sum.padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
