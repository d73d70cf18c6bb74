import { responseSchema } from "../../contracts/json-schema.ts";
import { EVENT_EXAMPLES } from "../events/examples.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { PAGE_ROWS } from "../../protocol/limits/messages.ts";
import { type Family, inPath, listAnswer, queryParameters } from "../openapi/operation.ts";
import { transactionsQuery } from "./requests.ts";
import * as responses from "./responses.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";

const EXAMPLE = EVENT_EXAMPLES["transaction.completed"].data;

const CSV = `${[...Object.keys(EXAMPLE).filter((name) => name !== "voidedBy"), "voidedBy.requestId", "voidedBy.referenceId"].join(",")}\r
${Object.values(EXAMPLE).join(",")},\r
`;

export const transactions: Family = {
  tag: "Transactions",
  caller: "access",
  responses: {
    AccountTransactionList: responseSchema(responses.transactionList, {
      examples: [{ data: [EXAMPLE], next: "1041" }],
    }),
    WholeTransaction: responseSchema(responses.wholeTransaction),
  },
  operations: {
    "GET /api/transactions": {
      operationId: "listAccountTransactions",
      summary: "List the account's transactions",
      description:
        "The transactions of all the account's terminals, newest first: by completion or, while they are open, by their latest " +
        "event. A transaction appears when it is completed, or after a `22` was returned; with its `referenceId` you find it at " +
        "once. Kept for 400 days. Send `next` as `cursor` until it is null: a page may be short.",
      parameters: queryParameters(transactionsQuery, {
        day: { description: "Only transactions of this business day.", examples: ["2026-11-20"] },
        deviceId: { description: "Only transactions of this terminal.", examples: ["T-1001"] },
        statusCode: {
          description: "Only transactions with this status. `22`: everything that is open now.",
          examples: ["22"],
        },
        transType: { description: "Only transactions of this type.", examples: ["sale"] },
        referenceId: { description: "Only the transaction with this reference.", examples: ["20261120-0042"] },
        cursor: { description: "`next` of the previous page. Without it, the newest page.", examples: ["1041"] },
        limit: {
          description: `Rows per page. Default: ${PAGE_ROWS}.`,
          schema: { type: "integer", minimum: 1, maximum: PAGE_ROWS },
          examples: [20],
        },
      }),
      answers: { 200: listAnswer("A page.", "AccountTransactionList", CSV) },
    },
    "GET /api/terminals/{terminalId}/transactions/{requestId}": {
      operationId: "getTransaction",
      summary: "Read one transaction",
      description:
        "One of the account's transactions with everything that is known about it, including its stages. The terminal may have " +
        "left the account since.",
      parameters: [
        inPath("terminalId", "The terminal's unique id.", "T-1001", { maxLength: TERMINAL_ID_LENGTH }),
        inPath("requestId", "The transaction's number.", "1000000042", { pattern: TRANSACTION_NUMBER.source }),
      ],
      answers: { 200: { description: "The transaction.", schema: "WholeTransaction" } },
      refusals: { 404: "The account has no such transaction on this terminal." },
    },
  },
};
