/** The kit's transactions by reference, each with its script and its answers. */
import { FIRST_TRANSACTION_NUMBER } from "../../../protocol/limits/transfers.ts";
import { MANDATORY } from "../../../protocol/transactions.ts";
import { canBeVoided, isQuestion, isTransferType, needsTarget } from "../../../protocol/transfer-types.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { withSignature } from "../../../protocol/signing/signature.ts";
import { localDateTime } from "../../../protocol/time/zone.ts";
import { dataOf, textOf } from "../message.ts";

/** The end of every script. */
export interface Completed {
  statusCode: "00" | "11";
  responseCode: string;
}

export type Reply =
  /** Not known yet. */
  | { kind: "pending"; responseCode: string }
  | { kind: "status"; status: number; retryAfterSeconds?: number }
  /** Somebody on the way answers in the gateway's place, while the gateway carries the message out. */
  | { kind: "foreign"; status: number; type: string; body: string; location?: string }
  /** 40009 to the transaction itself, as more than a day later. A question gets its outcome. */
  | { kind: "used" }
  /** The connection breaks when the message has been read. */
  | { kind: "drop" }
  /** No answer; the connection stays open. */
  | { kind: "silence" }
  /** 00: signed with another key, unsigned, or correctly signed but about another transaction. */
  | { kind: "forged"; how: "other-key" | "unsigned" | "other-reference" };

export interface Script {
  replies: Reply[];
  completed: Completed;
  /** The answer has an unknown member. */
  unknownMember?: boolean;
  /** The first answer already carries `Idempotent-Replayed`. */
  replayed?: boolean;
  /** Repeats the last reply: the transaction is never completed. */
  repeatsLast?: boolean;
}

export const APPROVED: Completed = { statusCode: "00", responseCode: "00" };
export const DECLINED: Completed = { statusCode: "11", responseCode: "05" };

export function approvedAfter(...replies: Reply[]): Script {
  return { replies, completed: APPROVED };
}

export function declinedAfter(...replies: Reply[]): Script {
  return { replies, completed: DECLINED };
}

export interface KitTransaction {
  referenceId: string;
  transId: string;
  request: JsonObject;
  script: Script;
  given: number;
  /** The outcome has been sent at least once, or the message was accepted and its answer lost. */
  told: boolean;
}

export type Next = Reply | { kind: "completed"; replayed: boolean; script: Script };

export class KitLedger {
  readonly #transactions: KitTransaction[] = [];
  #script: Script = approvedAfter();
  #lastNumber = FIRST_TRANSACTION_NUMBER + Math.floor(Math.random() * 1_000_000);

  /** For the next new transaction; later ones are approved. */
  follow(script: Script): void {
    this.#script = script;
  }

  take(request: JsonObject): KitTransaction {
    const referenceId = textOf(request, "referenceId");
    const known = this.of(referenceId);
    if (known !== null) return known;
    const transId = takesBack(request) ? textOf(dataOf(request), "transId") : String((this.#lastNumber += 1));
    const script = this.#script;
    this.#script = approvedAfter();
    return this.#add({ referenceId, transId, request, script, given: 0, told: false });
  }

  of(referenceId: string): KitTransaction | null {
    return this.#transactions.find((one) => one.referenceId === referenceId) ?? null;
  }

  /**
   * For an inquiry: the transaction that it names, otherwise that of its own reference. For getLast: the newest. A
   * named reference that has not come is completed as cancelled, as by the gateway.
   */
  asked(request: JsonObject): KitTransaction | null {
    const data = dataOf(request);
    const [referenceId, transId] = [textOf(data, "referenceId"), textOf(data, "transId")];
    if (referenceId !== "") return this.of(referenceId) ?? this.#neverCame(referenceId);
    const sales = this.#transactions.filter((one) => !takesBack(one.request));
    if (transId !== "") return sales.find((one) => one.transId === transId) ?? null;
    if (textOf(request, "transType") === "getLast") return this.#transactions.findLast(hasCome) ?? null;
    return this.of(textOf(request, "referenceId"));
  }

  /**
   * The next answer about a transaction.
   *
   * @param asks whether the message is a question or a cancel
   */
  next(transaction: KitTransaction, asks: boolean): Next {
    const { script, given } = transaction;
    const index = script.repeatsLast === true ? Math.min(given, script.replies.length - 1) : given;
    const reply = script.replies[index];
    transaction.given += 1;
    if (reply !== undefined && !(reply.kind === "used" && asks)) {
      if (reply.kind === "drop" || reply.kind === "silence" || reply.kind === "foreign") transaction.told = true;
      return reply;
    }
    const replayed = transaction.told || script.replayed === true;
    transaction.told = true;
    return { kind: "completed", replayed, script };
  }

  /**
   * Null without a reference. A completed transaction stays as it is. A reference that has not come yet is cancelled.
   */
  cancel(referenceId: string): KitTransaction | null {
    if (referenceId === "") return null;
    const known = this.of(referenceId) ?? this.#neverCame(referenceId);
    if (!known.told) known.script = CANCELLED;
    return known;
  }

  #neverCame(referenceId: string): KitTransaction {
    return this.#add({ referenceId, transId: "", request: {}, script: CANCELLED, given: 0, told: false });
  }

  #add(made: KitTransaction): KitTransaction {
    this.#transactions.push(made);
    return made;
  }
}

