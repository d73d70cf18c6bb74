import * as z from "zod";
import { OPEN_REQUESTS } from "../limits.ts";
import { NAME_LENGTH, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../lengths.ts";
import { LAST_FOUR, TRANSACTION_NUMBER } from "../transactions.ts";
import { TRANSACTION_TYPES } from "../transfer-types.ts";
import { reportedResult } from "./events.ts";
import { amount, statusCode, transactionDetails } from "./transfers.ts";
import { currency, stringField, object, posId, patternField, terminalId, timeField, boundedField } from "./fields.ts";
import { journalMembers, keptEntry } from "./transactions.ts";
import { next, pageSchema } from "./operator.ts";

const outcome = object("The transaction's status.", {
  statusCode,
  responseCode: boundedField(RESULT_LENGTHS.responseCode, "The terminal's own code, or one of the gateway's.", "00"),
  responseText: boundedField(RESULT_LENGTHS.responseText, "What happened, in a sentence.", "Approved").optional(),
  softwareVersion: boundedField(RESULT_LENGTHS.softwareVersion, "The terminal's, as last reported.", "2.4.1"),
  terminalSn: boundedField(RESULT_LENGTHS.terminalSn, "The terminal's serial number, as last reported.", "SN-20417"),
  transData: transactionDetails.optional(),
});

const requestId = patternField(
  TRANSACTION_NUMBER,
  "The transaction's number of ten digits; a sale's or cashOut's is its `transId`.",
  "1000000042",
);

const accountZone = stringField("The account's IANA time zone: that of these times.", "Asia/Kuala_Lumpur");

export const transaction = object("A transaction of a terminal's journal.", {
  requestId,
  posId,
  referenceId: boundedField(TRANSFER_LENGTHS.referenceId, "The POS's own reference.", "20261120-0042"),
  transType: z
    .enum(TRANSACTION_TYPES)
    .nullable()
    .meta({ description: "Null for a reference that was cancelled or asked about before its request arrived." }),
  transAmt: amount.nullable().meta({ description: "The amount, or null.", examples: ["12.50"] }),
  cashAmt: amount.nullable().meta({ description: "The cash to pay out, or null.", examples: ["50.00"] }),
  currency,
  timezone: accountZone,
  ...journalMembers(),
  outcome: outcome.nullable(),
  completedBy: z
    .enum(["terminal", "gateway", "operator"])
    .nullable()
    .meta({ description: "Who completed it; null if nobody has." }),
  resolvedBy: stringField("The operator who resolved it, or null.", "anna").nullable(),
  receivedAt: timeField("When its request arrived."),
  completedAt: timeField("When it was completed, or null.").nullable(),
});

export const transactionPage = object("The terminal's journal, newest first.", {
  data: z.array(transaction),
  next,
  orphanResults: z.array(keptEntry("UTC").extend({ requestId })).meta({
    description:
      "Signed results about requests that the journal does not have, or that were never sent, newest first: at most " +
      `${OPEN_REQUESTS.toLocaleString("en")}, for 400 days, on the first page only. Compare a \`00\` with the acquirer's statement.`,
  }),
});

export const foundTransaction = object("A transaction and its terminal.", { terminalId, transaction });

export const foundPayment = object("A payment that a search has found.", {
  requestId,
  posId,
  terminalId,
  shopName: boundedField(NAME_LENGTH, "The name of the account's shop; null if it has none.", "Corner shop").nullable(),
  referenceId: transaction.shape.referenceId,
  transType: z.enum(TRANSACTION_TYPES).meta({ description: "Its type.", examples: ["sale"] }),
  statusCode,
  responseCode: outcome.shape.responseCode.nullable(),
  conflict: z.boolean().meta({
    description: "Whether a terminal contradicts this status, and nobody has closed its conflicting result.",
    examples: [false],
  }),
  transAmt: transaction.shape.transAmt,
  cashAmt: transaction.shape.cashAmt,
  currency,
  cardLastFour: patternField(
    LAST_FOUR,
    "The last four digits of the card number; null if it has none.",
    "1234",
  ).nullable(),
  receivedAt: timeField("When its request arrived.", "UTC"),
  completedAt: timeField("When it was completed, or null.", "UTC").nullable(),
});

export const foundPayments = object("Payments of all accounts, as far as the search covers them.", {
  data: z.array(foundPayment).meta({ description: "Newest first." }),
  covered: object("What the search has covered. All other payments may exist and be missing.", {
    from: timeField("Nothing before this time was searched.", "UTC"),
    to: timeField("Nothing from this time on was searched.", "UTC"),
    completeUntil: timeField(
      "Payments after this time may be missing: the database may not have them yet, and not every account was asked.",
      "UTC",
    ),
    cut: z.boolean().meta({
      description:
        "true: a limit was reached, so `from` is later than was asked for, and earlier payments may be missing. Narrow the search.",
      examples: [false],
    }),
    notCovered: z.array(posId).meta({
      description: "Accounts that did not answer, or have too many payments a day. Ask for each by `posId`.",
      examples: [[]],
    }),
  }),
});

export const pendingTransaction = object(
  "A transaction that is `22`, or that is completed and contradicted by its terminal.",
  {
    requestId: patternField(TRANSACTION_NUMBER, "The transaction's number of ten digits.", "1000000042"),
    posId,
    terminalId,
    shopName: boundedField(
      NAME_LENGTH,
      "The name of the account's shop; null if it has none.",
      "Corner shop",
    ).nullable(),
    referenceId: boundedField(TRANSFER_LENGTHS.referenceId, "The POS's own reference.", "20261120-0042"),
    transType: z.enum(TRANSACTION_TYPES).meta({ description: "The type of the transaction.", examples: ["sale"] }),
    responseCode: boundedField(
      RESULT_LENGTHS.responseCode,
      "Its code: why its outcome is unknown, or of its outcome.",
      "TERMINAL_TIMEOUT",
    ),
    responseText: boundedField(
      RESULT_LENGTHS.responseText,
      "The same in a sentence.",
      "The terminal did not answer in time.",
    ).nullable(),
    transAmt: amount.nullable().meta({ description: "The amount; null if it is unknown.", examples: ["12.50"] }),
    cashAmt: amount.nullable().meta({ description: "The cash to pay out, or null.", examples: [null] }),
    currency,
    timezone: accountZone,
    receivedAt: timeField("When its request arrived."),
    conflict: z
      .object({
        statusCode: statusCode.meta({ description: "The recorded status, which stays." }),
        completedBy: z
          .enum(["terminal", "gateway", "operator"])
          .nullable()
          .meta({ description: "Who completed it so." }),
        reportedAt: timeField("When the terminal contradicted it, last."),
        reported: reportedResult,
      })
      .nullable()
      .meta({ description: "The terminal's conflicting result, or null: the transaction is `22`." }),
  },
);

export const pendingPage = pageSchema(
  pendingTransaction,
  "Transactions that are `22` or contradicted now, oldest first.",
);

export type FoundTransaction = z.infer<typeof foundTransaction>;
export type FoundPayment = z.infer<typeof foundPayment>;
export type FoundPayments = z.infer<typeof foundPayments>;
export type TransactionAnswer = z.infer<typeof transaction>;
export type TransactionPage = z.infer<typeof transactionPage>;
export type PendingTransaction = z.infer<typeof pendingTransaction>;
export type PendingPage = z.infer<typeof pendingPage>;
