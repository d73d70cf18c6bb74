/** A till's message, normalised: without unknown and empty members. */
import type { AnsweredType } from "../../protocol/transfers.ts";
import type { QuestionType, TransactionType } from "../../protocol/transfer-types.ts";
import type { Details, Terms } from "../../protocol/transactions.ts";

/** What the message asks for. */
export type Ask =
  | { kind: "transaction"; merchantId: string; transType: TransactionType; terms: Terms; details: Details }
  | {
      kind: "question";
      merchantId: string;
      transType: QuestionType;
      namedTransId: number | null;
      namedReferenceId: string | null;
    }
  | { kind: "cancel" };

export interface TransferMessage {
  posId: string;
  deviceId: string;
  referenceId: string;
  /** When it was signed, epoch milliseconds. */
  datetime: number;
  ask: Ask;
}

/** The reference that the message claims for its device. A question claims the one that it names, never its own. */
export function claimedReference({ referenceId, ask }: TransferMessage): string | null {
  return ask.kind === "question" ? ask.namedReferenceId : referenceId;
}

/**
 * The reference that must belong to this device although the message does not claim it: that of an inquiry that names
 * nothing.
 */
export function readReference({ referenceId, ask }: TransferMessage): string | null {
  if (ask.kind !== "question" || ask.transType !== "inquiry") return null;
  return ask.namedTransId === null && ask.namedReferenceId === null ? referenceId : null;
}

export function namedChannel({ ask }: TransferMessage): string | undefined {
  return ask.kind === "transaction" ? ask.terms.paymentChannel : undefined;
}

/**
 * `transType` of the answer, as in the request. The answer to a cancel has the type of the cancelled transaction.
 *
 * @param known the type of the transaction that the answer is about; null if it never arrived
 */
export function answeredType({ ask }: TransferMessage, known: TransactionType | null): AnsweredType {
  return ask.kind === "cancel" ? (known ?? "cancel") : ask.transType;
}
