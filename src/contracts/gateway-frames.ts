/** The gateway's frames of `protocol/frames.ts`, described for the published contract. Not in the Worker's bundle. */
import * as z from "zod";
import { AMOUNT, CURRENCY, named, NUMBER, shaped, upTo } from "../validation/described.ts";
import {
  CHANNEL_NAME_LENGTH,
  MERCHANT_ID_LENGTH,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  TRANSFER_LENGTHS,
} from "../protocol/lengths.ts";
import { FRAME_ERRORS } from "../protocol/frames.ts";
import type * as frames from "../protocol/frames.ts";
import { PAYMENT_METHODS } from "../protocol/payment-methods.ts";
import { STATUS_CODES } from "../protocol/status-codes.ts";
import { TRANSACTION_TYPES } from "../protocol/transfer-types.ts";

const requestId = shaped(NUMBER, "The request's number of ten digits. One terminal's numbers only grow.", "1000000042");

const attempt = z
  .int()
  .min(1)
  .meta({ description: "Which sending of this request it is about, from 1 on.", examples: [1] });

const epochMilliseconds = (description: string): z.ZodInt =>
  z.int().meta({ description: `${description} Epoch milliseconds of the gateway's clock.`, examples: [1795169742000] });

/** The account that a terminal works for. */
const binding = {
  posId: upTo(
    POS_ID_LENGTH,
    "The account that the terminal works for; null while it is bound to none.",
    "POS-1001",
  ).nullable(),
  merchantId: upTo(MERCHANT_ID_LENGTH, "That account's merchant, or null.", "M-1001").nullable(),
  currency: shaped(CURRENCY, "ISO 4217, or null.", "MYR").nullable(),
  timezone: named("IANA time zone name, or null.", "Asia/Kuala_Lumpur").nullable(),
};

export const welcomeFrame = z
  .object({
    type: z.literal("welcome"),
    terminalId: upTo(TERMINAL_ID_LENGTH, "The terminal that the token is of.", "T-1001"),
    ...binding,
    nonce: shaped(/^[A-Za-z0-9_-]{22}$/, "To be repeated in `hello`.", "bm9uY2Utb2Ytb25lLWNvbg"),
    serverTime: epochMilliseconds("The gateway's time now."),
    heartbeatSeconds: z
      .int()
      .min(1)
      .meta({ description: "How often the terminal sends the bare text `ping`, in seconds.", examples: [30] }),
  })
  .meta({ description: "The first frame on every connection." }) satisfies z.ZodType<frames.WelcomeFrame>;

export const readyFrame = z
  .object({ type: z.literal("ready") })
  .meta({ description: "The hello holds: this connection is the current one." }) satisfies z.ZodType<frames.ReadyFrame>;

