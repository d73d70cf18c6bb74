import * as z from "zod";
import { maskCardNumbers } from "../../../card-data/card-numbers.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";
import { mandatory, text } from "../../../validation/fields.ts";

const NUMBER_WORDS = "Send the transaction's number: ten digits.";

export const transactionQuery = z.object({
  transId: z
    .string({ error: mandatory(NUMBER_WORDS) })
    .regex(TRANSACTION_NUMBER, { error: NUMBER_WORDS })
    .transform(Number),
});

export const resolution = z.object({
  statusCode: z.enum(["00", "11"], { error: 'Send "00" (money moved) or "11" (no money moved, and none will).' }),
  // The POS gets it as responseText, hence the length; people write it, so it may hold a card number by mistake (I6).
  reason: text(128).transform(maskCardNumbers),
});
