import { GATEWAY_CODES, type GatewayCode } from "./gateway-codes.ts";
import type { StatusCode } from "./status-codes.ts";

/** The `requestId` of every type, the `transId` of a sale or cashOut. */
export const TRANSACTION_NUMBER = /^[1-9][0-9]{9}$/;

/** An amount may be zero. */
export const AMOUNT = /^(?:0|[1-9][0-9]{0,8})\.[0-9]{2}$/;

/** All that is known of a card number. */
export const LAST_FOUR = /^[0-9]{4}$/;

export type TransactionData = Record<string, string>;

/** Every `transData` has these, empty if unknown. */
export const MANDATORY = ["paymentChannel", "invNo", "tid", "mid"] as const;

/** The part of an answer to a POS that is about the transaction, without addressing and signature. */
export interface Outcome {
  statusCode: StatusCode;
  /** At most 32 characters: the terminal's code, or one of the gateway's (`gateway-codes.ts`). */
  responseCode: string;
  /** At most 128 characters. */
  responseText?: string;
  softwareVersion: string;
  terminalSn: string;
  transData?: TransactionData;
  /** The payment of the same account that was open at the terminal, for which the transaction waited or was refused. */
  openReferenceId?: string;
}

/** As the terminal last reported them; `unknown` if it never did. */
export type Versions = Pick<Outcome, "softwareVersion" | "terminalSn">;

export function gatewayAnswer(code: GatewayCode, { softwareVersion, terminalSn }: Versions): Outcome {
  const { statusCode, responseText } = GATEWAY_CODES[code];
  return { statusCode, responseCode: code, responseText, softwareVersion, terminalSn };
}

/** Two requests with the same `referenceId` must share these. Other fields of a retry are ignored. */
export interface Terms {
  transAmt?: string;
  cashAmt?: string;
  paymentMethod?: string;
  paymentChannel?: string;
  /** The voided transaction's number; only for a void. */
  transId?: string;
}

/** Optional members of a request that the gateway passes on to the terminal. It returns `metadata` to the POS. */
export interface Details {
  referenceLabel?: string;
  productIndex?: string;
  promoSale?: string;
  note?: string;
  printCount?: number;
  metadata?: string;
  invNo?: string;
}

export type TransactionState = "queued" | "sent" | "accepted" | "pending" | "completed";

/** Only a report of the terminal itself, or the operator, can end a pending transaction. */
export type PendingReason =
  /** The terminal sent a 22. */
  | "reported"
  /** A terminal with another memory said hello: nothing is proved. */
  | "other-memory"
  /** The terminal accepted it, and has forgotten it against its duty. */
  | "forgotten"
  /** The terminal's result names another amount or currency, or has a signature of a newer secret. */
  | "mismatch";
