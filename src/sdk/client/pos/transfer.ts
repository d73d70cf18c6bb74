import { decodeUtf8, type JsonObject, parseJson } from "../../../protocol/signing/json.ts";
import { kindProblems } from "../../../protocol/signing/message-kind.ts";
import type { PaymentMethod, PrintCount } from "../../../protocol/payment-methods.ts";
import { isStatusCode, type StatusCode } from "../../../protocol/status-codes.ts";
import type { TransactionDetails, AnyTransferAnswer as AnyAnswer } from "../../../protocol/transfers.ts";
import type { TransferType } from "../../../protocol/transfer-types.ts";
import { CHECKED_BY_GATEWAY, type Checks } from "../check-options.ts";
import { hasValidSignature } from "../signature.ts";

export interface TransferTarget {
  /** The terminal's unique id. */
  deviceId: string;
  /**
   * At most 20 characters, unique for each transaction. Store it before you call: after a crash, the same call with the
   * same referenceId returns the outcome. `newReferenceId()` creates one.
   */
  referenceId: string;
  /** Printed before the reference, at most 10 characters. */
  referenceLabel?: string | undefined;
}

interface Printing {
  productIndex?: string | undefined;
  promoSale?: string | undefined;
  /** 0 no receipt, 1 the merchant's copy only, 2 both copies (the default). */
  printCount?: PrintCount | undefined;
  /** At most 128 characters; returned in the answer. */
  metadata?: string | undefined;
}

interface Paying extends TransferTarget, Printing {
  /** "12.50": always two decimals. */
  transAmt: string;
  /** Printed in the remarks, at most 128 characters. */
  note?: string | undefined;
}

/** With `qrCustScan` the customer scans the code of one wallet, which must be named. */
export type SaleRequest =
  | (Paying & {
      paymentMethod: "qrCustScan";
      /** The wallet: a name of `channels()`. */
      paymentChannel: string;
    })
  | (Paying & {
      paymentMethod: Exclude<PaymentMethod, "qrCustScan">;
      /** The gateway ignores it. */
      paymentChannel?: string | undefined;
    });

export interface CashOutRequest extends Paying {
  /** Paid out in cash; the card is charged `transAmt` + `cashAmt`. */
  cashAmt: string;
}

export interface VoidRequest extends TransferTarget, Printing {
  /** The number of the approved sale or cashOut. */
  transId: string;
  invNo?: string | undefined;
}

export interface InquiryRequest extends TransferTarget {
  /** The transaction to ask about. Without it: the one with the inquiry's own `referenceId`, never another one. */
  about?: { transId: string } | { referenceId: string } | undefined;
}

type AnswerHead = Omit<AnyAnswer, "statusCode" | "transData"> & {
  /**
   * The account's payment that is open at the terminal, for which this one waits (22 IN_PROGRESS) or was refused (11
   * TERMINAL_BUSY). Perhaps its customer has paid otherwise: offer its `cancel` to the cashier.
   */
  openReferenceId?: string | undefined;
};

/** Money moved. */
export interface ApprovedAnswer extends AnswerHead {
  statusCode: "00";
  transData: TransactionDetails;
}

/**
 * With `11`, no money moved and none will. With `22`, the outcome is not known yet. `transData` is there if the details
 * are known.
 */
export interface OtherAnswer extends AnswerHead {
  statusCode: Exclude<StatusCode, "00">;
  transData?: TransactionDetails | undefined;
}

/** Look at `statusCode` first. */
export type TransferAnswer = ApprovedAnswer | OtherAnswer;

export interface TransferRequests {
  sale: SaleRequest;
  cashOut: CashOutRequest;
  void: VoidRequest;
  inquiry: InquiryRequest;
  getLast: TransferTarget;
}

export type CancelRequest = Pick<TransferTarget, "deviceId" | "referenceId">;

