/** What operators must look at, their own webhooks, and what these get. */
import * as z from "zod";
import { ALERT_MINUTES, ALERT_TYPES, type AlertType, DEFAULT_ALERTS, ENDED } from "../alerts.ts";
import { AUDIT_NAME_LENGTH, RESULT_LENGTHS, TERMINAL_ID_LENGTH } from "../lengths.ts";
import { merchantId, named, object, posId, shaped, time, upTo } from "./fields.ts";
import { webhook, webhookWithSecret } from "./webhooks.ts";

export const matter = object("Something that somebody must look at.", {
  kind: z.enum(["contrary", "unresolved", "declines", "offline", "webhook", "untold"]).meta({
    description:
      "`contrary`: terminals contradict recorded outcomes. `unresolved`: transactions are `22`. `declines`: many more " +
      "declines, or many more of one code, than usual. `offline`: a shop's terminals. `webhook`: an endpoint is disabled or " +
      "fails. `untold`: the lists lack a change for more than 5 minutes.",
  }),
  id: upTo(AUDIT_NAME_LENGTH, "The same for the same matter in every answer.", "offline M-1001"),
  title: named("What it is, the number first.", "2 terminals offline"),
  detail: named("Which ones, how much.", "Corner shop."),
  since: time("Since when.", "UTC"),
  posId: posId.nullable().meta({ description: "The account, or null." }),
  merchantId: merchantId.nullable().meta({ description: "The merchant, or null." }),
  responseCode: upTo(RESULT_LENGTHS.responseCode, "The response code, or null.", "51").nullable(),
});

const minutes = z
  .int()
  .min(0)
  .max(ALERT_MINUTES)
  .nullable()
  .meta({ description: "After how many minutes a matter of this type is told; null: never.", examples: [10] });

const alerts = z
  .object(Object.fromEntries(ALERT_TYPES.map((type) => [type, minutes])) as Record<AlertType, typeof minutes>)
  .meta({ description: "What the endpoint is told.", examples: [DEFAULT_ALERTS] });

export const alertWebhook = object("An endpoint of the operators, to which alerts are delivered.", {
  ...webhook.shape,
  alerts,
});

export const alertWebhookWithSecret = object("An endpoint of the operators with a new secret.", {
  ...alertWebhook.shape,
  secret: webhookWithSecret.shape.secret,
});

export const alertWebhookList = object("The operators' endpoints.", { data: z.array(alertWebhook) });

export const ALERT_EXAMPLE = {
  id: "evt_wh_1_7",
  number: 7,
  type: "shop.offline" as const,
  timestamp: "2026-11-20T10:25:00.000+00:00",
  data: {
    id: "offline M-1001",
    title: "Shop Corner shop offline",
    detail: "All its 2 terminals.",
    since: "2026-11-20T10:15:00.000+00:00",
    posId: null,
    merchantId: "M-1001",
    terminalId: null,
    requestId: null,
    responseCode: null,
  },
};

const { kind: _kind, ...ofMatter } = matter.shape;

export const alert = z
  .object({
    id: shaped(/^evt_wh_[1-9][0-9]*_[1-9][0-9]*$/, "The same for every attempt.", ALERT_EXAMPLE.id),
    number: z
      .int()
      .min(1)
      .meta({ description: "Counts the endpoint's alerts.", examples: [ALERT_EXAMPLE.number] }),
    type: z.enum(ALERT_TYPES.flatMap((type) => [type, `${type}${ENDED}` as const])).meta({
      description: `What has happened. With \`${ENDED}\`: the matter with the same \`data.id\` is over.`,
      examples: [ALERT_EXAMPLE.type],
    }),
    timestamp: time("When it was found.", "UTC"),
    data: object("The matter, as it was when it was told first.", {
      ...ofMatter,
      terminalId: upTo(TERMINAL_ID_LENGTH, "The terminal, or null.", "T-1001").nullable(),
      requestId: shaped(/^[0-9]{10}$/, "The transaction, or null.", "1000000042").nullable(),
    }),
  })
  .meta({ description: "What an endpoint of the operators gets.", examples: [ALERT_EXAMPLE] });

export type Matter = z.infer<typeof matter>;
export type Alert = z.infer<typeof alert>;
export type AlertWebhook = z.infer<typeof alertWebhook>;
export type AlertWebhookList = z.infer<typeof alertWebhookList>;
export type AlertWebhookWithSecret = z.infer<typeof alertWebhookWithSecret>;
