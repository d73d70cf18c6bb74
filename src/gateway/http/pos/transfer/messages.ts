/**
 * The messages that a POS sends: their schemas, from which the published contract is generated, and how they are read.
 * Unknown members are ignored.
 */
import * as z from "zod";
import { err, ok, type Result } from "../../../../protocol/result.ts";
import { API_VERSIONS } from "../../../../protocol/api-version.ts";
import {
  CHANNEL_NAME_LENGTH,
  MERCHANT_ID_LENGTH,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  TRANSFER_LENGTHS,
} from "../../../../protocol/lengths.ts";
import { PAYMENT_METHODS } from "../../../../protocol/payment-methods.ts";
import type { Problem } from "../../../../protocol/problem.ts";
import { TRANSACTION_NUMBER } from "../../../../protocol/transactions.ts";
import {
  handsOutCash,
  isTransferType,
  TRANSFER_TYPES,
  type TransferType,
} from "../../../../protocol/transfer-types.ts";
import type { TransferMessage } from "../../../../protocol/transfer-message.ts";
import type { JsonObject } from "../../../../protocol/signing/json.ts";
import { kindProblems } from "../../../../protocol/signing/message-kind.ts";
import {
  freeTextField,
  identifier,
  isAbsent,
  optionalField,
  requestSignature,
  signedTime,
  textField,
} from "../../validation/fields.ts";
import { validationProblems } from "../../validation/problems.ts";

const AMOUNT = /^(?:[1-9][0-9]{0,8}\.[0-9]{2}|0\.(?:[1-9][0-9]|0[1-9]))$/;
const AMOUNT_WORDS = 'Send a positive amount as text with two decimals, such as "12.50", at most "999999999.99".';
const NO_CASH = /^0{1,9}(?:\.0{1,2})?$/;
const NO_CASH_WORDS = 'A sale has no cash. Remove cashAmt, send "0.00", or make a cashOut.';
const PRODUCT = /^(?:0?[1-9]|10)$/;
const PRODUCT_WORDS = 'Send a string from "1" to "10".';
const NUMBER_WORDS = "Send the ten digits of a transId from a response.";
const OBJECT_WORDS = "Send a JSON object.";

const amount = z.string({ error: AMOUNT_WORDS }).regex(AMOUNT);

const reference = textField(TRANSFER_LENGTHS.referenceId).regex(/\S/, {
  error: "Send a string that is not only white space.",
});

const printCount = z
  .literal([0, 1, 2, "0", "1", "2"], {
    error: "Send 0 (no receipt), 1 (merchant copy) or 2 (merchant and customer copies).",
  })
  .transform(Number);

// If one form has the right type, its own problem is reported.
const transactionNumber = z
  .union(
    [
      z.string().regex(TRANSACTION_NUMBER, { error: NUMBER_WORDS }),
      z.int({ error: NUMBER_WORDS }).min(1_000_000_000).max(9_999_999_999),
    ],
    { error: NUMBER_WORDS },
  )
  .transform(String);

const common = {
  productIndex: optionalField(z.string({ error: PRODUCT_WORDS }).regex(PRODUCT)),
  promoSale: optionalField(textField(TRANSFER_LENGTHS.promoSale)),
  printCount: optionalField(printCount),
  metadata: optionalField(freeTextField(TRANSFER_LENGTHS.metadata)),
};

/** Returns the problem for a `transData` that is missing or is not an object. */
function mandatoryFor(transType: string): (issue: { input: unknown }) => string {
  return ({ input }) => (isAbsent(input) ? `This field is required for a ${transType}. ${OBJECT_WORDS}` : OBJECT_WORDS);
}

/** Only qrCustScan needs the channel. With other methods the member is ignored. */
export const channelName = textField(CHANNEL_NAME_LENGTH);
const ignoredUnlessCustomerScans = z.unknown().optional();

export const salePayment = z
  .object(
    {
      transAmt: amount,
      cashAmt: optionalField(z.string({ error: NO_CASH_WORDS }).regex(NO_CASH)),
      paymentMethod: z.enum(PAYMENT_METHODS, { error: `Send one of ${PAYMENT_METHODS.join(", ")}.` }),
      paymentChannel: ignoredUnlessCustomerScans,
      note: optionalField(freeTextField(TRANSFER_LENGTHS.note, "lines")),
      ...common,
    },
    { error: mandatoryFor("sale") },
  )
  // This is checked in any case: one answer names every problem.
  .superRefine(
    ({ paymentMethod, paymentChannel }, context) => {
      if (paymentMethod !== "qrCustScan") return;
      const message = isAbsent(paymentChannel)
        ? "This field is required with qrCustScan. Send a name listed by GET /api/ewallet-channels."
        : channelName.safeParse(paymentChannel).error?.issues[0]?.message;
      // zod prefixes an issue's path in place: each issue needs its own array.
      if (message !== undefined) context.addIssue({ code: "custom", path: ["paymentChannel"], message });
    },
    { when: ({ value }) => typeof value === "object" && value !== null },
  );

const CASH_WORDS = ({ input }: { input: unknown }): string =>
  isAbsent(input) ? `This field is required for a cashOut. ${AMOUNT_WORDS}` : AMOUNT_WORDS;

export const cashOutPayment = z.object(
  {
    transAmt: amount,
    cashAmt: z.string({ error: CASH_WORDS }).regex(AMOUNT),
    paymentMethod: z.literal("bankCard", {
      error: "Send bankCard. Cash out works only with domestic debit cards.",
    }),
    paymentChannel: ignoredUnlessCustomerScans,
    note: optionalField(freeTextField(TRANSFER_LENGTHS.note, "lines")),
    ...common,
  },
  { error: mandatoryFor("cashOut") },
);