const ANY = CHECKED_BY_GATEWAY;
const TARGET = { deviceId: ANY, referenceId: ANY, referenceLabel: ANY };
const PRINTED = { productIndex: ANY, promoSale: ANY, printCount: ANY, metadata: ANY };
const PAID = { ...PRINTED, transAmt: ANY, note: ANY };
/** A cancel takes the request that it cancels, too: it must not fail for members that it does not need. */
const CANCELLED = {
  ...TARGET,
  ...PAID,
  paymentMethod: ANY,
  paymentChannel: ANY,
  cashAmt: ANY,
  transId: ANY,
  invNo: ANY,
};

/** The client never sends a name that is not here. */
export const REQUEST_MEMBERS: { [Call in keyof TransferRequests]: Checks<TransferRequests[Call]> } & {
  cancel: Checks<CancelRequest>;
} = {
  sale: { ...TARGET, ...PAID, paymentMethod: ANY, paymentChannel: ANY },
  cashOut: { ...TARGET, ...PAID, cashAmt: ANY },
  void: { ...TARGET, ...PRINTED, transId: ANY, invNo: ANY },
  inquiry: { ...TARGET, about: ANY },
  getLast: TARGET,
  cancel: CANCELLED,
};

export const ABOUT_MEMBERS = { transId: ANY, referenceId: ANY };

export type AnswerReading = { kind: "answer"; answer: TransferAnswer } | { kind: "forged" } | { kind: "unexpected" };

export interface AskedTransfer {
  posId: string;
  deviceId: string;
  referenceId: string;
  transType?: TransferType;
  /** The transaction that an inquiry names. */
  transData?: Record<string, unknown> | undefined;
}

/** An answer counts only if the account's key signed it and it is about this request. */
export async function readAnswer(
  body: Uint8Array<ArrayBuffer>,
  asked: AskedTransfer,
  signingKey: string,
): Promise<AnswerReading> {
  const text = decodeUtf8(body);
  const parsed = text === null ? null : parseJson(text);
  const message = parsed?.ok ? parsed.value : null;
  if (typeof message !== "object" || message === null || Array.isArray(message)) return { kind: "unexpected" };
  if (!(await hasValidSignature(message, signingKey)) || kindProblems(message, "response").length > 0)
    return { kind: "forged" };
  const { posId, deviceId, referenceId } = message;
  // A valid answer to another request proves nothing about this one.
  if (posId !== asked.posId || deviceId !== asked.deviceId || referenceId !== asked.referenceId) {
    return { kind: "forged" };
  }
  if (asked.transType === "inquiry" && !isAboutSameTransaction(message, asked)) return { kind: "forged" };
  return isAnswer(message) ? { kind: "answer", answer: message } : { kind: "unexpected" };
}

/** Whether an inquiry's answer is about the transaction that it names. One that never arrived has no name. */
function isAboutSameTransaction({ originalReferenceId, transData }: JsonObject, asked: AskedTransfer): boolean {
  const { transId, referenceId = asked.referenceId } = asked.transData ?? {};
  if (transId === undefined) return [undefined, referenceId].includes(originalReferenceId);
  const answered = typeof transData === "object" && transData !== null && "transId" in transData && transData.transId;
  return typeof answered !== "string" || Number(answered) === Number(transId);
}

const MANDATORY_TEXTS = ["transType", "responseCode", "softwareVersion", "terminalSn", "apiVersion"];

function isAnswer(message: JsonObject): message is JsonObject & TransferAnswer {
  const { statusCode, transData } = message;
  if (!isStatusCode(statusCode) || !MANDATORY_TEXTS.every((name) => typeof message[name] === "string")) return false;
  if (statusCode !== "00") return true;
  const isObject = typeof transData === "object" && transData !== null && !Array.isArray(transData);
  return isObject && typeof transData["transId"] === "string";
}

/** Crockford's base32 has no letters that look like digits. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Returns 20 characters: the time in milliseconds, then 55 random bits. The ids of one POS sort by time, and no two POS
 * programs create the same.
 */
export function newReferenceId(now: number = Date.now()): string {
  let time = "";
  for (let rest = now; time.length < 9; rest = Math.floor(rest / 32)) time = DIGITS.charAt(rest % 32) + time;
  const random = Array.from(crypto.getRandomValues(new Uint8Array(11)), (byte) => DIGITS[byte % 32]).join("");
  return time + random;
}
