import * as z from "zod";
import { RESULT_LENGTHS } from "../lengths.ts";
import { accountTransaction } from "./events.ts";
import { countField, stringField, object, timeField, boundedField, type Zone } from "./fields.ts";
import { transactionDetails } from "./transfers.ts";
import { EVENT_EXAMPLES } from "./event-examples.ts";
import { next } from "./operator.ts";

export function keptEntry(zone?: Zone) {
  return z.object({
    at: timeField("When it arrived.", zone),
    report: z
      .looseObject({})
      .meta({ description: "What the terminal reported, card data masked, with the amounts that it `named`." }),
  });
}

export function journalMembers(zone?: Zone) {
  const kept = z.array(keptEntry(zone));
  return {
    state: z.enum(["queued", "sent", "accepted", "pending", "completed"]).meta({
      description:
        "queued: waits for the terminal. sent: in transit. accepted: the terminal has it. pending: pending, and " +
        "only a report of the terminal or the operator completes it. completed: final.",
    }),
    pendingReason: z
      .enum(["reported", "other-memory", "forgotten", "mismatch"])
      .nullable()
      .meta({
        description:
          "Why it is pending, otherwise null. reported: the terminal reported 22. other-memory: a terminal with another memory came " +
          "back. forgotten: the terminal accepted it, but no longer has it. mismatch: the result names another amount or " +
          "currency, or was signed with a secret that is newer than the transaction.",
      }),
    attempt: countField("How often it was sent to the terminal.", 1),
    cancelled: z.boolean().meta({ description: "Whether a cancel was requested." }),
    endsAt: timeField("When its request ends.", zone),
    stages: z
      .array(
        z.object({
          stage: stringField(
            "received, queued, sent, accepted, pending, completed, or a stage of the terminal's own progress.",
            "authorising",
          ),
          at: timeField("When it was reached.", zone),
        }),
      )
      .meta({ description: "Its stages." }),
    conflicts: kept.meta({ description: "Results with another status that arrived after it was completed." }),
    evidence: kept.meta({ description: "Results with another amount or currency than the request." }),
  };
}

export const accountTransactionList = z.object({ data: z.array(accountTransaction), next }).meta({
  description: "Transactions, newest first. A page may be short, or empty, and still have a `next`.",
  examples: [{ data: [EVENT_EXAMPLES["transaction.completed"].data], next: "1041" }],
});

export const wholeTransaction = object("Everything that the gateway knows about a transaction.", {
  ...accountTransaction.shape,
  ...journalMembers(),
  softwareVersion: boundedField(RESULT_LENGTHS.softwareVersion, "The terminal's, as last reported.", "2.4.1"),
  terminalSn: boundedField(RESULT_LENGTHS.terminalSn, "The terminal's serial number, as last reported.", "SN-20417"),
  transData: transactionDetails
    .nullable()
    .meta({ description: "The details in the POS's response; null if there are none." }),
});

export type TransactionList = z.infer<typeof accountTransactionList>;
export type WholeTransaction = z.infer<typeof wholeTransaction>;
