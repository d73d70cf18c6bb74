/** The operators' own webhooks: alerts. The keeper's object has them; D1 only gets the audit rows. */
import * as z from "zod";
import * as answers from "./responses.ts";
import type { AlertWebhook, AlertWebhookList, AlertWebhookWithSecret } from "./responses.ts";
import { requestSchema } from "../../../contracts/json-schema.ts";
import { type Result, err, ok } from "../../../outcomes/result.ts";
import { ALERT_MINUTES, ALERT_TYPES, type AlertSettings, DEFAULT_ALERTS } from "../../../protocol/alerts.ts";
import type { Done } from "../../../protocol/accounts.ts";
import { PING_EVERY, PREVIOUS_SECRET_LIFE, WEBHOOKS } from "../../../protocol/limits/webhooks.ts";
import { webhookId } from "../../../protocol/webhooks.ts";
import { TOLD_LIFE } from "../../../objects/limits.ts";
import { hostOf } from "../../../account/webhooks/endpoint.ts";
import { type AlertChange, type AlertOutcome, keeperStub } from "../../../rpc/keeper.ts";
import { audit, type AuditAction, type AuditEntry, entryBy } from "../../../storage/audit.ts";
import { duration } from "../../../time/duration.ts";
import { optional } from "../../../validation/fields.ts";
import type { RequestContext } from "../../context.ts";
import { type Refusal, refuse } from "../../errors.ts";
import type { Family } from "../../openapi/operation.ts";
import { inTime } from "../../time-limit.ts";
import { body, noQuery } from "../../validation/validators.ts";
import {
  ADDRESS_NOTES,
  addressOf,
  afterNumber,
  NO_WEBHOOK,
  oneWebhook,
  pinged,
  refusalOfChange,
  webAddress,
} from "../../webhooks/calls.ts";
import { forAdmins, forViewers, type OperatorContext, operatorFactory } from "../authentication.ts";
import { changesSomething, noSuch } from "../contract.ts";

const MINUTES_WORDS = `Send a whole number of minutes from 0 to ${ALERT_MINUTES}, or null for never.`;

const minutes = z
  .int({ error: MINUTES_WORDS })
  .min(0, { error: MINUTES_WORDS })
  .max(ALERT_MINUTES, { error: MINUTES_WORDS })
  .nullable();

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

alertWebhooks.get("/operator/webhooks/:webhookId", forViewers, noQuery, oneWebhook, async (c) => {
  const found = await find(c, c.req.valid("param").webhookId);
  return found === undefined ? refuse(c, NO_WEBHOOK) : c.json(found satisfies AlertWebhook);
});

alertWebhooks.post("/operator/webhooks", forAdmins, noQuery, body(newAlertWebhook), async (c) => {
  const { url, alerts } = c.req.valid("json");
  const address = addressOf(c, url);
  if (!address.ok) return refuse(c, address.error);
  const all = await keeperStub(c.env).alertWebhooks();
  if (all.length >= WEBHOOKS) return refuse(c, refusalOfChange({ kind: "too-many" }));
  const changed = await made(c, "webhook.create", { kind: "add", url: address.value, alerts });
  return changed.ok ? c.json(withSecret(changed.value), 201) : refuse(c, changed.error);
});

alertWebhooks.patch(
  "/operator/webhooks/:webhookId",
  forAdmins,
  noQuery,
  oneWebhook,
  body(alertWebhookChanges),
  async (c) => {
    const { url, ...changes } = c.req.valid("json");
    const address = url === undefined ? ok(undefined) : addressOf(c, url);
    if (!address.ok) return refuse(c, address.error);
    const { webhookId: id } = c.req.valid("param");
    const changed = await made(c, "webhook.change", { kind: "change", id, url: address.value, ...changes });
    return changed.ok ? c.json(changed.value.webhook satisfies AlertWebhook) : refuse(c, changed.error);
  },
);

alertWebhooks.delete("/operator/webhooks/:webhookId", forAdmins, noQuery, oneWebhook, async (c) => {
  const outcome = await perform(c, "webhook.delete", { kind: "remove", id: c.req.valid("param").webhookId });
  // Another call may have deleted it since it was found.
  if (outcome === null) return refuse(c, NO_WEBHOOK);
  return c.json({ code: 20000, message: "The webhook is deleted." } satisfies Done);
});

alertWebhooks.post("/operator/webhooks/:webhookId/secret", forAdmins, noQuery, oneWebhook, async (c) => {
  const changed = await made(c, "webhook.secret", { kind: "secret", id: c.req.valid("param").webhookId });
  return changed.ok ? c.json(withSecret(changed.value)) : refuse(c, changed.error);
});

alertWebhooks.post(
  "/operator/webhooks/:webhookId/replay",
  forAdmins,
  noQuery,
  oneWebhook,
  body(alertReplay),
  async (c) => {
    const { webhookId: id } = c.req.valid("param");
    const changed = await made(c, "webhook.replay", { kind: "replay", id, ...c.req.valid("json") });
    return changed.ok ? c.json(changed.value.webhook satisfies AlertWebhook) : refuse(c, changed.error);
  },
);

alertWebhooks.post("/operator/webhooks/:webhookId/test", forAdmins, noQuery, oneWebhook, async (c) =>
  pinged(c, await keeperStub(c.env).pingAlerts(c.req.valid("param").webhookId)),
);