export const requestFrame = z
  .object({
    type: z.literal("request"),
    requestId,
    attempt,
    transType: z.enum(TRANSACTION_TYPES).meta({ description: "What is to be done." }),
    posId: upTo(POS_ID_LENGTH, "The account that asks.", "POS-1001"),
    merchantId: upTo(MERCHANT_ID_LENGTH, "Its merchant.", "M-1001"),
    referenceId: upTo(TRANSFER_LENGTHS.referenceId, "The POS's own reference, for the receipt.", "20261120-0042"),
    referenceLabel: upTo(
      TRANSFER_LENGTHS.referenceLabel,
      "Printed before the reference; where it is missing, `POS Ref`.",
      "Table 7",
    ).optional(),
    currency: shaped(CURRENCY, "ISO 4217.", "MYR"),
    transId: shaped(
      NUMBER,
      "The transaction's own number; of a void, that of the transaction to be voided.",
      "1000000042",
    ),
    transData: z
      .object({
        transAmt: shaped(AMOUNT, "The amount. Not in a void.", "12.50").optional(),
        cashAmt: shaped(AMOUNT, "Cash to be handed out, of a cashOut; the card is charged both.", "50.00").optional(),
        paymentMethod: z
          .enum(PAYMENT_METHODS)
          .optional()
          .meta({ description: "What the customer presents. Not in a void.", examples: ["bankCard"] }),
        paymentChannel: upTo(CHANNEL_NAME_LENGTH, "The wallet, with qrCustScan.", "Touch 'n Go").optional(),
        transId: shaped(NUMBER, "The transaction to be voided. Only in a void.", "1000000041").optional(),
        invNo: upTo(
          TRANSFER_LENGTHS.invNo,
          "The terminal's running number of it, where the POS named it. Only in a void.",
          "000041",
        ).optional(),
        productIndex: upTo(TRANSFER_LENGTHS.productIndex, "The POS's category.", "3").optional(),
        promoSale: upTo(
          TRANSFER_LENGTHS.promoSale,
          "A promotion: decline cards that are not part of it.",
          "01",
        ).optional(),
        note: upTo(TRANSFER_LENGTHS.note, "Printed in the remarks.", "No onions").optional(),
        printCount: z
          .int()
          .min(0)
          .max(2)
          .optional()
          .meta({ description: "Copies of the receipt; 2 where it is missing.", examples: [1] }),
        metadata: upTo(TRANSFER_LENGTHS.metadata, "The POS's own; the gateway returns it.", "basket 42").optional(),
      })
      .meta({ description: "The details, normalised: members that the POS left out or left empty are not there." }),
    deliverBy: epochMilliseconds("Not to be begun when it is read later."),
    respondBy: epochMilliseconds("The terminal ends it by itself until then."),
    signature: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({
        description:
          "HMAC-SHA-256 over the RFC 8785 form of the frame without this member, keyed with the terminal's secret, in " +
          "lowercase hexadecimal.",
        examples: ["5bc2d4cbd954c76f32a2d1a287d299d6c029ab73761100af2a34e9a900854cda"],
      }),
  })
  .meta({ description: "A transaction to be carried out." }) satisfies z.ZodType<frames.RequestFrame>;

export const askFrame = z.object({ type: z.literal("ask"), requestId, attempt }).meta({
  description: "What became of it? Answered at once with the `result` as it stands, or with `refused unknown`.",
}) satisfies z.ZodType<frames.AskFrame>;

export const cancelFrame = z.object({ type: z.literal("cancel"), requestId, attempt }).meta({
  description:
    "Stop it. Answered with the `result` when the outcome is known, at the latest at `respondBy`, or with `refused unknown`.",
}) satisfies z.ZodType<frames.CancelFrame>;

export const ackFrame = z
  .object({
    type: z.literal("ack"),
    requestId,
    statusCode: z
      .literal(STATUS_CODES)
      .meta({ description: "The status of the result that is durable.", examples: ["00"] }),
  })
  .meta({
    description:
      "The result with this status is durable. Only the ack of its `00` or `11` lets the terminal forget; an ack of `22` " +
      "ends only the repetition of that 22. An ack of another status than the one that it now holds is ignored.",
  }) satisfies z.ZodType<frames.AckFrame>;

export const bindingFrame = z.object({ type: z.literal("binding"), ...binding }).meta({
  description: "The account that the terminal works for, whenever one of its members changes.",
}) satisfies z.ZodType<frames.BindingFrame>;

export const errorFrame = z
  .object({
    type: z.literal("error"),
    code: z.enum(FRAME_ERRORS).meta({
      description:
        "bad_signature: sign the result anew and send it again after 5 seconds, at most 5 times. unknown_request: forget " +
        "the request. bad_frame: log it.",
    }),
    message: named("For the log.", "The frame is not one of this protocol."),
    requestId: requestId.optional(),
  })
  .meta({ description: "The gateway did not take a frame." }) satisfies z.ZodType<frames.ErrorFrame>;

export const gatewayFrame = z.discriminatedUnion("type", [
  welcomeFrame,
  readyFrame,
  requestFrame,
  askFrame,
  cancelFrame,
  ackFrame,
  bindingFrame,
  errorFrame,
]);
