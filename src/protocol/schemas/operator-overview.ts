import * as z from "zod";
import { HOST_LENGTH, NAME_LENGTH } from "../lengths.ts";
import { incident } from "./incidents.ts";
import { countField, currency, merchantId, object, posId, patternField, timeField, boundedField } from "./fields.ts";
import { disabledBy, webhookId } from "./webhooks.ts";
import { figures, hourFigures, responseCodeCount } from "./operator-statistics.ts";

const SUM = /^(?:0|[1-9][0-9]{0,14})\.[0-9]{2}$/;

const shop = z.object({
  merchantId: merchantId.nullable().meta({ description: "The merchant; null: terminals without one." }),
  shopName: boundedField(NAME_LENGTH, "The name of the shop; null if it has none.", "Corner shop").nullable(),
  terminals: countField("Its terminals that are offline.", 2),
  since: timeField("When the first of them went offline.", "UTC"),
  latest: timeField("When the last of them did.", "UTC"),
  allOffline: z
    .boolean()
    .meta({ description: "Whether the merchant has no connected terminal; false for terminals without a merchant." }),
});

const moneyOpen = (description: string, oldest: string) =>
  object(description, {
    count: countField("The number of transactions.", 2),
    oldest: timeField(`${oldest}; null: there is none.`, "UTC").nullable(),
    amounts: z
      .array(
        z.object({
          currency,
          count: countField("The number of transactions.", 2),
          transAmt: patternField(
            SUM,
            "What cards may have been charged, with the cash of cashOuts; unknown amounts are omitted.",
            "58.90",
          ),
        }),
      )
      .meta({ description: "The money at risk, by currency." }),
  });

const more = z.boolean().meta({ description: "Whether there are further ones, which are not counted here." });

export const overview = object("The service at this moment.", {
  at: timeField("The time of these figures.", "UTC"),
  incidents: z
    .array(incident)
    .meta({ description: "Everything that somebody must look at now, the worst first. Empty: nothing is broken." }),
  terminals: object("Terminals.", {
    enrolled: countField("Terminals that are not retired.", 532),
    bound: countField("Those of them that are bound to an account.", 530),
    connected: countField(
      "Those of them that are connected: a connection is open and was active within 70 seconds.",
      517,
    ),
  }),
  offline: object("Terminals that are offline.", {
    terminals: countField("Terminals that were connected before and are not now.", 13),
    shops: z.array(shop).meta({ description: "The same by shop, those offline the longest first." }),
    more,
  }),
  conflict: moneyOpen(
    "Completed transactions whose terminals contradict the recorded outcome: a customer may have been charged for an `11`.",
    "When the oldest was contradicted",
  ),
  pending: moneyOpen("All transactions that are `22` now.", "When the oldest of them was received"),
  accounts: object("The same by account.", {
    open: z
      .array(
        z.object({
          posId,
          conflict: countField("Its completed transactions that are contradicted.", 1),
          pending: countField("Its transactions that are `22`.", 1),
          oldestConflict: timeField("When the oldest was contradicted; null: there is none.", "UTC").nullable(),
          oldestPending: timeField("When the oldest `22` was received; null: there is none.", "UTC").nullable(),
        }),
      )
      .meta({
        description: "One entry for each account, those with contradicted transactions first, then the oldest.",
      }),
    more,
  }),
  webhooks: object("Webhook endpoints that need attention.", {
    disabled: countField("Endpoints that are disabled, except by their account.", 1),
    behind: countField("Enabled endpoints to which deliveries fail.", 1),
    endpoints: z
      .array(
        z.object({
          posId,
          webhookId,
          host: boundedField(HOST_LENGTH, "Its host.", "books.example.com"),
          disabledBy,
          since: timeField("Since when.", "UTC"),
        }),
      )
      .meta({ description: "These endpoints, the oldest problem first." }),
    more,
  }),
  outbox: object("What the database has refused from objects, which deliver it again: nothing, if all is well.", {
    objects: countField("The objects that have such a change.", 0),
    entries: countField("The changes that they have not delivered.", 0),
    oldest: timeField("The oldest change that the lists lack; null if none is known.", "UTC").nullable(),
  }),
  lastDay: figures.meta({ description: "The current hour and the 23 before." }),
  dayBefore: figures
    .pick({ transactions: true, turnover: true, approvalRate: true })
    .meta({ description: "The 24 hours before these." }),
  hours: z
    .array(hourFigures)
    .meta({ description: "These 24 hours, oldest first, those without a transaction included." }),
  notApproved: z
    .array(responseCodeCount)
    .meta({ description: "Why transactions of these hours are `11`, the most frequent first." }),
});

export type Overview = z.infer<typeof overview>;