async function find({ env }: Pick<RequestContext, "env">, id: number): Promise<AlertWebhook | undefined> {
  return (await keeperStub(env).alertWebhooks()).find((webhook) => webhook.id === webhookId(id));
}

interface Made {
  webhook: AlertWebhook;
  secret?: string;
}

/** Null if there is no such endpoint. The audit row comes first: no change without one. */
async function perform(c: OperatorContext, action: AuditAction, change: AlertChange): Promise<AlertOutcome | null> {
  if (change.kind !== "add" && (await find(c, change.id)) === undefined) return null;
  const entry = entryBy(c.get("operator"), action, TARGET, { details: detailsOf(change) });
  await inTime(audit(c.env.DATABASE, entry).run());
  return keeperStub(c.env).changeAlerts(change);
}

/** What the endpoint is after any change but its deletion. */
async function made(...change: Parameters<typeof perform>): Promise<Result<Made, Refusal>> {
  const outcome = await perform(...change);
  if (outcome === null || outcome.kind === "removed") return err(NO_WEBHOOK);
  return outcome.kind === "changed" ? ok(outcome) : err(refusalOfChange(outcome));
}

/** I6: only the host of an address. */
function detailsOf({ alerts, ...change }: AlertChange): AuditEntry["details"] {
  return {
    ...("id" in change ? { webhook: webhookId(change.id) } : {}),
    ...("url" in change && change.url !== undefined ? { host: hostOf(change.url) } : {}),
    ...("enabled" in change && change.enabled !== undefined ? { enabled: change.enabled } : {}),
    ...("after" in change ? { after: change.after } : {}),
    ...(alerts === undefined ? {} : { alerts: JSON.stringify(alerts) }),
  };
}

function withSecret({ webhook, secret = "" }: Made): AlertWebhookWithSecret {
  return { ...webhook, secret };
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
      NewAlertWebhook: requestSchema(
        newAlertWebhook,
        { url, alerts },
        { description: "A new endpoint for alerts.", examples: [EXAMPLE] },
      ),
      AlertWebhookChanges: requestSchema(
        alertWebhookChanges,
        {
          url,
          enabled: { description: "Whether alerts are delivered to it.", examples: [true] },
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
        { after: { description: "The number after which deliveries start; 0: all that are kept.", examples: [41] } },
        { description: "Where to start.", examples: [{ after: 41 }] },
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
        answers: { 200: { description: "The endpoints.", schema: "AlertWebhookList" } },
      },
      "GET /operator/webhooks/{webhookId}": {
        operationId: "getAlertWebhook",
        summary: "Read an operators' webhook",
        description: "One endpoint, with its last attempts.",
        answers: { 200: { description: "The endpoint.", schema: "AlertWebhook" } },
        refusals: { 404: noSuch("webhook") },
      },
      "POST /operator/webhooks": {
        operationId: "addAlertWebhook",
        summary: "Add an operators' webhook",
        description:
          `At most ${WEBHOOKS}. Gets every matter once when it has lasted as long as \`alerts\` says, and once when it is ` +
          "over. Signatures, order and retries are those of accounts' webhooks. Only this response has the secret.",
        body: { description: "The new endpoint.", schema: "NewAlertWebhook" },
        answers: { 201: { description: "The endpoint, with its secret.", schema: "AlertWebhookWithSecret" } },
      },
      "PATCH /operator/webhooks/{webhookId}": {
        operationId: "changeAlertWebhook",
        summary: "Change, disable or enable an operators' webhook",
        description:
          "Aborts a delivery in progress. An endpoint that is enabled again continues after the last alert that it has received.",
        body: { description: "The changes.", schema: "AlertWebhookChanges" },
        answers: { 200: { description: "The endpoint as it is now.", schema: "AlertWebhook" } },
        refusals: { 404: noSuch("webhook") },
      },
      "DELETE /operator/webhooks/{webhookId}": {
        operationId: "deleteAlertWebhook",
        summary: "Delete an operators' webhook",
        description: "Stops all deliveries to the endpoint, permanently.",
        answers: { 200: { description: "The webhook is deleted.", schema: "Done" } },
        refusals: { 404: noSuch("webhook") },
      },
      "POST /operator/webhooks/{webhookId}/secret": {
        operationId: "rotateAlertWebhookSecret",
        summary: "Give an operators' webhook a new secret",
        description: `Only this response has it. The previous one also signs for ${duration(PREVIOUS_SECRET_LIFE)}.`,
        answers: { 200: { description: "The endpoint, with its new secret.", schema: "AlertWebhookWithSecret" } },
        refusals: { 404: noSuch("webhook") },
      },
      "POST /operator/webhooks/{webhookId}/replay": {
        operationId: "replayAlerts",
        summary: "Replay alerts",
        description: `Delivers every alert after the number at once. Alerts are kept for ${duration(TOLD_LIFE)}.`,
        body: { description: "Where to start.", schema: "AlertReplay" },
        answers: { 200: { description: "The endpoint as it is now.", schema: "AlertWebhook" } },
        refusals: { 404: noSuch("webhook") },
      },
      "POST /operator/webhooks/{webhookId}/test": {
        operationId: "pingAlertWebhook",
        summary: "Test an operators' webhook",
        description: `Posts a signed \`ping\` and returns the answer. At most one every ${duration(PING_EVERY)}.`,
        answers: { 200: { description: "The endpoint's response.", schema: "PingAnswer" } },
        refusals: { 404: noSuch("webhook"), 429: "Too many requests, or a ping was sent moments ago." },
      },
    },
  };
}
