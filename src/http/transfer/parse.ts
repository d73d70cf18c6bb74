/** A till's message, without unknown and empty members. */
import type { AnsweredType } from "../../protocol/transfers.ts";
import {
  handsOutCash,
  isTransferType,
  type QuestionType,
  type TransactionType,
} from "../../protocol/transfer-types.ts";
import type { Details, Terms } from "../../protocol/transactions.ts";
import type * as z from "zod";
import type { Problem } from "../../protocol/problem.ts";
import { err, ok, type Result } from "../../outcomes/result.ts";
import type { JsonObject } from "../../signing/json.ts";
import { kindProblems } from "../../signing/message-kind.ts";
import { problemsOf } from "../../validation/problems.ts";
import { cancelRequest, transferRequest, unknownRequest } from "./requests.ts";

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
 * The reference of an inquiry that claims none and names no number: it must belong to this device although the message
 * does not claim it.
 */
export function readReference({ referenceId, ask }: TransferMessage): string | null {
  const isInquiry = ask.kind === "question" && ask.transType === "inquiry";
  return isInquiry && ask.namedTransId === null ? referenceId : null;
}

export function namedChannel({ ask }: TransferMessage): string | undefined {
  return ask.kind === "transaction" ? ask.terms.paymentChannel : undefined;
}

/**
 * The answer has the request's `transType`; the answer to a cancel has the type of the cancelled transaction.
 *
 * @param known the type of the transaction that the answer is about; null if it never arrived
 */
export function answeredType({ ask }: TransferMessage, known: TransactionType | null): AnsweredType {
  return ask.kind === "cancel" ? (known ?? "cancel") : ask.transType;
}

/** The problems name every invalid field. */
export type Parse = (body: JsonObject) => Result<TransferMessage, Problem[]>;

/** A cancel has no `transType`: a signed sale or inquiry sent to the wrong path must not cancel what it names. */
const NOT_A_CANCEL: Problem = {
  path: "transType",
  message: "A cancel has no transType. Remove it and sign again, or send this message to POST /api/transfer.",
};

export function parseCancel(body: JsonObject): Result<TransferMessage, Problem[]> {
  const otherKind = Object.hasOwn(body, "transType") ? [NOT_A_CANCEL] : [];
  const read = readAs(body, cancelRequest.safeParse(body), otherKind);
  return read.ok ? ok({ ...addressOf(read.value), ask: { kind: "cancel" } }) : read;
}

export function parseTransfer(body: JsonObject): Result<TransferMessage, Problem[]> {
  // The type determines transData. If the type is invalid, transData cannot be checked.
  if (!isTransferType(body["transType"])) return refuseType(body);
  const read = readAs(body, transferRequest.safeParse(body));
  return read.ok ? ok({ ...addressOf(read.value), ask: askOf(read.value) }) : read;
}

function readAs<Request>(
  body: JsonObject,
  parsed: z.ZodSafeParseResult<Request>,
  others: Problem[] = [],
): Result<Request, Problem[]> {
  // The schema reports missing members. This reports only members that mark another kind of message.
  const otherKind = [...others, ...kindProblems(body, "request").filter(({ path }) => path !== "datetime")];
  if (!parsed.success) return err([...otherKind, ...problemsOf(parsed.error)]);
  return otherKind.length > 0 ? err(otherKind) : ok(parsed.data);
}

function refuseType(body: JsonObject): Result<never, Problem[]> {
  const read = readAs(body, unknownRequest.safeParse(body));
  if (read.ok) throw new Error("A transfer of an unknown type was accepted as one of a known type.");
  return read;
}

function addressOf({ posId, deviceId, referenceId, datetime }: z.infer<typeof cancelRequest>) {
  return { posId, deviceId, referenceId, datetime };
}

function askOf(request: z.infer<typeof transferRequest>): Ask {
  const { transType, merchantId, referenceLabel } = request;
  switch (transType) {
    case "sale":
    case "cashOut": {
      const { transAmt, cashAmt, paymentMethod, paymentChannel, ...others } = request.transData;
      const terms = present({
        transAmt,
        // I1: ignored members must not distinguish a retry from the first request.
        cashAmt: handsOutCash(transType) ? cashAmt : undefined,
        paymentMethod,
        paymentChannel: paymentMethod === "qrCustScan" ? String(paymentChannel) : undefined,
      });
      return { kind: "transaction", merchantId, transType, terms, details: present({ ...others, referenceLabel }) };
    }
    case "void": {
      const { transId, ...others } = request.transData;
      const details = present({ ...others, referenceLabel });
      return { kind: "transaction", merchantId, transType, terms: { transId }, details };
    }
    case "inquiry": {
      const { transId, referenceId = null } = request.transData ?? {};
      const namedTransId = transId === undefined ? null : Number(transId);
      return { kind: "question", merchantId, transType, namedTransId, namedReferenceId: referenceId };
    }
    case "getLast":
      return { kind: "question", merchantId, transType, namedTransId: null, namedReferenceId: null };
    default:
      return request satisfies never;
  }
}

function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };
}
