/** Events as they are delivered. Types only for the Worker: this file is not in its bundle. */
import * as z from "zod";
import type {
  AccountEvent,
  DayClosedEvent,
  PrebindReplacedEvent,
  TerminalUnboundEvent,
  TransactionEvent,
  WebhookDisabledEvent,
} from "../../protocol/events.ts";
import { HOST_LENGTH } from "../../protocol/lengths.ts";
import { count, shaped, upTo } from "../../validation/described.ts";
import { terminalId, time } from "../openapi/fields.ts";
import { dayTotals } from "../openapi/totals.ts";
import { accountTransaction } from "../openapi/transaction.ts";

const common = {
  id: shaped(/^evt_[A-Za-z0-9._-]{1,24}_[1-9][0-9]*$/, "`evt_`, the account, and the number.", "evt_POS-0001_42"),
  number: z
    .int()
    .min(1)
    .meta({ description: "Counts 1, 2, 3 … per account, without gaps, in the order recorded.", examples: [42] }),
  timestamp: time("When it was recorded.", "the account's time zone"),
};

const transactionEvent = z
  .object({
    ...common,
    type: z.enum(["transaction.pending", "transaction.completed", "transaction.updated"]).meta({
      description:
        "`transaction.pending`: it is `22`. `transaction.completed`: it is `00` or `11`, permanently. " +
        "`transaction.updated`: something else has changed, for example it was voided.",
    }),
    data: accountTransaction,
  })
  .meta({ description: "The outcome of a transaction." }) satisfies z.ZodType<TransactionEvent>;

const dayClosedEvent = z
  .object({
    ...common,
    type: z.literal("day.closed").meta({ description: "A business day is over." }),
    data: dayTotals,
  })
  .meta({ description: "The totals of a business day. They never change." }) satisfies z.ZodType<DayClosedEvent>;

const webhookDisabledEvent = z
  .object({
    ...common,
    type: z
      .literal("webhook.disabled")
      .meta({ description: "A webhook gets no more events until it is enabled again." }),
    data: z
      .object({
        webhookId: shaped(/^wh_[1-9][0-9]*$/, "The webhook.", "wh_1"),
        host: upTo(HOST_LENGTH, "Its host.", "books.example.com"),
        disabledBy: z.enum(["failing", "gone", "operator"]).meta({
          description: "It failed for three days, it answered 410, or the operator disabled it.",
        }),
        cursor: count(
          "The last event that it has received. When it is enabled again, it continues after this one.",
          40,
        ),
      })
      .meta({ description: "The webhook and the reason." }),
  })
  .meta({ description: "A webhook was disabled, but not by its account." }) satisfies z.ZodType<WebhookDisabledEvent>;

const terminalUnboundEvent = z
  .object({
    ...common,
    type: z.literal("terminal.unbound").meta({ description: "The account has lost a terminal." }),
    data: z
      .object({
        terminalId,
        unboundBy: z.enum(["account", "operator", "terminal"]).meta({
          description: "A call of the account, the operator, or the terminal, which bound itself to another account.",
        }),
      })
      .meta({ description: "The terminal, and who unbound it." }),
  })
  .meta({ description: "A terminal was unbound." }) satisfies z.ZodType<TerminalUnboundEvent>;

const prebindReplacedEvent = z
  .object({
    ...common,
    type: z.literal("prebind.replaced").meta({ description: "A call of the account replaces its prebind list." }),
    data: z
      .object({ uniqueIds: z.array(z.string()).meta({ description: "The new list.", examples: [["T-1001"]] }) })
      .meta({
        description: "The list. It is not in force if the call returned 500: `GET /api/prebind-terminals` shows it.",
      }),
  })
  .meta({ description: "The prebind list was replaced." }) satisfies z.ZodType<PrebindReplacedEvent>;

/** The events under their names in the OpenAPI document. All types but a transaction's have a name of their own. */
export const EVENTS = {
  TransactionEvent: transactionEvent,
  DayClosedEvent: dayClosedEvent,
  WebhookDisabledEvent: webhookDisabledEvent,
  TerminalUnboundEvent: terminalUnboundEvent,
  PrebindReplacedEvent: prebindReplacedEvent,
};

type Schema = (typeof EVENTS)[keyof typeof EVENTS];

export const event = z.discriminatedUnion("type", Object.values(EVENTS) as [Schema, ...Schema[]]).meta({
  description: "A record of the account. Ignore types that you do not know.",
}) satisfies z.ZodType<AccountEvent>;

export const eventPage = z
  .object({
    data: z.array(event).meta({ description: "The events in order." }),
    next: count("Send it as `after` to get the next events.", 42),
    skipped: count(
      "How many numbers are missing between `after` and `next`: their events were deleted after 400 days. Absent if none is.",
      12_000,
    ).optional(),
  })
  .meta({ description: "Events after a number." });
