import * as z from "zod";
import { maskCardNumbers } from "../../../card-data/card-numbers.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";
import { POS_ID_LENGTH, REASON_LENGTH, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../../../protocol/lengths.ts";
import { identifier, optional, text } from "../../../validation/fields.ts";
import { transactionsQuery } from "../../transactions/requests.ts";
import { instantFilter } from "../filters.ts";

const NUMBER_WORDS = "Send the transaction's number: ten digits.";

export const transactionQuery = z
  .object({
    transId: optional(z.string().regex(TRANSACTION_NUMBER, { error: NUMBER_WORDS }).transform(Number)),
    posId: optional(identifier(POS_ID_LENGTH)),
    referenceId: optional(text(TRANSFER_LENGTHS.referenceId)),
  })
  .superRefine(({ transId, posId, referenceId }, context) => {
    if (transId !== undefined) return;
    const missing = posId === undefined ? (referenceId === undefined ? "transId" : "posId") : "referenceId";
    if (posId !== undefined && referenceId !== undefined) return;
    const message = `Send transId, the transaction's number, or both posId and referenceId.`;
    context.addIssue({ code: "custom", path: [missing], message });
  });

/** An account's transactions, as the account lists them, and by time and response code. */
export const accountTransactionsQuery = z.object({
  ...transactionsQuery.shape,
  responseCode: optional(text(RESULT_LENGTHS.responseCode)),
  from: instantFilter,
  to: instantFilter,
});

export const resolution = z.object({
  statusCode: z.enum(["00", "11"], { error: 'Send "00" (money moved) or "11" (no money moved, and none will).' }),
  // The POS receives it as responseText, hence the length. People write it, so it may contain a card number by mistake
  // (I6).
  reason: text(REASON_LENGTH).transform(maskCardNumbers),
});
