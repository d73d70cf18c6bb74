import { responseSchema, requestSchema } from "../../../contracts/json-schema.ts";
import { type Family, inPath, queryParameters } from "../../openapi/operation.ts";
import { POS_ID_LENGTH } from "../../../protocol/lengths.ts";
import { INSTANT, PAGE_LIMIT, NO_TERMINAL, numberedPages, terminalId } from "../operations.ts";
import { accountTransactionsQuery, resolution, transactionQuery } from "./requests.ts";
import * as responses from "./responses.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";

const requestId = inPath("requestId", "The transaction's number.", "1000000042", {
  pattern: TRANSACTION_NUMBER.source,
});

export const operatorTransactions: Family = {
  tag: "Operator",
  caller: "operator",
  requests: {
    Resolution: requestSchema(
      resolution,
      {
        statusCode: { description: "`00`: money moved. `11`: no money moved, and none will.", examples: ["11"] },
        reason: {
          description: "For people. The till gets it as `responseText`. Card numbers in it are masked.",
          examples: ["The terminal's host has no such payment."],
        },
      },
      {
        description: "How the transaction ended.",
        examples: [{ statusCode: "11", reason: "The terminal's host has no such payment." }],
      },
    ),
  },
  responses: {
    Transaction: responseSchema(responses.transaction),
    TransactionPage: responseSchema(responses.transactionPage),
    FoundTransaction: responseSchema(responses.foundTransaction),
  },
  operations: {
    "GET /operator/transactions": {
      operationId: "findTransaction",
      summary: "Find a transaction",
      description:
        "Finds a transaction of any terminal, by its number or by its account and reference. Not found: no terminal has used " +
        "the number, or it is from before the gateway recorded which terminal has which numbers. Then read the journal of " +
        "its terminal.",
      parameters: queryParameters(transactionQuery, {
        transId: {
          description: "The transaction's number: a sale's or cashOut's `transId`, a void's `requestId`.",
          schema: { type: "string", pattern: TRANSACTION_NUMBER.source },
          examples: ["1000000042"],
        },
        posId: { description: "The account, together with `referenceId`.", examples: ["POS-1001"] },
        referenceId: { description: "The POS's reference, together with `posId`.", examples: ["20261120-0042"] },
      }),
      answers: { 200: { description: "The transaction.", schema: "FoundTransaction" } },
      refusals: { 404: "There is no such transaction, or no operator is set." },
    },
    "GET /operator/accounts/{posId}/transactions": {
      operationId: "listTransactionsOfAccount",
      summary: "List an account's transactions",
      description:
        "As the account lists them, in its time zone, newest first, and also by `responseCode` and by time: that of the " +
        "completion's record, or of the last news of one that is open. Asks the account's object.",
      parameters: [
        inPath("posId", "The account.", "POS-1001", { maxLength: POS_ID_LENGTH }),
        ...queryParameters(accountTransactionsQuery, {
          day: { description: "Only transactions that count for this business day.", examples: ["2026-11-20"] },
          deviceId: { description: "Only transactions of this terminal.", examples: ["T-1001"] },
          statusCode: { description: "Only those with this status.", examples: ["22"] },
          transType: { description: "Only transactions of this type.", examples: ["sale"] },
          referenceId: { description: "Only the transaction with this reference.", examples: ["20261120-0042"] },
          responseCode: { description: "Only those with this response code.", examples: ["51"] },
          from: { description: "Only at or after this time. Not together with `statusCode=22`.", ...INSTANT },
          to: { description: "Only before this time. Not together with `statusCode=22`.", ...INSTANT },
          cursor: { description: "`next` of the previous page. Without it, the newest page.", examples: ["1041"] },
          limit: PAGE_LIMIT,
        }),
      ],
      answers: { 200: { description: "A page.", schema: "AccountTransactionList" } },
      refusals: { 404: "There is no such account, or no operator is set." },
    },
    "GET /operator/terminals/{terminalId}/transactions": {
      operationId: "listTransactions",
      summary: "Read a terminal's journal",
      description:
        "A page of transactions, newest first, each with its stages and with reports that contradict it. " +
        "The first page also has the results without a transaction.",
      parameters: [terminalId, ...numberedPages],
      answers: { 200: { description: "A page.", schema: "TransactionPage" } },
      refusals: { 404: NO_TERMINAL },
    },
    "POST /operator/terminals/{terminalId}/transactions/{requestId}/resolve": {
      operationId: "resolveTransaction",
      summary: "Resolve a transaction",
      description:
        "Resolves a transaction that is pending or past its end, after someone has checked the terminal and its host. Final: " +
        "every later request gets `RESOLVED` with this status.",
      parameters: [terminalId, requestId],
      body: { description: "The outcome and the reason.", schema: "Resolution" },
      answers: { 200: { description: "The transaction as it is now.", schema: "Transaction" } },
      refusals: {
        404: "There is no such terminal or transaction, or no operator is set.",
        409: "The transaction is neither pending nor past its end.",
      },
    },
  },
};
