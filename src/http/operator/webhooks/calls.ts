import * as z from "zod";
import { noSuch } from "../contract.ts";
import * as answers from "../responses.ts";
import { accountPath, NO_ACCOUNT } from "../accounts/calls.ts";
import { NO_WEBHOOK, webhookPath } from "../../webhooks/calls.ts";
import { accountStub } from "../../../rpc/account.ts";
import type { WebhookState } from "../../../protocol/webhooks.ts";
import { accountExists } from "../../../storage/accounts.ts";
import { refuse } from "../../errors.ts";
import { inTime } from "../../time-limit.ts";
import { body, noQuery, path } from "../../validation/validators.ts";
import { operatorFactory, forAdmins, forViewers } from "../authentication.ts";
import type { WebhookStateList } from "../responses.ts";
import { requestSchema } from "../../../contracts/json-schema.ts";
import { type Family } from "../../openapi/operation.ts";

const accountWebhookPath = z.object({ ...accountPath.shape, ...webhookPath.shape });

const webhookSwitch = z.object({ enabled: z.boolean({ error: "Send true or false." }) });

export const webhooks = operatorFactory.createApp();

webhooks.get("/operator/accounts/:posId/webhooks", forViewers, noQuery, path(accountPath, NO_ACCOUNT), async (c) => {
  const { posId } = c.req.valid("param");
  // D1 is asked first: an unknown posId must not create an object.
  if (!(await accountExists(c.env.DATABASE, posId))) return refuse(c, NO_ACCOUNT);
  return c.json({ data: await accountStub(c.env, posId).webhookStates() } satisfies WebhookStateList);
});

webhooks.patch(
  "/operator/accounts/:posId/webhooks/:webhookId",
  forAdmins,
  noQuery,
  path(accountWebhookPath, NO_WEBHOOK),
  body(webhookSwitch),
  async (c) => {
    const { posId, webhookId } = c.req.valid("param");
    if (!(await inTime(accountExists(c.env.DATABASE, posId)))) return refuse(c, NO_ACCOUNT);
    const wanted = { id: webhookId, enabled: c.req.valid("json").enabled };
    const switched = await accountStub(c.env, posId).switchWebhook(wanted, c.get("operator"));
    return switched.kind === "switched" ? c.json(switched.webhook satisfies WebhookState) : refuse(c, NO_WEBHOOK);
  },
);

export function operatorWebhooksContract(): Family {
  return {
    tag: "Operator accounts",
    caller: "operator",
    requests: {
      WebhookSwitch: requestSchema(
        webhookSwitch,
        {
          enabled: {
            description: "`false` stops the endpoint. `true` starts one that an operator has stopped.",
            examples: [false],
          },
        },
        { description: "Stops or starts an endpoint.", examples: [{ enabled: false }] },
      ),
    },
    responses: {
      WebhookState: answers.webhookState,
      WebhookStateList: answers.webhookStateList,
    },
    operations: {
      "GET /operator/accounts/{posId}/webhooks": {
        operationId: "listAccountWebhooks",
        summary: "List an account's webhooks",
        description:
          "The host and state of each endpoint. Only the account sees the rest of the address and the secret.",
        answers: { 200: ["The endpoints.", "WebhookStateList"], 404: noSuch("account") },
      },
      "PATCH /operator/accounts/{posId}/webhooks/{webhookId}": {
        operationId: "switchWebhook",
        summary: "Stop or start an account's webhook",
        description:
          "Stops deliveries to the endpoint until an operator starts it again; its account cannot. The account gets an event. " +
          "An endpoint that its account has disabled stays disabled.",
        body: ["The change.", "WebhookSwitch"],
        answers: { 200: ["The endpoint as it is now.", "WebhookState"], 404: noSuch("account or webhook") },
      },
    },
  };
}
