/** An account's records, in one order (I7), as lists and events show them. */
import * as z from "zod";
import { DETAIL_LENGTHS, HOST_LENGTH, RESULT_LENGTHS, TRANSFER_LENGTHS } from "../lengths.ts";
import { PAYMENT_METHODS } from "../payment-methods.ts";
import { TRANSACTION_NUMBER } from "../transactions.ts";
import { TRANSACTION_TYPES } from "../transfer-types.ts";
import {
  countField,
  currency,
  DAY_PATTERN,
  merchantId,
  object,
  patternField,
  terminalId,
  timeField,
  boundedField,
} from "./fields.ts";
import { dayTotals } from "./totals.ts";
import { amount, statusCode } from "./transfers.ts";

const requestId = patternField(
  TRANSACTION_NUMBER,
  "Its number of ten digits; a sale's or cashOut's is its `transId`.",
  "1000000042",
);

const referenceId = boundedField(TRANSFER_LENGTHS.referenceId, "The POS's own reference.", "20261120-0042");

/** null if the result has no such member. */
function reported(name: keyof typeof DETAIL_LENGTHS, description: string, example: string) {
  return boundedField(DETAIL_LENGTHS[name], `${description} Null if the result has none.`, example).nullable();
}

export const voidedBy = object("The void that reversed a payment.", {
  requestId: patternField(TRANSACTION_NUMBER, "The number of the void.", "1000000043"),
  referenceId: boundedField(TRANSFER_LENGTHS.referenceId, "The reference of the void.", "20261120-0043"),
});

