/** The kit's transactions by reference, each with its script: the answers to the messages about it, in order. */
import { isTransferType, needsTarget } from "../../protocol/transfer-types.ts";
import { FIRST_TRANSACTION_NUMBER } from "../../protocol/limits/transfers.ts";
import type { JsonObject } from "../../signing/json.ts";
import { dataOf, textOf } from "../message.ts";

/** The final outcome: the end of every script. */
export interface Completed {
  statusCode: "00" | "11";
  responseCode: string;
}

export type Reply =
  /** Not known yet. */
  | { kind: "pending"; responseCode: string }
  | { kind: "status"; status: number; retryAfterSeconds?: number }
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
  /** Replies given so far. */
  given: number;
  /** The outcome has been sent at least once, or the message was accepted and its answer lost. */
  told: boolean;
}

export type Next =
  { kind: "reply"; reply: Reply } | { kind: "completed"; completed: Completed; replayed: boolean; script: Script };

export class KitLedger {
  readonly #transactions: KitTransaction[] = [];
  #script: Script = approvedAfter();
  #lastNumber = FIRST_TRANSACTION_NUMBER + Math.floor(Math.random() * 1_000_000);

  /** The next new transaction follows this script; later ones are approved. */
  follow(script: Script): void {
    this.#script = script;
  }

  /** The transaction of a sale, cashOut or void; a new one for a new reference. */
  take(request: JsonObject): KitTransaction {
    const referenceId = textOf(request, "referenceId");
    const known = this.of(referenceId);
    if (known !== null) return known;
    const transId = takesBack(request) ? textOf(dataOf(request), "transId") : String((this.#lastNumber += 1));
    const script = this.#script;
    this.#script = approvedAfter();
    const made = { referenceId, transId, request, script, given: 0, told: false };
    this.#transactions.push(made);
    return made;
  }

  of(referenceId: string): KitTransaction | null {
    return this.#transactions.find((one) => one.referenceId === referenceId) ?? null;
  }

  /**
   * The subject of an inquiry: the transaction that it names, else that of its own reference. getLast: the newest. A named
   * reference that has not come is completed as cancelled, as by the gateway.
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
      if (reply.kind === "drop" || reply.kind === "silence") transaction.told = true;
      return { kind: "reply", reply };
    }
    const replayed = transaction.told || script.replayed === true;
    transaction.told = true;
    return { kind: "completed", completed: script.completed, replayed, script };
  }

  /** Cancels a transaction that is not completed, or has not come yet. Null without a reference. */
  cancel(referenceId: string): KitTransaction | null {
    if (referenceId === "") return null;
    const known = this.of(referenceId) ?? this.#neverCame(referenceId);
    if (!known.told) known.script = CANCELLED;
    return known;
  }

  #neverCame(referenceId: string): KitTransaction {
    const made = { referenceId, transId: "", request: {}, script: CANCELLED, given: 0, told: false };
    this.#transactions.push(made);
    return made;
  }
}

const CANCELLED: Script = { replies: [], completed: { statusCode: "11", responseCode: "CANCELLED" } };

/** Whether the transaction's own message has come, not only a question about its reference. */
function hasCome({ request }: KitTransaction): boolean {
  return textOf(request, "transType") !== "";
}

function takesBack({ transType }: JsonObject): boolean {
  return isTransferType(transType) && needsTarget(transType);
}
