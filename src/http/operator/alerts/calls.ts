/** The operators' own webhooks: alerts. The keeper's object has them; D1 only gets the audit rows. */
import * as z from "zod";
import * as answers from "../../../protocol/schemas/alerts.ts";
import { requestSchema, said } from "../../../contracts/json-schema.ts";
import type { AlertWebhookList } from "../../../protocol/schemas/alerts.ts";
import { ALERT_MINUTES, ALERT_TYPES, type AlertSettings, DEFAULT_ALERTS } from "../../../protocol/alerts.ts";
import { PING_EVERY, PREVIOUS_SECRET_LIFE, WEBHOOKS } from "../../../protocol/limits/webhooks.ts";
import { webhookId } from "../../../protocol/webhooks.ts";
import { TOLD_LIFE } from "../../../objects/limits.ts";
import { hostOf } from "../../../account/webhooks/endpoint.ts";
import { type AlertChange, keeperStub } from "../../../rpc/keeper.ts";
import { type AuditEntry, entryBy, WEBHOOK_ACTIONS } from "../../../storage/audit.ts";
import { duration } from "../../../time/duration.ts";
import { optional } from "../../../validation/fields.ts";
import { refuse } from "../../errors.ts";
import type { Family } from "../../openapi/operation.ts";
import { body, noQuery } from "../../validation/validators.ts";
import {
  ADDRESS_NOTES,
  afterNumber,
  changed,
  oneWebhook,
  pinged,
  shownOne,
  webAddress,
  withAddress,
} from "../../webhooks/calls.ts";
import { forAdmins, forViewers, type OperatorContext, operatorFactory } from "../authentication.ts";
import { changesSomething, noSuch } from "../contract.ts";

const MINUTES_WORDS = `Send a whole number of minutes from 0 to ${ALERT_MINUTES}, or null for never.`;

const minutes = z.int({ error: MINUTES_WORDS }).min(0).max(ALERT_MINUTES).nullable();

const settings: z.ZodType<Partial<AlertSettings>> = z.partialRecord(z.enum(ALERT_TYPES), minutes, {
  error: `Send an object with some of ${ALERT_TYPES.join(", ")}.`,
});

const newAlertWebhook = z.object({ url: webAddress, alerts: optional(settings) });

const alertWebhookChanges = z
  .object({
    url: optional(webAddress),
    enabled: optional(z.boolean({ error: "Send true or false." })),
    alerts: optional(settings),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: "Send at least one of url, enabled, alerts.",
  });

const alertReplay = z.object({ after: afterNumber });

export const alertWebhooks = operatorFactory.createApp();

/** What the audit rows are about. */
const TARGET = "alerts";

alertWebhooks.get("/operator/webhooks", forViewers, noQuery, async (c) =>
  c.json({ data: await keeperStub(c.env).alertWebhooks() } satisfies AlertWebhookList),
);

alertWebhooks.get("/operator/webhooks/:webhookId", forViewers, noQuery, oneWebhook, async (c) =>
  shownOne(c, await keeperStub(c.env).alertWebhooks(), c.req.valid("param").webhookId),
);

alertWebhooks.post("/operator/webhooks", forAdmins, noQuery, body(newAlertWebhook), (c) =>
  change(c, { kind: "add", ...c.req.valid("json") }),
);

alertWebhooks.patch("/operator/webhooks/:webhookId", forAdmins, noQuery, oneWebhook, body(alertWebhookChanges), (c) =>
  change(c, { kind: "change", id: c.req.valid("param").webhookId, ...c.req.valid("json") }),
);

alertWebhooks.delete("/operator/webhooks/:webhookId", forAdmins, noQuery, oneWebhook, (c) =>
  change(c, { kind: "remove", id: c.req.valid("param").webhookId }),
);

alertWebhooks.post("/operator/webhooks/:webhookId/secret", forAdmins, noQuery, oneWebhook, (c) =>
  change(c, { kind: "secret", id: c.req.valid("param").webhookId }),
);

alertWebhooks.post("/operator/webhooks/:webhookId/replay", forAdmins, noQuery, oneWebhook, body(alertReplay), (c) =>
  change(c, { kind: "replay", id: c.req.valid("param").webhookId, ...c.req.valid("json") }),
);

alertWebhooks.post("/operator/webhooks/:webhookId/test", forAdmins, noQuery, oneWebhook, async (c) =>
  pinged(c, await keeperStub(c.env).pingAlerts(c.req.valid("param").webhookId)),
);

async function change(c: OperatorContext, wanted: AlertChange): Promise<Response> {
  const read = withAddress(c, wanted);
  if (!read.ok) return refuse(c, read.error);
  const entry = entryBy(c.get("operator"), WEBHOOK_ACTIONS[wanted.kind], TARGET, { details: detailsOf(read.value) });
  return changed(c, await keeperStub(c.env).changeAlerts(read.value, entry));
}