export const accountTransaction = object("A transaction of the account. It is not signed.", {
  requestId,
  transType: z.enum(TRANSACTION_TYPES).meta({ description: "Its type." }),
  deviceId: terminalId,
  merchantId,
  referenceId,
  statusCode,
  responseCode: boundedField(RESULT_LENGTHS.responseCode, "The channel's own code, or one of the gateway's.", "00"),
  responseText: boundedField(
    RESULT_LENGTHS.responseText,
    "A sentence for people; null if the terminal sent none.",
    "Approved",
  ).nullable(),
  completedBy: z
    .enum(["terminal", "gateway", "operator"])
    .nullable()
    .meta({ description: "Who completed it; null while it is `22`." }),
  receivedAt: timeField("When the gateway received it."),
  completedAt: timeField("When it became `00` or `11`; null while it is `22`.").nullable(),
  day: patternField(
    DAY_PATTERN,
    "The business day that it counts for; null while it is `22`.",
    "2026-11-20",
  ).nullable(),
  transAmt: amount.nullable().meta({
    description: "The amount; for a void, that of the voided transaction; null if that is unknown.",
    examples: ["12.50"],
  }),
  cashAmt: amount.nullable().meta({ description: "The cash to pay out, or null.", examples: ["50.00"] }),
  currency,
  paymentMethod: z.enum(PAYMENT_METHODS).nullable().meta({ description: "As in the request, or null." }),
  paymentChannel: boundedField(
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
  transId: patternField(
    TRANSACTION_NUMBER,
    "For a void: the `transId` of the transaction that it reverses; otherwise null.",
    "1000000042",
  ).nullable(),
  voidedBy: voidedBy.nullable().meta({ description: "The void that reversed it; null if there is none." }),
});

const common = {
  id: patternField(/^evt_[A-Za-z0-9._-]{1,24}_[1-9][0-9]*$/, "`evt_`, the account, and the number.", "evt_POS-0001_42"),
  number: z
    .int()
    .min(1)
    .meta({ description: "Counts 1, 2, 3 … per account, without gaps, in the order recorded.", examples: [42] }),
  timestamp: timeField("When it was recorded."),
};

export const transactionEvent = object("The outcome of a transaction.", {
  ...common,
  type: z.enum(["transaction.pending", "transaction.completed", "transaction.updated"]).meta({
    description:
      "`transaction.pending`: it is pending (`22`). `transaction.completed`: it is `00` or `11`, permanently. " +
      "`transaction.updated`: something else has changed, for example it was voided.",
  }),
  data: accountTransaction,
});

const amountSaid = (name: string) =>
  boundedField(32, `Its \`${name}\`, as the terminal wrote it; null if it has none.`, "12.50").nullable();

export const reportedResult = object("What the terminal reported.", {
  statusCode,
  responseCode: boundedField(RESULT_LENGTHS.responseCode, "Its code.", "00"),
  responseText: boundedField(RESULT_LENGTHS.responseText, "Its sentence; null if it has none.", "Approved").nullable(),
  transAmt: amountSaid("transAmt"),
  cashAmt: amountSaid("cashAmt"),
  currency: amountSaid("currency"),
});

export const transactionConflictEvent = object(
  "A transaction may have ended otherwise than recorded. The operator finds out.",
  {
    ...common,
    type: z.literal("transaction.conflict").meta({
      description: "A terminal's signed result contradicts a transaction that is `00` or `11`. Do not book it.",
    }),
    data: object("The transaction, and what the terminal reported.", {
      transaction: accountTransaction
        .pick({
          requestId: true,
          transType: true,
          deviceId: true,
          referenceId: true,
          statusCode: true,
          responseCode: true,
          completedBy: true,
          transAmt: true,
          cashAmt: true,
          currency: true,
        })
        .meta({ description: "The transaction as it was completed, and stays." }),
      reportedAt: timeField("When the terminal reported it."),
      reported: reportedResult,
    }),
  },
);

export const dayClosedEvent = object("The totals of a business day. They never change.", {
  ...common,
  type: z.literal("day.closed").meta({ description: "A business day is over." }),
  data: dayTotals,
});

export const webhookDisabledEvent = object("A webhook was disabled, but not by its account.", {
  ...common,
  type: z.literal("webhook.disabled").meta({ description: "A webhook gets no more events until it is enabled again." }),
  data: object("The webhook and the reason.", {
    webhookId: patternField(/^wh_[1-9][0-9]*$/, "The webhook.", "wh_1"),
    host: boundedField(HOST_LENGTH, "Its host.", "books.example.com"),
    disabledBy: z.enum(["failing", "gone", "operator"]).meta({
      description: "It failed for three days, it returned 410, or the operator disabled it.",
    }),
    cursor: countField(
      "The last event that it has received. When it is enabled again, it continues after this one.",
      40,
    ),
  }),
});

export const terminalUnboundEvent = object("A terminal was unbound.", {
  ...common,
  type: z.literal("terminal.unbound").meta({ description: "The account has lost a terminal." }),
  data: object("The terminal, and who unbound it.", {
    terminalId,
    unboundBy: z.enum(["account", "operator", "terminal"]).meta({
      description: "A call of the account, the operator, or the terminal, which bound itself to another account.",
    }),
  }),
});

export const prebindReplacedEvent = object("The prebind list was replaced.", {
  ...common,
  type: z.literal("prebind.replaced").meta({ description: "A call of the account replaces its prebind list." }),
  data: object("The list. It is not in force if the call returned 500: `GET /api/prebind-terminals` shows it.", {
    uniqueIds: z.array(z.string()).meta({ description: "The new list.", examples: [["T-1001"]] }),
  }),
});

/** By their names in the OpenAPI document. The types of a transaction's outcome share one. */
export const EVENTS = {
  TransactionEvent: transactionEvent,
  TransactionConflictEvent: transactionConflictEvent,
  DayClosedEvent: dayClosedEvent,
  WebhookDisabledEvent: webhookDisabledEvent,
  TerminalUnboundEvent: terminalUnboundEvent,
  PrebindReplacedEvent: prebindReplacedEvent,
};

type Schema = (typeof EVENTS)[keyof typeof EVENTS];

export const event = z.discriminatedUnion("type", Object.values(EVENTS) as [Schema, ...Schema[]]).meta({
  description: "A record of the account. Ignore types that you do not know.",
});

export const eventPage = object("Events after a number.", {
  data: z.array(event).meta({ description: "The events in order." }),
  next: countField("Send it as `after` to get the next events.", 42),
  skipped: countField(
    "How many numbers are missing between `after` and `next`: their events were deleted after 400 days. Absent if none is.",
    12_000,
  ).optional(),
});
