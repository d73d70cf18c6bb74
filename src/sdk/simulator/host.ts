import { needsTarget, type PaymentType } from "../../protocol/transfer-types.ts";
import type { Binding, TerminalResult, TransactionRequest } from "../client/terminal.ts";
import { localDateTime } from "../../protocol/time/zone.ts";
import type { Charge, Ledger } from "./ledger.ts";
import { readAmounts, cents, type PaymentMeans } from "./payment-means.ts";

export interface HostOptions {
  ledger: Ledger;
  binding: () => Binding;
  terminalId: string;
  /** Is called once for each printed copy. */
  onReceipt: (text: string, request: TransactionRequest) => void;
}

/** Synchronous, so that nothing can happen between reading the ledger and writing the entry. */
export class Host {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Moves money, or returns why not. `means` is null for a void. */
  execute(request: TransactionRequest, means: PaymentMeans | null): Charge | TerminalResult {
    switch (request.transType) {
      case "void":
        return this.#void(request);
      case "sale":
      case "cashOut":
        if (means?.permitted !== true) return NOT_PERMITTED;
        return this.#charge(request, request.transType, means);
      default:
        return request.transType satisfies never;
    }
  }

  /**
   * Decides from the ledger alone. It reverses a request that has moved no money before it returns 11, because a part
   * of it may still be in transit.
   */
  decideOutcome(request: TransactionRequest): TerminalResult {
    const { ledger } = this.#options;
    const charge = ledger.moneyMoved(request.requestId);
    if (charge !== undefined) return this.approved(request, charge);
    ledger.reverse(request.requestId);
    return NOT_AT_HOST;
  }

  /** What the host has of every attempt, whatever became of it. */
  withTerminal(request: TransactionRequest, result: TerminalResult): TerminalResult {
    if (result.statusCode === "00") return result;
    const { ledger } = this.#options;
    const invNo = ledger.moneyMoved(request.requestId)?.details["invNo"] ?? ledger.nextInvoice();
    return { ...result, transData: { ...result.transData, invNo, ...this.#terminal(request) } };
  }

  approved(request: TransactionRequest, charge: Charge): TerminalResult {
    const at = needsTarget(request.transType) ? charge.voidedAt : null;
    const transDateTime = at ?? charge.transDateTime;
    for (const text of receipts(request, charge, transDateTime)) this.#options.onReceipt(text, request);
    const { metadata } = request.transData;
    return {
      statusCode: "00",
      responseCode: "00",
      responseText: "Approved.",
      transData: {
        transId: charge.transId,
        transAmt: charge.transAmt,
        ...(charge.cashAmt === null ? {} : { cashAmt: charge.cashAmt }),
        currency: charge.currency,
        transDateTime,
        ...charge.details,
        ...(metadata === undefined ? {} : { metadata }),
      },
    };
  }

  #charge(request: TransactionRequest, transType: PaymentType, { details }: PaymentMeans): Charge | TerminalResult {
    const { ledger } = this.#options;
    const transDateTime = this.#localTime();
    const charge = ledger.charge({
      posId: request.posId,
      referenceId: request.referenceId,
      requestId: request.requestId,
      transId: request.transId,
      transType,
      currency: request.currency,
      ...readAmounts(request),
      transDateTime,
      details: {
        ...details,
        invNo: ledger.nextInvoice(),
        batchNo: ledger.batchAt(transDateTime),
        ...this.#terminal(request),
      },
    });
    return charge ?? NOT_AT_HOST;
  }

  #void({ transId, posId, requestId }: TransactionRequest): Charge | TerminalResult {
    const { ledger } = this.#options;
    return ledger.void({ transId, posId, requestId, at: this.#localTime() }) ?? NOTHING_TO_VOID;
  }

  #terminal({ merchantId }: TransactionRequest): { tid: string; mid: string } {
    return { tid: this.#options.terminalId.slice(-32), mid: merchantId.slice(0, 32) };
  }

  #localTime(): string {
    return localDateTime(Date.now(), this.#options.binding().timezone ?? "UTC");
  }
}

export function declinedResult(responseCode: string, responseText: string): TerminalResult {
  return { statusCode: "11", responseCode, responseText };
}

const NOT_AT_HOST = declinedResult("25", "The host does not know this transaction. Nothing was charged.");
const NOT_PERMITTED = declinedResult(
  "57",
  "This card does not support cash out. Use a domestic debit card with chip and PIN.",
);
export const NOT_IN_PROMOTION = declinedResult(
  "57",
  "This card does not take part in the promotion. Nothing was charged.",
);
const NOTHING_TO_VOID = declinedResult("25", "There is no approved transaction to void.");

const DEFAULT_LABEL = "POS Ref";
const COPIES = ["MERCHANT COPY", "CUSTOMER COPY"];

/** Prints none, the merchant's, or the merchant's and the customer's, as without a `printCount`. */
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
          `TOTAL ${charge.currency} ${((cents(charge.transAmt) + cents(charge.cashAmt)) / 100).toFixed(2)}`,
        ]),
    ...(charge.details["apprCode"] === undefined ? [] : [`APPROVAL ${charge.details["apprCode"]}`]),
    `${request.referenceLabel ?? DEFAULT_LABEL}: ${request.referenceId}`,
    `TRANS ID ${charge.transId}`,
    ...(typeof note === "string" ? [note] : []),
  ];
  return COPIES.slice(0, printCount).map((copy) => [...lines, copy].join("\n"));
}
