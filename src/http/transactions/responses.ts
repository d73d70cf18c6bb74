import * as z from "zod";
import type { AccountTransaction } from "../../protocol/events.ts";
import { RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { transactionDetails } from "../../protocol/schemas/transfers.ts";
import { upTo } from "../../protocol/schemas/fields.ts";
import { next } from "../operator/responses.ts";
import { accountTransaction } from "../../protocol/schemas/events.ts";
import { EVENT_EXAMPLES } from "../events/examples.ts";
import { journalMembers } from "./journal-members.ts";

export const transactionList = z.object({ data: z.array(accountTransaction), next }).meta({
  description: "Transactions, newest first. A page may be short, or empty, and still have a `next`.",
  examples: [{ data: [EVENT_EXAMPLES["transaction.completed"].data], next: "1041" }],
});

export const wholeTransaction = z
  .object({
    ...accountTransaction.shape,
    ...journalMembers("the account's time zone"),
    softwareVersion: upTo(RESULT_LENGTHS.softwareVersion, "The terminal's, as last reported.", "2.4.1"),
    terminalSn: upTo(RESULT_LENGTHS.terminalSn, "The terminal's serial number, as last reported.", "SN-20417"),
    transData: transactionDetails
      .nullable()
      .meta({ description: "The details in the till's answer; null if there are none." }),
  })
  .meta({ description: "Everything that the gateway knows about a transaction." });

export type TransactionList = Omit<z.infer<typeof transactionList>, "data"> & { data: AccountTransaction[] };
export type WholeTransaction = AccountTransaction & Omit<z.infer<typeof wholeTransaction>, keyof AccountTransaction>;
