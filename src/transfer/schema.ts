/** Reads the messages of POST /api/transfer and /api/transfer/cancel: what becomes of them in the gateway. */
import type * as z from "zod";
import type { JsonObject } from "../signing/json.ts";
import { kindProblems } from "../signing/message-kind.ts";
import type { Problem } from "../signing/problem.ts";
import type { Details, Terms, TransactionType } from "../terminal/lane/transaction.ts";
import { problemsOf } from "../validation/problems.ts";
import { cancelRequest, TRANSACTION_TYPES, transferRequest, unknownRequest } from "./messages.ts";

/** What every signed message of a POS has. */
export type CancelMessage = z.infer<typeof cancelRequest>;

/** What the request asks for, normalised: unknown members are gone, absent ones are not there. */
export type Ask =
  | { kind: "transaction"; transType: TransactionType; terms: Terms; details: Details }
  | {
      kind: "inquiry";
      transType: "inquiry" | "getLast";
      namedTransId: number | null;
      namedReferenceId: string | null;
    };

export interface TransferMessage extends CancelMessage {
  merchantId: string;
  ask: Ask;
}

type Parsed<Message> = { ok: true; message: Message } | { ok: false; problems: Problem[] };

export function parseCancel(body: JsonObject): Parsed<CancelMessage> {
  const otherKind = kindProblems(body, "request").filter(isForbidden);
  const parsed = cancelRequest.safeParse(body);
  if (!parsed.success) return { ok: false, problems: [...otherKind, ...problemsOf(parsed.error)] };
  return otherKind.length > 0 ? { ok: false, problems: otherKind } : { ok: true, message: parsed.data };
}

/** Members that mark another kind of message; what is missing is the schema's to say. */
function isForbidden({ path }: Problem): boolean {
  return path !== "datetime";
}

export function parseTransfer(body: JsonObject): Parsed<TransferMessage> {
  const otherKind = kindProblems(body, "request").filter(isForbidden);
  const { transType } = body;
  // The type decides what transData must hold; where the type itself is wrong, transData cannot be judged.
  const isKnown = typeof transType === "string" && TRANSACTION_TYPES.includes(transType);
  const parsed = isKnown ? transferRequest.safeParse(body) : refuseType(body);
  if (!parsed.success) return { ok: false, problems: [...otherKind, ...problemsOf(parsed.error)] };
  if (otherKind.length > 0) return { ok: false, problems: otherKind };
  const { posId, deviceId, referenceId, datetime, signature, merchantId } = parsed.data;
  return {
    ok: true,
    message: { posId, deviceId, referenceId, datetime, signature, merchantId, ask: askOf(parsed.data) },
  };
}

function refuseType(body: JsonObject): { success: false; error: z.core.$ZodError } {
  const parsed = unknownRequest.safeParse(body);
  if (parsed.success) throw new Error("A transfer of an unknown type was taken for one of a known type.");
  return parsed;
}

function askOf(request: z.infer<typeof transferRequest>): Ask {
  const { transType, referenceLabel } = request;
  switch (transType) {
    case "sale":
    case "cashOut": {
      const { transAmt, cashAmt, paymentMethod, paymentChannel, ...details } = request.transData;
      const terms = present({ transAmt, cashAmt, paymentMethod, paymentChannel });
      return { kind: "transaction", transType, terms, details: present({ ...details, referenceLabel }) };
    }
    case "void": {
      const { transId, ...details } = request.transData;
      return { kind: "transaction", transType, terms: { transId }, details: present({ ...details, referenceLabel }) };
    }
    case "inquiry": {
      const { transId, referenceId } = request.transData ?? {};
      const namedTransId = transId === undefined ? null : Number(transId);
      return { kind: "inquiry", transType, namedTransId, namedReferenceId: referenceId ?? null };
    }
    case "getLast":
      return { kind: "inquiry", transType, namedTransId: null, namedReferenceId: null };
  }
}

/** Without the members that are undefined: an absent member is not there. */
function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };
}
