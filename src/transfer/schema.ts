/** The messages of POST /api/transfer and /api/transfer/cancel: what a POS may send, and what becomes of it. */
import * as z from "zod";
import {
  codePoints,
  identifier,
  MERCHANT_ID_LENGTH,
  optional,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  text,
} from "../validation/fields.ts";
import { problemsOf } from "../validation/problems.ts";
import type { JsonObject } from "../signing/json.ts";
import { kindProblems } from "../signing/message-kind.ts";
import type { Problem } from "../signing/problem.ts";
import { maskCardNumbers } from "../terminal/card-data.ts";
import { parseDatetime } from "../time/datetime.ts";
import type { Details, Terms, TransactionType } from "../terminal/lane/transaction.ts";

export const TRANSACTION_TYPES = ["sale", "cashOut", "void", "inquiry", "getLast"] as const;
export const PAYMENT_METHODS = ["qrCustScan", "qrMerchScan", "bankCard"] as const;
export const API_VERSIONS = ["v1"] as const;

const AMOUNT = /^(?:0|[1-9][0-9]{0,8})\.[0-9]{2}$/u;
const AMOUNT_WORDS = 'Send a positive amount as text with two decimals, such as "12.50", at most "999999999.99".';
const DATETIME_WORDS = "Send the time in UTC as YYYYMMDDTHHMMSS, or the same without the T.";
const NUMBER_WORDS = "Send the ten digits of a transId, as an answer has it.";

const amount = z
  .string({ error: AMOUNT_WORDS })
  .regex(AMOUNT, { error: AMOUNT_WORDS })
  .refine((value) => !/^[0.]+$/u.test(value), { error: AMOUNT_WORDS });

/** Text for people, of any characters; card numbers in it are masked before anything keeps it (I6). */
function freeText(length: number) {
  const words = `Send a text of at most ${length} characters.`;
  return z
    .string({ error: words })
    .refine((value) => codePoints(value) <= length, { error: words })
    .transform(maskCardNumbers);
}

const reference = text(20).refine((value) => value === "" || value.trim() !== "", {
  error: "Send a text that is more than white space.",
});

const printCount = z
  .union([z.literal([0, 1, 2]), z.literal(["0", "1", "2"])], {
    error: "Send 0 (no receipt), 1 (merchant copy) or 2 (merchant and customer copies).",
  })
  .transform(Number);

const transactionNumber = z
  .union([z.int(), z.string()], { error: NUMBER_WORDS })
  .transform(String)
  .refine((digits) => /^[1-9][0-9]{9}$/u.test(digits), { error: NUMBER_WORDS });

/** Optional members that a sale, a cashOut and a void have in common. */
const common = {
  productIndex: optional(text(2)),
  promoSale: optional(text(2)),
  printCount: optional(printCount),
  metadata: optional(freeText(128)),
};

const payment = z.object({
  transAmt: amount,
  cashAmt: optional(amount),
  paymentMethod: z.enum(PAYMENT_METHODS, { error: `Send one of ${PAYMENT_METHODS.join(", ")}.` }),
  paymentChannel: optional(text(32)),
  note: optional(freeText(128)),
  ...common,
});

const voiding = z.object({ transId: transactionNumber, invNo: optional(text(32)), ...common });

const inquiry = z.object({ transId: optional(transactionNumber), referenceId: optional(reference) });

/** Its form is judged of every message; how far it is off, only of one that is new. Epoch milliseconds. */
const signedTime = z.string({ error: DATETIME_WORDS }).transform((value, context) => {
  const at = parseDatetime(value);
  if (at !== null) return at;
  context.addIssue({ code: "custom", message: DATETIME_WORDS });
  return z.NEVER;
});

const cancellation = z.object({
  posId: identifier(POS_ID_LENGTH),
  deviceId: identifier(TERMINAL_ID_LENGTH),
  referenceId: reference,
  datetime: signedTime,
  signature: z.string({ error: "Sign the request: 64 lowercase hexadecimal digits." }),
});

const envelope = cancellation.extend({
  transType: z.enum(TRANSACTION_TYPES, { error: `Send one of ${TRANSACTION_TYPES.join(", ")}.` }),
  merchantId: identifier(MERCHANT_ID_LENGTH),
  referenceLabel: optional(freeText(10)),
  transData: optional(z.record(z.string(), z.unknown(), { error: "Send a JSON object." })),
  apiVersion: z.enum(API_VERSIONS, { error: `Send one of the supported versions: ${API_VERSIONS.join(", ")}.` }),
});

/** What every signed message of a POS has. */
export type CancelMessage = z.infer<typeof cancellation>;

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
  const parsed = cancellation.safeParse(body);
  const problems = [
    ...kindProblems(body, "request").filter(isForbidden),
    ...(parsed.success ? [] : problemsOf(parsed.error)),
  ];
  return parsed.success && problems.length === 0 ? { ok: true, message: parsed.data } : { ok: false, problems };
}

/** Members that mark another kind of message; what is missing is the schema's to say. */
function isForbidden({ path }: Problem): boolean {
  return path !== "datetime";
}

