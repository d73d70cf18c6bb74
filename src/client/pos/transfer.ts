/** The messages of transfers, as a POS writes and reads them. */
import type { JsonObject } from "../../signing/json.ts";
import { decodeUtf8, parseJson } from "../../signing/json.ts";
import { kindProblems } from "../../signing/message-kind.ts";
import { isSigned } from "../signature.ts";

export type PaymentMethod = "qrCustScan" | "qrMerchScan" | "bankCard";
export type StatusCode = "00" | "11" | "22";

/** What every transaction says. */
export interface TransferTarget {
  /** The terminal's unique id. */
  deviceId: string;
  /**
   * At most 20 characters, one per transaction, kept by the POS before it calls: after a crash the same call with the
   * same referenceId tells what became of it. `newReferenceId()` makes one.
   */
  referenceId: string;
  /** Printed before the reference, at most 10 characters. */
  referenceLabel?: string | undefined;
}

interface Printing {
  productIndex?: string;
  promoSale?: string;
  /** 0 no receipt, 1 the merchant's copy only, 2 both copies (the default). */
  printCount?: 0 | 1 | 2;
  /** At most 128 characters; comes back with the answer. */
  metadata?: string;
}

export interface SaleRequest extends TransferTarget, Printing {
  /** "12.50": always two decimals. */
  transAmt: string;
  paymentMethod: PaymentMethod;
  /** The wallet; required with `qrCustScan`, and only there. */
  paymentChannel?: string;
  /** Printed in the remarks, at most 128 characters. */
  note?: string;
}

export interface CashOutRequest extends TransferTarget, Printing {
  transAmt: string;
  /** Handed out in cash; the card is charged `transAmt` + `cashAmt`. */
  cashAmt: string;
  note?: string;
}

export interface VoidRequest extends TransferTarget, Printing {
  /** The number of the approved sale or cashOut. */
  transId: string;
  invNo?: string;
}

export interface InquiryRequest extends TransferTarget {
  /** The transaction asked about, by its number or by its reference; without either, the one still open, or the last. */
  about?: { transId: string } | { referenceId: string };
}

/** Details of a transaction; wallets omit what only cards have. */
export interface TransactionDetails {
  transId?: string;
  paymentChannel?: string;
  transAmt?: string;
  cashAmt?: string;
  /** The account's local time, yyyy-MM-ddTHH:mm:ss. */
  transDateTime?: string;
  currency?: string;
  cardNo?: string;
  invNo?: string;
  batchNo?: string;
  tid?: string;
  mid?: string;
  entryMode?: string;
  rrn?: string;
  apprCode?: string;
  tvr?: string;
  appCrypt?: string;
  aid?: string;
  cvmType?: string;
  cardLabel?: string;
  cardHoldersName?: string;
  metadata?: string;
}

export interface TransferAnswer {
  transType: string;
  posId: string;
  deviceId: string;
  referenceId: string;
  /** `00` money moved. `11` no money moved and none will. `22` not known yet: call again with the same referenceId. */
  statusCode: StatusCode;
  responseCode: string;
  responseText?: string;
  softwareVersion: string;
  terminalSn: string;
  transData?: TransactionDetails;
  /** Of the transaction that an inquiry or getLast is about. Compare it before you believe the rest. */
  originalTransType?: string;
  originalReferenceId?: string;
  /** A void of it is done (`00`) or open (`22`). */
  voidStatus?: "00" | "22";
  apiVersion: string;
  signature: string;
}

export type Reading = { kind: "answer"; answer: TransferAnswer } | { kind: "forged" } | { kind: "unexpected" };

/** What an answer must be an answer to. */
export interface Asked {
  posId: string;
  deviceId: string;
  referenceId: string;
}

/** Reads an answer and believes it only if the account's key signed it and it is about this very request. */
export async function readAnswer(body: Uint8Array<ArrayBuffer>, asked: Asked, signingKey: string): Promise<Reading> {
  const text = decodeUtf8(body);
  const parsed = text === null ? null : parseJson(text);
  const message = parsed?.ok ? parsed.value : null;
  if (typeof message !== "object" || message === null || Array.isArray(message)) return { kind: "unexpected" };
  if (!(await isSigned(message, signingKey)) || kindProblems(message, "response").length > 0) return { kind: "forged" };
  const { posId, deviceId, referenceId } = message;
  // A true answer to another question proves nothing about this one.
  if (posId !== asked.posId || deviceId !== asked.deviceId || referenceId !== asked.referenceId) {
    return { kind: "forged" };
  }
  return isAnswer(message) ? { kind: "answer", answer: message } : { kind: "unexpected" };
}

const MANDATORY_TEXTS = ["transType", "responseCode", "softwareVersion", "terminalSn", "apiVersion"];

function isAnswer(message: JsonObject): message is JsonObject & TransferAnswer {
  const { statusCode } = message;
  return (
    (statusCode === "00" || statusCode === "11" || statusCode === "22") &&
    MANDATORY_TEXTS.every((name) => typeof message[name] === "string")
  );
}
