/** A transaction as the Worker and the terminal's object speak of it. */
import { GATEWAY_CODES, type GatewayCode } from "./gateway-codes.ts";
import type { StatusCode } from "./status-codes.ts";

/** Members of a result's or answer's `transData`, all of them texts. */
export type TransactionData = Record<string, string>;

/** Present in every `transData`, left empty where nobody says them. */
export const MANDATORY = ["paymentChannel", "invNo", "tid", "mid"] as const;

/** What a POS is told about a transaction, before it is addressed and signed. */
export interface Outcome {
  statusCode: StatusCode;
  /** At most 32 characters: the terminal's own, or one of the gateway's (`gateway-codes.ts`). */
  responseCode: string;
  /** At most 128 characters. */
  responseText?: string;
  softwareVersion: string;
  terminalSn: string;
  transData?: TransactionData;
}

/** The versions that a terminal last reported; `unknown` if it never did. */
export type Versions = Pick<Outcome, "softwareVersion" | "terminalSn">;

/** An answer of the gateway's own. */
export function gatewayAnswer(code: GatewayCode, { softwareVersion, terminalSn }: Versions): Outcome {
  const { statusCode, responseText } = GATEWAY_CODES[code];
  return { statusCode, responseCode: code, responseText, softwareVersion, terminalSn };
}

/** What makes two requests with one `referenceId` the same request; everything else of a repetition is ignored. */
export interface Terms {
  transAmt?: string;
  cashAmt?: string;
  paymentMethod?: string;
  paymentChannel?: string;
  /** The voided transaction's number; only for a void. */
  transId?: string;
}

/** Known optional members of a request that only the terminal makes use of. */
export interface Details {
  referenceLabel?: string;
  productIndex?: string;
  promoSale?: string;
  note?: string;
  printCount?: number;
  metadata?: string;
  invNo?: string;
}
