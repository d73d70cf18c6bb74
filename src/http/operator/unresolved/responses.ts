import * as z from "zod";
import { NAME_LENGTH, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../../../protocol/lengths.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";
import { TRANSACTION_TYPES } from "../../../protocol/transfer-types.ts";
import { amount } from "../../../protocol/schemas/transfers.ts";
import { currency, posId, shaped, terminalId, time, upTo } from "../../../protocol/schemas/fields.ts";
import { pageSchema } from "../responses.ts";

export const unresolvedTransaction = z
  .object({
    requestId: shaped(TRANSACTION_NUMBER, "The transaction's number of ten digits.", "1000000042"),
    posId,
    terminalId,
    shopName: upTo(NAME_LENGTH, "The name of the account's shop; null if it has none.", "Corner shop").nullable(),
    referenceId: upTo(TRANSFER_LENGTHS.referenceId, "The POS's own reference.", "20261120-0042"),
    transType: z.enum(TRANSACTION_TYPES).meta({ description: "The type of the transaction.", examples: ["sale"] }),
    responseCode: upTo(RESULT_LENGTHS.responseCode, "Why its outcome is unknown.", "TERMINAL_TIMEOUT"),
    responseText: upTo(
      RESULT_LENGTHS.responseText,
      "The same in a sentence.",
      "The terminal did not answer in time.",
    ).nullable(),
    transAmt: amount.nullable().meta({ description: "The amount; null if it is unknown.", examples: ["12.50"] }),
    cashAmt: amount.nullable().meta({ description: "The cash to pay out, or null.", examples: [null] }),
    currency,
    receivedAt: time("When its request arrived.", "UTC"),
  })
  .meta({ description: "A transaction whose outcome is unknown: `22`." });

export const unresolvedPage = pageSchema(unresolvedTransaction, "Transactions that are `22` now, oldest first.");

export type UnresolvedTransaction = z.infer<typeof unresolvedTransaction>;
export type UnresolvedPage = z.infer<typeof unresolvedPage>;
