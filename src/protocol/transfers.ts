/** The HTTP answers to transfers (parts 2.10 and 2.11 of the interface). */
import type { ApiVersion } from "./api-version.ts";
import type { CVM_TYPES, ENTRY_MODES } from "./payment-methods.ts";
import type { StatusCode } from "./status-codes.ts";
import type { QuestionType, TransactionType } from "./transfer-types.ts";

/** Details of a transaction. A wallet payment has none of `CARD_MEMBERS`. */
export interface TransactionDetails {
  transId?: string | undefined;
  paymentChannel?: string | undefined;
  transAmt?: string | undefined;
  cashAmt?: string | undefined;
  /** The account's local time, yyyy-MM-ddTHH:mm:ss. */
  transDateTime?: string | undefined;
  currency?: string | undefined;
  /** Masked: only the last four digits are visible. */
  cardNo?: string | undefined;
  invNo?: string | undefined;
  batchNo?: string | undefined;
  tid?: string | undefined;
  mid?: string | undefined;
  entryMode?: (typeof ENTRY_MODES)[number] | undefined;
  rrn?: string | undefined;
  apprCode?: string | undefined;
  tvr?: string | undefined;
  appCrypt?: string | undefined;
  aid?: string | undefined;
  /** 00 no CVM, 01 signature, 02 online PIN, 03 offline PIN, 04 on the cardholder's own device. */
  cvmType?: (typeof CVM_TYPES)[number] | undefined;
  cardLabel?: string | undefined;
  cardHoldersName?: string | undefined;
  metadata?: string | undefined;
}

/** `cancel`: the answer to the cancel of a reference that never arrived. */
export type AnsweredType = TransactionType | QuestionType | "cancel";

/** Which transaction the answer to an inquiry or getLast is about. Compare it before you trust the rest. */
export interface OriginalMembers {
  originalTransType?: TransactionType | undefined;
  originalReferenceId?: string | undefined;
  /** The transaction has a void that is approved (00) or open (22). */
  voidStatus?: "00" | "22" | undefined;
}

export interface TransferAnswer extends OriginalMembers {
  transType: AnsweredType;
  posId: string;
  deviceId: string;
  referenceId: string;
  /** 00 money moved. 11 no money moved and none will. 22 not known yet: send the same request, after 24 hours an inquiry. */
  statusCode: StatusCode;
  /** The channel's code, or one of the gateway's (`gateway-codes.ts`). */
  responseCode: string;
  /** A sentence for the POS's display. */
  responseText?: string | undefined;
  softwareVersion: string;
  terminalSn: string;
  transData?: TransactionDetails | undefined;
  apiVersion: ApiVersion;
  signature: string;
}