export const voiding = z.object(
  { transId: transactionNumber, invNo: optionalField(textField(TRANSFER_LENGTHS.invNo)), ...common },
  { error: mandatoryFor("void") },
);

export const question = z
  .object({ transId: optionalField(transactionNumber), referenceId: optionalField(reference) }, { error: OBJECT_WORDS })
  .refine(({ transId, referenceId }) => transId === undefined || referenceId === undefined, {
    error: "Send transId or referenceId, not both.",
  });

export const cancelRequest = z.object({
  posId: identifier(POS_ID_LENGTH),
  deviceId: identifier(TERMINAL_ID_LENGTH),
  referenceId: reference,
  datetime: signedTime,
  signature: requestSignature,
});

const transferHead = cancelRequest.extend({
  merchantId: identifier(MERCHANT_ID_LENGTH),
  referenceLabel: optionalField(freeTextField(TRANSFER_LENGTHS.referenceLabel)),
  apiVersion: z.enum(API_VERSIONS, { error: `Send one of the supported versions: ${API_VERSIONS.join(", ")}.` }),
});

const anyData = optionalField(z.record(z.string(), z.unknown(), { error: OBJECT_WORDS }));

export const saleRequest = transferHead.extend({ transType: z.literal("sale"), transData: salePayment });
export const cashOutRequest = transferHead.extend({ transType: z.literal("cashOut"), transData: cashOutPayment });
export const voidRequest = transferHead.extend({ transType: z.literal("void"), transData: voiding });
export const inquiryRequest = transferHead.extend({
  transType: z.literal("inquiry"),
  transData: optionalField(question),
});
export const getLastRequest = transferHead.extend({ transType: z.literal("getLast"), transData: anyData });

/** A new type does not compile without its request. */
const REQUESTS = {
  sale: saleRequest,
  cashOut: cashOutRequest,
  void: voidRequest,
  inquiry: inquiryRequest,
  getLast: getLastRequest,
} satisfies Record<TransferType, z.ZodObject>;

type AnyRequest = (typeof REQUESTS)[TransferType];

// Object.values returns an array, and the union needs a non-empty one, so the assertion is needed.
export const TRANSFER_REQUESTS = Object.values(REQUESTS) as [AnyRequest, ...AnyRequest[]];

const transferRequest = z.discriminatedUnion("transType", TRANSFER_REQUESTS);

/** An unknown type has this schema, so that the other problems are reported anyway. */
const unknownRequest = transferHead.extend({
  transType: z.enum(TRANSFER_TYPES, { error: `Send one of ${TRANSFER_TYPES.join(", ")}.` }),
  transData: anyData,
});

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
  return read.ok ? ok({ kind: "cancel", ...headOf(read.value) }) : read;
}

export function parseTransfer(body: JsonObject): Result<TransferMessage, Problem[]> {
  // The type determines transData. If the type is invalid, transData cannot be checked.
  if (!isTransferType(body["transType"])) return refuseType(body);
  const read = readAs(body, transferRequest.safeParse(body));
  return read.ok ? ok(toMessage(read.value)) : read;
}

function readAs<Request>(
  body: JsonObject,
  parsed: z.ZodSafeParseResult<Request>,
  others: Problem[] = [],
): Result<Request, Problem[]> {
  // The schema reports missing members. This reports only members that mark another kind of message.
  const otherKind = [...others, ...kindProblems(body, "request").filter(({ path }) => path !== "datetime")];
  if (!parsed.success) return err([...otherKind, ...validationProblems(parsed.error)]);
  return otherKind.length > 0 ? err(otherKind) : ok(parsed.data);
}

function refuseType(body: JsonObject): Result<never, Problem[]> {
  const read = readAs(body, unknownRequest.safeParse(body));
  if (read.ok) throw new Error("A transfer of an unknown type was accepted as one of a known type.");
  return read;
}

function headOf({ posId, deviceId, referenceId, datetime }: z.infer<typeof cancelRequest>) {
  return { posId, deviceId, referenceId, datetime };
}

function toMessage(request: z.infer<typeof transferRequest>): TransferMessage {
  const { transType, merchantId, referenceLabel } = request;
  const head = { ...headOf(request), merchantId };
  switch (transType) {
    case "sale":
    case "cashOut": {
      const { transAmt, cashAmt, paymentMethod, paymentChannel, ...others } = request.transData;
      const terms = present({
        transAmt,
        // Ignored members must not distinguish a retry from the first request (I1).
        cashAmt: handsOutCash(transType) ? cashAmt : undefined,
        paymentMethod,
        paymentChannel: paymentMethod === "qrCustScan" ? String(paymentChannel) : undefined,
      });
      return { kind: "submit", ...head, transType, terms, details: present({ ...others, referenceLabel }) };
    }
    case "void": {
      const { transId, ...others } = request.transData;
      const details = present({ ...others, referenceLabel });
      return { kind: "submit", ...head, transType, terms: { transId }, details };
    }
    case "inquiry": {
      const { transId, referenceId = null } = request.transData ?? {};
      const namedTransId = transId === undefined ? null : Number(transId);
      return { kind: "inquire", ...head, transType, namedTransId, namedReferenceId: referenceId };
    }
    case "getLast":
      return { kind: "inquire", ...head, transType, namedTransId: null, namedReferenceId: null };
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
