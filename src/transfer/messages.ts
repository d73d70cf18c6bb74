/**
 * The messages of POST /api/transfer and /api/transfer/cancel, as a POS may send them. Unknown members are ignored.
 * The published contract is made from these very schemas.
 */
import * as z from "zod";
import { maskCardNumbers } from "../terminal/card-data.ts";
import { PAYMENT_METHODS } from "../terminal/lane/transaction.ts";
import {
  CHANNEL_NAME_LENGTH,
  forbidden,
  identifier,
  isAbsent,
  MERCHANT_ID_LENGTH,
  optional,
  POS_ID_LENGTH,
  signedTime,
  TERMINAL_ID_LENGTH,
  text,
  TRANSFER_LENGTHS,
} from "../validation/fields.ts";

export const API_VERSIONS = ["v1"] as const;

const AMOUNT = /^(?:[1-9][0-9]{0,8}\.[0-9]{2}|0\.(?:[1-9][0-9]|0[1-9]))$/;
const AMOUNT_WORDS = 'Send a positive amount as text with two decimals, such as "12.50", at most "999999999.99".';
const NUMBER_WORDS = "Send the ten digits of a transId, as an answer has it.";
const OBJECT_WORDS = "Send a JSON object.";

const amount = z.string({ error: AMOUNT_WORDS }).regex(AMOUNT, { error: AMOUNT_WORDS });

/** Text for people, of any characters; card numbers in it are masked before anything keeps it (I6). */
function freeText(length: number) {
  const words = `Send a text of at most ${length} characters.`;
  return z.string({ error: words }).max(length, { error: words }).transform(maskCardNumbers);
}

const reference = text(TRANSFER_LENGTHS.referenceId).regex(/\S/, {
  error: "Send a text that is more than white space.",
});

const printCount = z
  .literal([0, 1, 2, "0", "1", "2"], {
    error: "Send 0 (no receipt), 1 (merchant copy) or 2 (merchant and customer copies).",
  })
  .transform(Number);

// Where one form is of the right type, what is said is that form's own finding.
const transactionNumber = z
  .union(
    [
      z.string().regex(/^[1-9][0-9]{9}$/, { error: NUMBER_WORDS }),
      z.int().min(1_000_000_000, { error: NUMBER_WORDS }).max(9_999_999_999, { error: NUMBER_WORDS }),
    ],
    { error: NUMBER_WORDS },
  )
  .transform(String);

/** Optional members that a sale, a cashOut and a void have in common. */
const common = {
  productIndex: optional(text(TRANSFER_LENGTHS.productIndex)),
  promoSale: optional(text(TRANSFER_LENGTHS.promoSale)),
  printCount: optional(printCount),
  metadata: optional(freeText(TRANSFER_LENGTHS.metadata)),
};

/** What is said of a `transData` that is missing, and of one that is no object. */
function mandatoryFor(transType: string): (issue: { input: unknown }) => string {
  return ({ input }) => (isAbsent(input) ? `This member is mandatory for a ${transType}.` : OBJECT_WORDS);
}

export const salePayment = z
  .object(
    {
      transAmt: amount,
      cashAmt: forbidden("Leave it out of a sale; cash is for a cashOut."),
      paymentMethod: z.enum(PAYMENT_METHODS, { error: `Send one of ${PAYMENT_METHODS.join(", ")}.` }),
      paymentChannel: optional(text(CHANNEL_NAME_LENGTH)),
      note: optional(freeText(TRANSFER_LENGTHS.note)),
      ...common,
    },
    { error: mandatoryFor("sale") },
  )
  // Whatever else is wrong: one answer names everything that is.
  .superRefine(
    ({ paymentMethod, paymentChannel }, context) => {
      const message =
        paymentMethod === "qrCustScan"
          ? paymentChannel === undefined &&
            "This member is mandatory with qrCustScan; GET /api/ewallet-channels lists the names."
          : paymentChannel !== undefined &&
            PAYMENT_METHODS.includes(paymentMethod) &&
            "Leave it out: only qrCustScan names a channel.";
      if (message !== false) context.addIssue({ code: "custom", path: ["paymentChannel"], message });
    },
    { when: ({ value }) => typeof value === "object" && value !== null },
  );

export const cashOutPayment = z.object(
  {
    transAmt: amount,
    cashAmt: z
      .string({ error: ({ input }) => (isAbsent(input) ? "This member is mandatory for a cashOut." : AMOUNT_WORDS) })
      .regex(AMOUNT, { error: AMOUNT_WORDS }),
    paymentMethod: z.literal("bankCard", {
      error: "Send bankCard: cash out is only for the domestic debit channel.",
    }),
    paymentChannel: forbidden("Leave it out: only qrCustScan names a channel."),
    note: optional(freeText(TRANSFER_LENGTHS.note)),
    ...common,
  },
  { error: mandatoryFor("cashOut") },
);

export const voiding = z.object(
  { transId: transactionNumber, invNo: optional(text(TRANSFER_LENGTHS.invNo)), ...common },
  { error: mandatoryFor("void") },
);

export const question = z
  .object({ transId: optional(transactionNumber), referenceId: optional(reference) }, { error: OBJECT_WORDS })
  .refine(({ transId, referenceId }) => transId === undefined || referenceId === undefined, {
    error: "Name one of transId and referenceId, not both.",
  });

export const cancelRequest = z.object({
  posId: identifier(POS_ID_LENGTH),
  deviceId: identifier(TERMINAL_ID_LENGTH),
  referenceId: reference,
  datetime: signedTime,
  // One of another form is told like one that does not hold: with what the gateway would have signed.
  signature: z.string({ error: "Sign the request: 64 lowercase hexadecimal digits." }),
});

const head = cancelRequest.extend({
  merchantId: identifier(MERCHANT_ID_LENGTH),
  referenceLabel: optional(freeText(TRANSFER_LENGTHS.referenceLabel)),
  apiVersion: z.enum(API_VERSIONS, { error: `Send one of the supported versions: ${API_VERSIONS.join(", ")}.` }),
});

const anyData = optional(z.record(z.string(), z.unknown(), { error: OBJECT_WORDS }));

export const saleRequest = head.extend({ transType: z.literal("sale"), transData: salePayment });
export const cashOutRequest = head.extend({ transType: z.literal("cashOut"), transData: cashOutPayment });
export const voidRequest = head.extend({ transType: z.literal("void"), transData: voiding });
export const inquiryRequest = head.extend({ transType: z.literal("inquiry"), transData: optional(question) });
export const getLastRequest = head.extend({ transType: z.literal("getLast"), transData: anyData });

export const TRANSFER_REQUESTS = [saleRequest, cashOutRequest, voidRequest, inquiryRequest, getLastRequest] as const;

export const TRANSACTION_TYPES: readonly string[] = TRANSFER_REQUESTS.map(({ shape }) => shape.transType.value);

/** A transfer of any type. */
export const transferRequest = z.discriminatedUnion("transType", TRANSFER_REQUESTS);

/** A transfer of no type that there is: what else is wrong with it is told all the same. */
export const unknownRequest = head.extend({
  transType: z.enum(TRANSACTION_TYPES, { error: `Send one of ${TRANSACTION_TYPES.join(", ")}.` }),
  transData: anyData,
});
