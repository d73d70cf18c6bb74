import * as z from "zod";
import { NAME_LENGTH, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../../../protocol/lengths.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";
import { TRANSACTION_TYPES } from "../../../protocol/transfer-types.ts";
import { reportedResult } from "../../../protocol/schemas/events.ts";
import { amount, statusCode } from "../../../protocol/schemas/transfers.ts";
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
    responseCode: upTo(
      RESULT_LENGTHS.responseCode,
      "Its code: why its outcome is unknown, or of its outcome.",
      "TERMINAL_TIMEOUT",
    ),
    responseText: upTo(
      RESULT_LENGTHS.responseText,
      "The same in a sentence.",
      "The terminal did not answer in time.",
    ).nullable(),
    transAmt: amount.nullable().meta({ description: "The amount; null if it is unknown.", examples: ["12.50"] }),
    cashAmt: amount.nullable().meta({ description: "The cash to pay out, or null.", examples: [null] }),
    currency,
    receivedAt: time("When its request arrived.", "UTC"),
    contrary: z
      .object({
        statusCode: statusCode.meta({ description: "The recorded status, which stays." }),
        completedBy: z
          .enum(["terminal", "gateway", "operator"])
          .nullable()
          .meta({ description: "Who completed it so." }),
        reportedAt: time("When the terminal contradicted it, last.", "UTC"),
        reported: reportedResult,
      })
      .nullable()
      .meta({ description: "The terminal's contrary result, or null: the transaction is `22`." }),
  })
  .meta({ description: "A transaction that is `22`, or that is completed and contradicted by its terminal." });

export const unresolvedPage = pageSchema(
  unresolvedTransaction,
  "Transactions that are `22` or contradicted now, oldest first.",
);

export type UnresolvedTransaction = z.infer<typeof unresolvedTransaction>;
export type UnresolvedPage = z.infer<typeof unresolvedPage>;
