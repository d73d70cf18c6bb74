import type { WebhookChange, WebhookOutcome } from "../../account/webhooks/calls.ts";
import { accountStub } from "../../account/stub.ts";
import { judgeAddress } from "../../account/webhooks/address.ts";
import { WEBHOOKS } from "../../protocol/limits/webhooks.ts";
import { type PingAnswer, type Webhook, webhookId, type WebhookWithSecret } from "../../protocol/webhooks.ts";
import { err, ok, type Result } from "../../result.ts";
import type { JsonObject } from "../../signing/json.ts";
import { SECOND } from "../../time/units.ts";
import { requireAccount, requireAccountToken } from "../authentication.ts";
import { factory } from "../context.ts";
import { invalid, type Refusal, refuse } from "../errors.ts";
import type { Done } from "../openapi/fields.ts";
import { isLocal } from "../transport.ts";
import { noQuery, path } from "../validation/validators.ts";
import { newWebhook, replay, signedCall, webhookChanges, webhookPath } from "./requests.ts";
import type { WebhookList } from "./responses.ts";
import { type CallContext, NO_WEBHOOK, readSignedCall, type ReadCall, refusalOfCall } from "./signed-call.ts";

export const webhooks = factory.createApp();

const signed = requireAccountToken("access");
const oneWebhook = path(webhookPath, NO_WEBHOOK);

webhooks.get("/api/webhooks", requireAccount, noQuery, async (c) => {
  const data = await accountStub(c.env, c.get("account").posId).webhooks();
  return c.json({ data } satisfies WebhookList);
});

webhooks.get("/api/webhooks/:webhookId", requireAccount, noQuery, oneWebhook, async (c) => {
  const id = webhookId(c.req.valid("param").webhookId);
  const all = await accountStub(c.env, c.get("account").posId).webhooks();
  const found = all.find((webhook) => webhook.id === id);
  return found === undefined ? refuse(c, NO_WEBHOOK) : c.json(found satisfies Webhook);
});

webhooks.post("/api/webhooks", signed, noQuery, async (c) => {
  const read = await readSignedCall(c, newWebhook);
  if (!read.ok) return refuse(c, read.error);
  const address = addressOf(c, read.value.message.url);
  if (!address.ok) return refuse(c, address.error);
  const outcome = await applyChange(c, read.value, { kind: "add", url: address.value });
  return outcome.ok ? c.json(withSecret(outcome.value), 201) : refuse(c, outcome.error);
});

webhooks.patch("/api/webhooks/:webhookId", signed, noQuery, oneWebhook, async (c) => {
  const read = await readSignedCall(c, webhookChanges);
  if (!read.ok) return refuse(c, read.error);
  const { url, enabled } = read.value.message;
  const address = url === undefined ? ok(undefined) : addressOf(c, url);
  if (!address.ok) return refuse(c, address.error);
  const change = { kind: "change" as const, id: c.req.valid("param").webhookId, url: address.value, enabled };
  const outcome = await applyChange(c, read.value, change);
  return outcome.ok ? c.json(outcome.value.webhook satisfies Webhook) : refuse(c, outcome.error);
});

webhooks.delete("/api/webhooks/:webhookId", signed, noQuery, oneWebhook, async (c) => {
  const read = await readSignedCall(c, signedCall);
  if (!read.ok) return refuse(c, read.error);
  const change = { kind: "remove" as const, id: c.req.valid("param").webhookId };
  const outcome = await outcomeOf(c, read.value, change);
  if (outcome.kind !== "removed") return refuse(c, refusalFor(c, outcome, read.value.body));
  return c.json({ code: 20000, message: "The webhook is deleted." } satisfies Done);
});

webhooks.post("/api/webhooks/:webhookId/secret", signed, noQuery, oneWebhook, async (c) => {
  const read = await readSignedCall(c, signedCall);
  if (!read.ok) return refuse(c, read.error);
  const outcome = await applyChange(c, read.value, { kind: "secret", id: c.req.valid("param").webhookId });
  return outcome.ok ? c.json(withSecret(outcome.value)) : refuse(c, outcome.error);
});

webhooks.post("/api/webhooks/:webhookId/replay", signed, noQuery, oneWebhook, async (c) => {
  const read = await readSignedCall(c, replay);
  if (!read.ok) return refuse(c, read.error);
  const { after } = read.value.message;
  const outcome = await applyChange(c, read.value, { kind: "replay", id: c.req.valid("param").webhookId, after });
  return outcome.ok ? c.json(outcome.value.webhook satisfies Webhook) : refuse(c, outcome.error);
});

/** Not signed: it sends no event, and only to an address that the account has set. */
webhooks.post("/api/webhooks/:webhookId/test", requireAccount, noQuery, oneWebhook, async (c) => {
  const { posId } = c.get("account");
  const outcome = await accountStub(c.env, posId).pingWebhook(c.req.valid("param").webhookId);
  switch (outcome.kind) {
    case "answered":
      return c.json({ status: outcome.status, milliseconds: outcome.milliseconds } satisfies PingAnswer);
    case "too-soon": {
      const retryAfterSeconds = Math.max(Math.ceil((outcome.retryAt - Date.now()) / SECOND), 1);
      return refuse(c, { kind: "rate_limit_exceeded", retryAfterSeconds });
    }
    case "no-such-webhook":
      return refuse(c, NO_WEBHOOK);
    case "unreadable":
      return refuse(c, { kind: "internal_server_error" });
    default:
      return outcome satisfies never;
  }
});

function addressOf(c: CallContext, url: string): Result<string, Refusal> {
  const { hostname: ownHost } = new URL(c.req.url);
  const address = judgeAddress(url, { local: isLocal(c), ownHost });
  return address.ok ? address : err(invalid([{ path: "url", message: address.error }]));
}

type Call = Pick<ReadCall<typeof signedCall>, "call" | "body">;
type Changed = Extract<WebhookOutcome, { kind: "changed" }>;

function outcomeOf(c: CallContext, { call }: Call, change: WebhookChange): Promise<WebhookOutcome> {
  return accountStub(c.env, c.get("claims").sub).changeWebhook(call, change);
}

async function applyChange(c: CallContext, call: Call, change: WebhookChange): Promise<Result<Changed, Refusal>> {
  const outcome = await outcomeOf(c, call, change);
  return outcome.kind === "changed" ? ok(outcome) : err(refusalFor(c, outcome, call.body));
}

function refusalFor(c: CallContext, outcome: WebhookOutcome, body: JsonObject): Refusal {
  switch (outcome.kind) {
    case "changed":
    case "removed":
      throw new Error(`A call that ${outcome.kind} a webhook was to be refused.`);
    case "too-many":
      return invalid([{ path: "", message: `An account has at most ${WEBHOOKS} webhooks; delete one first.` }]);
    case "stopped":
      return invalid([
        { path: "enabled", message: "The operator has stopped this webhook. Ask the operator to start it again." },
      ]);
    case "no-such-event": {
      const { oldest, newest } = outcome;
      const message = `No event with this number is kept. Send 0, or a number from ${Math.max(oldest - 1, 0)} to ${newest}.`;
      return invalid([{ path: "after", message }]);
    }
    default:
      return refusalOfCall(c, outcome, body);
  }
}

function withSecret({ webhook, secret = "" }: Changed): WebhookWithSecret {
  return { ...webhook, secret };
}