/** I6: only the host of an address. */
function detailsOf({ alerts, ...wanted }: AlertChange): AuditEntry["details"] {
  return {
    ...("id" in wanted ? { webhook: webhookId(wanted.id) } : {}),
    ...("url" in wanted && wanted.url !== undefined ? { host: hostOf(wanted.url) } : {}),
    ...("enabled" in wanted && wanted.enabled !== undefined ? { enabled: wanted.enabled } : {}),
    ...("after" in wanted ? { after: wanted.after } : {}),
    ...(alerts === undefined ? {} : { alerts: JSON.stringify(alerts) }),
  };
}

export function alertWebhooksContract(): Family {
  const url = { ...ADDRESS_NOTES, examples: ["https://pager.example.com/hooks/payments"] };
  const EXAMPLE = { url: "https://pager.example.com/hooks/payments", alerts: { "terminal.offline": 30 } };
  const alerts = {
    description:
      "After how many minutes a matter of each type is told; null: never. " +
      `Default: ${ALERT_TYPES.map((type) => `\`${type}\` ${DEFAULT_ALERTS[type]}`).join(", ")}.`,
    examples: [EXAMPLE.alerts],
  };
  return {
    tag: "Operator",
    caller: "operator",
    requests: {
      NewAlertWebhook: requestSchema(newAlertWebhook, { url, alerts }, said("A new endpoint for alerts.", EXAMPLE)),
      AlertWebhookChanges: requestSchema(
        alertWebhookChanges,
        {
          url,
          enabled: said("Whether alerts are delivered to it.", true),
          alerts: { ...alerts, description: "After how many minutes a matter of each type is told; null: never." },
        },
        {
          description: "The changes of an endpoint, at least one field.",
          examples: [{ alerts: { "terminal.offline": null } }],
          ...changesSomething(Object.keys(alertWebhookChanges.shape)),
        },
      ),
      AlertReplay: requestSchema(
        alertReplay,
        { after: said("The number after which deliveries start; 0: all that are kept.", 41) },
        said("Where to start.", { after: 41 }),
      ),
    },
    responses: {
      AlertWebhook: answers.alertWebhook,
      AlertWebhookWithSecret: answers.alertWebhookWithSecret,
      AlertWebhookList: answers.alertWebhookList,
      Alert: answers.alert,
    },
    operations: {
      "GET /operator/webhooks": {
        operationId: "listAlertWebhooks",
        summary: "List the operators' webhooks",
        description: "The endpoints to which alerts are delivered. Addresses are shortened and secrets are not shown.",
        answers: { 200: ["The endpoints.", "AlertWebhookList"] },
      },
      "GET /operator/webhooks/{webhookId}": {
        operationId: "getAlertWebhook",
        summary: "Read an operators' webhook",
        description: "One endpoint, with its last attempts.",
        answers: { 200: ["The endpoint.", "AlertWebhook"], 404: noSuch("webhook") },
      },
      "POST /operator/webhooks": {
        operationId: "addAlertWebhook",
        summary: "Add an operators' webhook",
        description:
          `At most ${WEBHOOKS}. Gets every matter once when it has lasted as long as \`alerts\` says, and once when it is ` +
          "over. Signatures, order and retries are those of accounts' webhooks. Only this response has the secret.",
        body: ["The new endpoint.", "NewAlertWebhook"],
        answers: { 201: ["The endpoint, with its secret.", "AlertWebhookWithSecret"] },
      },
      "PATCH /operator/webhooks/{webhookId}": {
        operationId: "changeAlertWebhook",
        summary: "Change, disable or enable an operators' webhook",
        description:
          "Aborts a delivery in progress. An endpoint that is enabled again continues after the last alert that it has received.",
        body: ["The changes.", "AlertWebhookChanges"],
        answers: { 200: ["The endpoint as it is now.", "AlertWebhook"], 404: noSuch("webhook") },
      },
      "DELETE /operator/webhooks/{webhookId}": {
        operationId: "deleteAlertWebhook",
        summary: "Delete an operators' webhook",
        description: "Stops all deliveries to the endpoint, permanently.",
        answers: { 200: ["The webhook is deleted.", "Done"], 404: noSuch("webhook") },
      },
      "POST /operator/webhooks/{webhookId}/secret": {
        operationId: "rotateAlertWebhookSecret",
        summary: "Give an operators' webhook a new secret",
        description: `Only this response has it. The previous one also signs for ${duration(PREVIOUS_SECRET_LIFE)}.`,
        answers: { 200: ["The endpoint, with its new secret.", "AlertWebhookWithSecret"], 404: noSuch("webhook") },
      },
      "POST /operator/webhooks/{webhookId}/replay": {
        operationId: "replayAlerts",
        summary: "Replay alerts",
        description: `Delivers every alert after the number at once. Alerts are kept for ${duration(TOLD_LIFE)}.`,
        body: ["Where to start.", "AlertReplay"],
        answers: { 200: ["The endpoint as it is now.", "AlertWebhook"], 404: noSuch("webhook") },
      },
      "POST /operator/webhooks/{webhookId}/test": {
        operationId: "pingAlertWebhook",
        summary: "Test an operators' webhook",
        description: `Posts a signed \`ping\` and returns the answer. At most one every ${duration(PING_EVERY)}.`,
        answers: {
          200: ["The endpoint's response.", "PingAnswer"],
          404: noSuch("webhook"),
          429: "Too many requests, or a ping was sent moments ago.",
        },
      },
    },
  };
}