export function parseTransfer(body: JsonObject): Parsed<TransferMessage> {
  const head = envelope.safeParse(body);
  const problems = [
    ...kindProblems(body, "request").filter(isForbidden),
    ...(head.success ? [] : problemsOf(head.error)),
  ];
  // The type decides what transData must hold; where the type itself is wrong, transData cannot be judged.
  const transType = envelope.shape.transType.safeParse(body["transType"]);
  if (!transType.success) return { ok: false, problems };
  const ask = parseAsk(transType.data, body);
  if (!ask.ok) problems.push(...ask.problems);
  if (!head.success || !ask.ok || problems.length > 0) return { ok: false, problems };
  const { posId, deviceId, referenceId, datetime, signature, merchantId } = head.data;
  return { ok: true, message: { posId, deviceId, referenceId, datetime, signature, merchantId, ask: ask.message } };
}

function parseAsk(transType: (typeof TRANSACTION_TYPES)[number], body: JsonObject): Parsed<Ask> {
  const given = body["transData"];
  const absent = given === undefined || given === null || given === "";
  if (!absent && (typeof given !== "object" || Array.isArray(given))) return { ok: false, problems: [] };
  switch (transType) {
    case "sale":
    case "cashOut":
      if (absent) return missingData(transType);
      return parsePayment(transType, body, given);
    case "void":
      if (absent) return missingData(transType);
      return parseVoid(body, given);
    case "inquiry":
      return absent ? naming("inquiry", null, null) : parseInquiry(given);
    case "getLast":
      return naming("getLast", null, null);
  }
}

function missingData(transType: string): Parsed<Ask> {
  return { ok: false, problems: [{ path: "transData", message: `This member is mandatory for a ${transType}.` }] };
}

function parsePayment(transType: "sale" | "cashOut", body: JsonObject, given: JsonObject): Parsed<Ask> {
  const parsed = payment.safeParse(given);
  const problems = parsed.success ? [] : within("transData", problemsOf(parsed.error));
  const has = (name: string): boolean => given[name] !== undefined && given[name] !== null && given[name] !== "";
  const rule = (broken: boolean, name: string, message: string): void => {
    if (broken) problems.push({ path: `transData.${name}`, message });
  };
  const method = given["paymentMethod"];
  rule(transType === "cashOut" && !has("cashAmt"), "cashAmt", "This member is mandatory for a cashOut.");
  rule(transType === "sale" && has("cashAmt"), "cashAmt", "Leave it out of a sale; cash is for a cashOut.");
  rule(
    transType === "cashOut" && (method === "qrCustScan" || method === "qrMerchScan"),
    "paymentMethod",
    "Send bankCard: cash out is only for the domestic debit channel.",
  );
  rule(
    method === "qrCustScan" && !has("paymentChannel"),
    "paymentChannel",
    "This member is mandatory with qrCustScan; GET /api/ewallet-channels lists the names.",
  );
  rule(
    (method === "qrMerchScan" || method === "bankCard") && has("paymentChannel"),
    "paymentChannel",
    "Leave it out: only qrCustScan names a channel.",
  );
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  const { transAmt, cashAmt, paymentMethod, paymentChannel, ...details } = parsed.data;
  const terms = present({ transAmt, cashAmt, paymentMethod, paymentChannel });
  return { ok: true, message: { kind: "transaction", transType, terms, details: detailsOf(body, details) } };
}

function parseVoid(body: JsonObject, given: JsonObject): Parsed<Ask> {
  const parsed = voiding.safeParse(given);
  if (!parsed.success) return { ok: false, problems: within("transData", problemsOf(parsed.error)) };
  const { transId, ...details } = parsed.data;
  const ask: Ask = { kind: "transaction", transType: "void", terms: { transId }, details: detailsOf(body, details) };
  return { ok: true, message: ask };
}

function parseInquiry(given: JsonObject): Parsed<Ask> {
  const parsed = inquiry.safeParse(given);
  if (!parsed.success) return { ok: false, problems: within("transData", problemsOf(parsed.error)) };
  const { transId, referenceId } = parsed.data;
  if (transId !== undefined && referenceId !== undefined) {
    return { ok: false, problems: [{ path: "transData", message: "Name one of transId and referenceId, not both." }] };
  }
  return naming("inquiry", transId === undefined ? null : Number(transId), referenceId ?? null);
}

function naming(
  transType: "inquiry" | "getLast",
  namedTransId: number | null,
  namedReferenceId: string | null,
): Parsed<Ask> {
  return { ok: true, message: { kind: "inquiry", transType, namedTransId, namedReferenceId } };
}

function detailsOf(body: JsonObject, members: { [Name in keyof Details]: Details[Name] | undefined }): Details {
  const label = envelope.shape.referenceLabel.safeParse(body["referenceLabel"]);
  return present({ ...members, referenceLabel: label.success ? label.data : undefined });
}

/** Without the members that are undefined: an absent member is not there. */
function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };
}

function within(container: string, problems: Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: path === "" ? container : `${container}.${path}`, message }));
}
