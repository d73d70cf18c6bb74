import { TRANSACTION_TYPES } from "../../../protocol/transfer-types.ts";
import * as z from "zod";
import { RESULT_LENGTHS } from "../../../protocol/lengths.ts";
import { amount, statusCode, transactionDetails } from "../../../transfer/responses.ts";
import { count, named, shaped, upTo } from "../../../validation/described.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";
import { TRANSFER_LENGTHS } from "../../../protocol/lengths.ts";
import { currency, posId, terminalId, time } from "../../openapi/fields.ts";
import { next } from "../responses.ts";

const outcome = z
  .object({
    statusCode,
    responseCode: upTo(RESULT_LENGTHS.responseCode, "The terminal's own code, or one of the gateway's.", "00"),
    responseText: upTo(RESULT_LENGTHS.responseText, "What happened, in a sentence.", "Approved").optional(),
    softwareVersion: upTo(RESULT_LENGTHS.softwareVersion, "The terminal's, as last reported.", "2.4.1"),
    terminalSn: upTo(RESULT_LENGTHS.terminalSn, "The terminal's serial number, as last reported.", "SN-20417"),
    transData: transactionDetails.optional(),
  })
  .meta({ description: "How the transaction ended, or stands." });

const keptEntry = z.object({
  at: time("When it came.", "UTC"),
  report: z.looseObject({}).meta({ description: "The report, as it would have been shown, with what it `named`." }),
});

const kept = z.array(keptEntry);

const requestId = shaped(
  TRANSACTION_NUMBER,
  "The transaction's number of ten digits; a sale's or cashOut's is its `transId`.",
  "1000000042",
);

export const transaction = z
  .object({
    requestId,
    posId,
    referenceId: upTo(TRANSFER_LENGTHS.referenceId, "The POS's own reference.", "20261120-0042"),
    transType: z
      .enum(TRANSACTION_TYPES)
      .nullable()
      .meta({ description: "null: a reference that was cancelled or asked about before its request arrived." }),
    transAmt: amount.nullable().meta({ description: "The amount, or null.", examples: ["12.50"] }),
    cashAmt: amount.nullable().meta({ description: "The cash handed out, or null.", examples: ["50.00"] }),
    currency,
    state: z.enum(["queued", "sent", "accepted", "pending", "settled"]).meta({
      description:
        "queued: waits for the terminal. sent: on its way. accepted: the terminal has it. pending: not known yet, and " +
        "only a report of the terminal or the operator ends it. settled: final.",
    }),
    pendingReason: z
      .enum(["reported", "other-memory", "forgotten", "contradiction"])
      .nullable()
      .meta({
        description:
          "Why it is pending, else null. reported: the terminal said 22. other-memory: a terminal with another memory came " +
          "back. forgotten: the terminal accepted it and has lost it. contradiction: the result names another amount or " +
          "currency.",
      }),
    attempt: count("How often it was sent to the terminal.", 1),
    cancelled: z.boolean().meta({ description: "Whether somebody wished to cancel it." }),
    outcome: outcome.nullable(),
    settledBy: z
      .enum(["terminal", "gateway", "operator"])
      .nullable()
      .meta({ description: "Who settled it, else null." }),
    resolvedBy: named("The name of the operator who resolved it, else null.", "anna").nullable(),
    receivedAt: time("When its request arrived.", "UTC"),
    endsAt: time("When its request ends, or ended.", "UTC"),
    settledAt: time("When it was settled, else null.", "UTC").nullable(),
    stages: z
      .array(
        z.object({
          stage: named(
            "received, queued, sent, accepted, pending, settled, or a stage of the terminal's own progress.",
            "authorising",
          ),
          at: time("When it was reached.", "UTC"),
        }),
      )
      .meta({ description: "The stages that it went through." }),
    conflicts: kept.meta({ description: "Results that came after it was settled, with another status." }),
    evidence: kept.meta({ description: "Results that named another amount or currency than was asked for." }),
  })
  .meta({ description: "A transaction of a terminal's journal." });

export const transactionPage = z
  .object({
    data: z.array(transaction),
    next,
    strayResults: z.array(keptEntry.extend({ requestId })).meta({
      description:
        "Signed results about requests that the journal does not have, or that were never sent, newest first: the first 100, " +
        "for 400 days, on the first page only. Compare a `00` with the acquirer's statement.",
    }),
  })
  .meta({ description: "The terminal's journal, newest first." });

export const foundTransaction = z
  .object({ terminalId, transaction })
  .meta({ description: "A transaction, and the terminal whose journal it is in." });

export type FoundTransaction = z.infer<typeof foundTransaction>;
export type TransactionAnswer = z.infer<typeof transaction>;
export type TransactionPage = z.infer<typeof transactionPage>;
