/** The signed answers of the kit. */
import { MANDATORY } from "../../protocol/transactions.ts";
import { canBeVoided, isQuestion, isTransferType } from "../../protocol/transfer-types.ts";
import type { JsonObject } from "../../signing/json.ts";
import { withSignature } from "../../signing/signature.ts";
import { localDateTime } from "../../time/zone.ts";
import { dataOf, textOf } from "../message.ts";
import type { KitTransaction } from "./ledger.ts";

export interface KitAccount {
  posId: string;
  merchantId: string;
  deviceId: string;
  password: string;
  signingKey: string;
}

interface Said {
  statusCode: "00" | "11" | "22";
  responseCode: string;
}

const TEXTS = { "00": "Approved.", "11": "Declined by the issuer.", "22": "Outcome not known yet. Ask again." };

/** The unsigned answer to `request` with the status of `transaction`. */
export function answerTo(request: JsonObject, transaction: KitTransaction, said: Said): JsonObject {
  const transType = textOf(request, "transType");
  const originalTransType = textOf(transaction.request, "transType");
  const isAbout = isTransferType(transType) && isQuestion(transType) && originalTransType !== "";
  const originals = isAbout ? { originalTransType, originalReferenceId: transaction.referenceId } : {};
  return {
    transType: transType === "" ? "cancel" : transType,
    posId: textOf(request, "posId"),
    deviceId: textOf(request, "deviceId"),
    referenceId: textOf(request, "referenceId"),
    statusCode: said.statusCode,
    responseCode: said.responseCode,
    responseText: TEXTS[said.statusCode],
    softwareVersion: "conformance kit",
    terminalSn: "KIT-1",
    ...transDataOf(transaction, said),
    ...originals,
    apiVersion: "v1",
  };
}

/** Like the gateway: every answer about a sale or cashOut has at least the number, so that a till can ask by it. */
function transDataOf(transaction: KitTransaction, { statusCode }: Said): { transData?: JsonObject } {
  if (statusCode === "00") return { transData: detailsOf(transaction) };
  const transType = textOf(transaction.request, "transType");
  return isTransferType(transType) && canBeVoided(transType) ? { transData: knownOf(transaction) } : {};
}

/** What an answer without details still says: what was asked for. */
function knownOf(transaction: KitTransaction): JsonObject {
  const metadata = textOf(dataOf(transaction.request), "metadata");
  return {
    ...amountsOf(transaction),
    ...Object.fromEntries(MANDATORY.map((name) => [name, ""])),
    ...(metadata === "" ? {} : { metadata }),
  };
}

function detailsOf(transaction: KitTransaction): JsonObject {
  const amounts = amountsOf(transaction);
  return {
    ...amounts,
    paymentChannel: "VISA",
    transAmt: textOf(amounts, "transAmt") || "1.00",
    cardNo: "xxxxxxxxxxxx1111",
    invNo: transaction.transId.slice(-6),
    batchNo: "",
    tid: "KIT-T",
    mid: "KIT-M",
    entryMode: "Contactless",
    cvmType: "00",
    cardLabel: "VISA CREDIT",
  };
}

function amountsOf(transaction: KitTransaction): JsonObject {
  const asked = dataOf(transaction.request);
  const cashAmt = textOf(asked, "cashAmt");
  return {
    transId: transaction.transId,
    transAmt: textOf(asked, "transAmt"),
    ...(cashAmt === "" ? {} : { cashAmt }),
    transDateTime: localDateTime(Date.now(), "Asia/Kuala_Lumpur"),
    currency: "MYR",
  };
}

/** An answer that only a POS without proper checks believes: signed by someone else, or about another transaction. */
export function forgedAnswer(
  how: "other-key" | "unsigned" | "other-reference",
  request: JsonObject,
  transaction: KitTransaction,
  signingKey: string,
): JsonObject {
  const answer = answerTo(request, transaction, { statusCode: "00", responseCode: "00" });
  const approved = { ...answer, transData: detailsOf(transaction) };
  switch (how) {
    case "other-key":
      return withSignature(approved, `not ${signingKey}`);
    case "unsigned":
      return approved;
    case "other-reference":
      return withSignature({ ...approved, referenceId: "SOME-OTHER-REFERENCE" }, signingKey);
    default:
      return how satisfies never;
  }
}
