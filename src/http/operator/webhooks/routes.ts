import { accountStub } from "../../../account/stub.ts";
import type { WebhookState } from "../../../protocol/webhooks.ts";
import { accountExists } from "../../../storage/accounts.ts";
import { refuse } from "../../errors.ts";
import { inTime } from "../../time-limit.ts";
import { body, noQuery, path } from "../../validation/validators.ts";
import { NO_WEBHOOK } from "../../webhooks/signed-call.ts";
import { NO_ACCOUNT } from "../accounts/routes.ts";
import { accountPath } from "../accounts/requests.ts";
import { operatorFactory } from "../authentication.ts";
import { accountWebhookPath, webhookSwitch } from "./requests.ts";
import type { WebhookStateList } from "./responses.ts";

export const webhooks = operatorFactory.createApp();

webhooks.get("/operator/accounts/:posId/webhooks", noQuery, path(accountPath, NO_ACCOUNT), async (c) => {
  const { posId } = c.req.valid("param");
  // D1 is asked first: an unknown posId must not create an object.
  if (!(await accountExists(c.env.DATABASE, posId))) return refuse(c, NO_ACCOUNT);
  return c.json({ data: await accountStub(c.env, posId).webhookStates() } satisfies WebhookStateList);
});

webhooks.patch(
  "/operator/accounts/:posId/webhooks/:webhookId",
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