const CANCELLED: Script = { replies: [], completed: { statusCode: "11", responseCode: "CANCELLED" } };

/** False if only a question about its reference has come. */
function hasCome({ request }: KitTransaction): boolean {
  return textOf(request, "transType") !== "";
}

function takesBack({ transType }: JsonObject): boolean {
  return isTransferType(transType) && needsTarget(transType);
}

export interface KitAccount {
  posId: string;
  merchantId: string;
  deviceId: string;
  password: string;
  signingKey: string;
}

const TEXTS = { "00": "Approved.", "11": "Declined by the issuer.", "22": "Outcome not known yet. Ask again." };

export function answerTo(
  request: JsonObject,
  transaction: KitTransaction,
  said: { statusCode: "00" | "11" | "22"; responseCode: string },
): JsonObject {
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
    ...transDataOf(transaction, said.statusCode === "00"),
    ...originals,
    apiVersion: "v1",
  };
}

/** As from the gateway, every answer about a sale or cashOut has at least the number, so that a till can ask by it. */
function transDataOf({ request, transId }: KitTransaction, isApproved: boolean): { transData?: JsonObject } {
  const { transType } = request;
  if (!isApproved && !(isTransferType(transType) && canBeVoided(transType))) return {};
  const asked = dataOf(request);
  const given = ["cashAmt", "metadata"].flatMap((name) =>
    textOf(asked, name) === "" ? [] : [[name, textOf(asked, name)]],
  );
  const transData: JsonObject = {
    transId,
    transAmt: textOf(asked, "transAmt"),
    ...Object.fromEntries(given),
    transDateTime: localDateTime(Date.now(), "Asia/Kuala_Lumpur"),
    currency: "MYR",
    ...Object.fromEntries(MANDATORY.map((name) => [name, ""])),
  };
  if (!isApproved) return { transData };
  return {
    transData: {
      ...transData,
      paymentChannel: "VISA",
      transAmt: transData["transAmt"] || "1.00",
      cardNo: "xxxxxxxxxxxx1111",
      invNo: transId.slice(-6),
      batchNo: "",
      tid: "KIT-T",
      mid: "KIT-M",
      entryMode: "Contactless",
      cvmType: "00",
      cardLabel: "VISA CREDIT",
    },
  };
}

export function forgedAnswer(
  how: (Reply & { kind: "forged" })["how"],
  request: JsonObject,
  transaction: KitTransaction,
  signingKey: string,
): JsonObject {
  const approved = answerTo(request, transaction, APPROVED);
  if (how === "unsigned") return approved;
  if (how === "other-key") return withSignature(approved, `not ${signingKey}`);
  return withSignature({ ...approved, referenceId: "SOME-OTHER-REFERENCE" }, signingKey);
}
