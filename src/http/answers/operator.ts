/** What an operator is answered. Types only for the Worker. */
import * as z from "zod";
import { AUDIT_ACTIONS } from "../../storage/audit-actions.ts";
import { RESULT_LENGTHS } from "../../terminal/result-check.ts";
import { amount, statusCode, transactionDetails } from "../../transfer/answers.ts";
import { count, named, NUMBER, shaped, upTo } from "../../validation/described.ts";
import {
  MERCHANT_ID_LENGTH,
  NAME_LENGTH,
  POS_ID_LENGTH,
  TERMINAL_ID_LENGTH,
  TRANSFER_LENGTHS,
} from "../../validation/fields.ts";
import { channel } from "./account.ts";
import { connection, currency, isVT, merchantId, posId, terminalId, time, timezone } from "./fields.ts";

const next = z
  .string()
  .max(TERMINAL_ID_LENGTH)
  .nullable()
  .meta({ description: "The `cursor` of the next page; null on the last one.", examples: [null] });

const createdAt = time("When it was made.", "UTC");

/** A key or a secret, as it is handed over. */
function shownOnce(what: string): z.ZodString {
  return shaped(
    /^[A-Za-z0-9_-]{43}$/,
    `${what}: 32 random bytes in base64url. Shown here, once, and never again.`,
    "c2hvd24gb25jZSwgaGVyZSBhbmQgbmV2ZXIgYWdhaW4",
  );
}

export const account = z
  .object({
    posId,
    merchantId,
    currency,
    timezone,
    name: upTo(NAME_LENGTH, "The operator's own name for it, or null.", "Corner shop, till 1").nullable(),
    status: z
      .enum(["active", "suspended", "deleted"])
      .meta({ description: "A deleted account stays in the list; its posId is never given again." }),
    createdAt,
  })
  .meta({ description: "An account of a point of sale." });

export const accountWithKey = z
  .object({
    ...account.shape,
    signingKey: shownOnce("The key that signs the account's transfers"),
  })
  .meta({ description: "A new account, with its signing key." });

export const accountPage = z
  .object({ data: z.array(account), next })
  .meta({ description: "Accounts, by their posIds." });

export const signingKey = z
  .object({
    posId,
    signingKey: accountWithKey.shape.signingKey,
    previousValidUntil: time("Until when the key before is still taken; null where it is not.", "UTC").nullable(),
  })
  .meta({ description: "A new signing key." });

export const terminal = z
  .object({
    terminalId,
    isVT,
    merchantId: upTo(
      MERCHANT_ID_LENGTH,
      "The merchant that the operator assigned it to, or null.",
      "M-1001",
    ).nullable(),
    name: upTo(NAME_LENGTH, "The operator's own name for it, or null.", "Counter 3").nullable(),
    status: z.enum(["enrolled", "retired"]).meta({ description: "A retired terminal stays in the list, for good." }),
    posId: upTo(POS_ID_LENGTH, "The account that it is bound to, or null.", "POS-1001").nullable(),
    connected: z.boolean().meta({ description: "Whether it is connected now." }),
    createdAt,
  })
  .meta({ description: "A terminal." });

const secret = shownOnce("The terminal's secret");

export const terminalWithSecret = z
  .object({ ...terminal.shape, secret })
  .meta({ description: "A new terminal, with its secret." });

export const terminalPage = z
  .object({ data: z.array(terminal), next })
  .meta({ description: "Terminals, by their ids, retired ones included." });

export const terminalDetails = z
  .object({
    ...terminal.shape,
    ...connection("UTC"),
  })
  .meta({ description: "A terminal, with what is known of its connection." });

export const terminalSecret = z.object({ terminalId, secret }).meta({ description: "A terminal's new secret." });

export const channelPage = z
  .object({ data: z.array(channel), next })
  .meta({ description: "All channels, on one page." });

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

const kept = z.array(
  z.object({
    at: time("When it came.", "UTC"),
    report: z.looseObject({}).meta({ description: "The report, as it would have been shown, with what it `named`." }),
  }),
);

export const transaction = z
  .object({
    requestId: shaped(
      NUMBER,
      "The transaction's number of ten digits; a sale's or cashOut's is its `transId`.",
      "1000000042",
    ),
    posId,
    referenceId: upTo(TRANSFER_LENGTHS.referenceId, "The POS's own reference.", "20261120-0042"),
    transType: z
      .enum(["sale", "cashOut", "void"])
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
    receivedAt: time("When its request arrived.", "UTC"),
    endsAt: time("When its request ends, or ended.", "UTC"),
    settledAt: time("When it was settled, else null.", "UTC").nullable(),
    stages: z
      .array(
        z.object({
          stage: named(
            "received, sent, accepted, pending, settled, or a stage of the terminal's own progress.",
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
  .object({ data: z.array(transaction), next })
  .meta({ description: "The terminal's journal, newest first." });

export const auditEntry = z
  .object({
    id: z
      .int()
      .min(1)
      .meta({ description: "Counts up.", examples: [42] }),
    at: time("When it was done.", "UTC"),
    actor: named("An operator's name, `account:` and a posId, or `terminal:` and a terminalId.", "alice"),
    action: z.enum(AUDIT_ACTIONS).meta({ description: "What was done." }),
    target: named("A posId, a terminalId, a channel's name or the id of a master key.", "T-1001"),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
      .meta({ description: "What the change was, without any secret." }),
  })
  .meta({ description: "A change." });

export const auditPage = z.object({ data: z.array(auditEntry), next }).meta({ description: "Changes, newest first." });

const counts = z.object({
  accounts: count("Accounts.", 100),
  terminals: count("Terminals.", 100),
});

export const reseal = z
  .object({
    current: named("The id of the current master key.", "2026-11"),
    resealed: counts.meta({ description: "What this call has sealed anew." }),
    failed: counts.meta({ description: "What it could not seal anew; call again." }),
    left: z
      .array(
        z.object({
          kid: named("The id of an older master key.", "2025-11"),
          ...counts.shape,
          sessions: count("Open sessions whose tokens it signed; over by midnight.", 3),
          bindKeys: count("Bind keys that are stored under it; over in minutes.", 1),
        }),
      )
      .meta({ description: "What still needs an older key." }),
    droppable: z
      .array(z.string())
      .meta({ description: "Older keys that nothing needs any more: take them out of `MASTER_KEYS`." }),
  })
  .meta({ description: "What was moved to the current master key, and what is left." });

export type AccountAnswer = z.infer<typeof account>;
export type AccountWithKey = z.infer<typeof accountWithKey>;
export type AccountPage = z.infer<typeof accountPage>;
export type SigningKeyAnswer = z.infer<typeof signingKey>;
export type TerminalAnswer = z.infer<typeof terminal>;
export type TerminalWithSecret = z.infer<typeof terminalWithSecret>;
export type TerminalPage = z.infer<typeof terminalPage>;
export type OperatorTerminalDetails = z.infer<typeof terminalDetails>;
export type TerminalSecret = z.infer<typeof terminalSecret>;
export type ChannelPage = z.infer<typeof channelPage>;
export type TransactionAnswer = z.infer<typeof transaction>;
export type TransactionPage = z.infer<typeof transactionPage>;
export type AuditAnswer = z.infer<typeof auditEntry>;
export type AuditPage = z.infer<typeof auditPage>;
export type ResealAnswer = z.infer<typeof reseal>;
