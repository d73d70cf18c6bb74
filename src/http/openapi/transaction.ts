/** A transaction in lists and events. Types only for the Worker: this file is not in its bundle. */
import * as z from "zod";
import type { AccountTransaction } from "../../protocol/events.ts";
import { DETAIL_LENGTHS, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../../protocol/lengths.ts";
import { PAYMENT_METHODS } from "../../protocol/payment-methods.ts";
import { TRANSACTION_TYPES } from "../../protocol/transfer-types.ts";
import { amount, statusCode } from "../transfer/responses.ts";
import { shaped, upTo } from "../../validation/described.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";
import { currency, merchantId, terminalId, time } from "./fields.ts";

const ZONE = "the account's time zone";

/** `YYYY-MM-DD` */
export const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

const requestId = shaped(
  TRANSACTION_NUMBER,
  "Its number of ten digits; a sale's or cashOut's is its `transId`.",
  "1000000042",
);

const referenceId = upTo(TRANSFER_LENGTHS.referenceId, "The POS's own reference.", "20261120-0042");

/** A member of the result; null if it has none. */
function reported(name: keyof typeof DETAIL_LENGTHS, description: string, example: string) {
  return upTo(DETAIL_LENGTHS[name], `${description} Null if the result has none.`, example).nullable();
}

export const voidedBy = z
  .object({
    requestId: shaped(TRANSACTION_NUMBER, "The number of the void.", "1000000043"),
    referenceId: upTo(TRANSFER_LENGTHS.referenceId, "The reference of the void.", "20261120-0043"),
  })
  .meta({ description: "The void that reversed a payment." });

export const accountTransaction = z
  .object({
    requestId,
    transType: z.enum(TRANSACTION_TYPES).meta({ description: "Its type." }),
    deviceId: terminalId,
    merchantId,
    referenceId,
    statusCode,
    responseCode: upTo(RESULT_LENGTHS.responseCode, "The channel's own code, or one of the gateway's.", "00"),
    responseText: upTo(
      RESULT_LENGTHS.responseText,
      "A sentence for people; null if the terminal sent none.",
      "Approved",
    ).nullable(),
    completedBy: z
      .enum(["terminal", "gateway", "operator"])
      .nullable()
      .meta({ description: "Who completed it; null while it is `22`." }),
    receivedAt: time("When the gateway received it.", ZONE),
    completedAt: time("When it became `00` or `11`; null while it is `22`.", ZONE).nullable(),
    day: shaped(DAY, "The business day that it counts for; null while it is `22`.", "2026-11-20").nullable(),
    transAmt: amount.nullable().meta({
      description: "The amount; for a void, that of the voided transaction; null if that is unknown.",
      examples: ["12.50"],
    }),
    cashAmt: amount.nullable().meta({ description: "The cash to pay out, or null.", examples: ["50.00"] }),
    currency,
    paymentMethod: z.enum(PAYMENT_METHODS).nullable().meta({ description: "As in the request, or null." }),
    paymentChannel: upTo(
      DETAIL_LENGTHS.paymentChannel,
      "The card scheme or the wallet, from the result or the request; null if neither has one.",
      "VISA",
    ).nullable(),
    cardNo: reported("cardNo", "The masked card number: all but its last four digits are x.", "xxxxxxxxxxxx1234"),
    invNo: reported("invNo", "The terminal's running number.", "000042"),
    batchNo: reported("batchNo", "The batch.", "000007"),
    tid: reported("tid", "The acquirer's id of the terminal.", "20000001"),
    mid: reported("mid", "The acquirer's id of the merchant.", "300000000000001"),
    rrn: reported("rrn", "The retrieval reference number.", "632410000042"),
    apprCode: reported("apprCode", "The approval number.", "A1B2C3"),
    transDateTime: reported(
      "transDateTime",
      "When it was completed, in the account's local time.",
      "2026-11-20T10:15:42",
    ),
    transId: shaped(
      TRANSACTION_NUMBER,
      "For a void: the `transId` of the transaction that it reverses; otherwise null.",
      "1000000042",
    ).nullable(),
    voidedBy: voidedBy.nullable().meta({ description: "The void that reversed it; null if there is none." }),
  })
  .meta({ description: "A transaction of the account. It is not signed." }) satisfies z.ZodType<AccountTransaction>;
