/** An account's changes of its webhooks. All except the ping are signed. */
import * as z from "zod";
import type { Kit } from "../../openapi/kit.ts";
import {
  type PingAnswer,
  type Webhook,
  type WebhookList,
  type WebhookWithSecret,
  readWebhookId,
} from "../../../../protocol/webhooks.ts";
import {
  type CallRefusal,
  type ChangedWebhook,
  type ChangeRefusal,
  type PingOutcome,
  type WebhookChange,
  type WebhookOutcome,
  accountStub,
} from "../../../account/rpc.ts";
import { judgeAddress } from "../../../account/webhooks/endpoint.ts";
import {
  ATTEMPTS_SHOWN,
  DELIVERY_WAIT,
  GIVE_UP_AFTER,
  PING_EVERY,
  PREVIOUS_SECRET_LIFE,
  RETRY_EVERY,
  RETRY_SCHEDULE,
  START_EVERY,
  WEBHOOKS,
} from "../../../../protocol/limits.ts";
import { type Result, err, ok } from "../../../../protocol/result.ts";
import { SECOND } from "../../../../protocol/time/units.ts";
import { requireAccount, requireAccountToken } from "../../middleware/authentication.ts";
import { factory, type RequestContext } from "../../middleware/context.ts";
import { type Refusal, answerDone, invalid, refuse } from "../../middleware/errors.ts";
import { isLocal } from "../../middleware/transport.ts";
import { noQuery, path } from "../../validation/validators.ts";
import {
  type CallContext,
  type CallSchema,
  readSignedCall,
  refusalOfCall,
  signedAnew,
  signedCall,
} from "../../middleware/signed-call.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { describeCall } from "../../middleware/describe.ts";
import { newWebhook, replay, webhookChanges, webhookPath } from "./requests.ts";

export const webhookCalls = factory.createApp();

/** The same answer serves another account's webhook. */
export const NO_WEBHOOK: Refusal = { kind: "not_found", message: "There is no such webhook." };

const signed = requireAccountToken("access");
const oneWebhook = path(webhookPath, NO_WEBHOOK);

const SIGNED = "Signed like a transfer, with the account's signing key: a token alone cannot change a webhook.";
const UNKNOWN = "The account has no such webhook.";
const starts = () =>
  `Deliveries start immediately, or ${duration(START_EVERY)} after the account's previous change, replay or new secret: ` +
  "`nextAttempt` says when.";
const STOPPED = "Refused with 400 if the operator has stopped the webhook.";

function refused({ invalidRequest }: Kit) {
  const problem = {
    path: "nonce",
    message: "This nonce was used before. Send a new nonce for each call and sign again.",
  };
  return invalidRequest(
    "The call was not accepted: a field is missing or invalid, the signature is wrong, the clock is off, or the nonce was used. `details` lists each.",
    { used: { summary: "The same message was sent twice", problem } },
  );
}

webhookCalls.get("/api/webhooks", requireAccount, noQuery, async (c) => {
  const data = await accountStub(c.env, c.get("account").posId).webhooks();
  return c.json({ data } satisfies WebhookList);
});

describeCall(webhookCalls, () => ({
  tag: "Webhooks",
  operationId: "listWebhooks",
  summary: "List webhooks",
  description: `The account's endpoints, each with its last ${ATTEMPTS_SHOWN} attempts.`,
  answers: { 200: ["The endpoints.", "WebhookList"] },
}));

webhookCalls.get("/api/webhooks/:webhookId", requireAccount, noQuery, oneWebhook, async (c) =>
  shownOne(c, await accountStub(c.env, c.get("account").posId).webhooks(), c.req.valid("param").webhookId),
);

describeCall(webhookCalls, () => ({
  tag: "Webhooks",
  operationId: "getWebhook",
  summary: "Read a webhook",
  description: "One endpoint. Its secret is never shown.",
  answers: { 200: ["The endpoint.", "Webhook"], 404: UNKNOWN },
}));

webhookCalls.post("/api/webhooks", signed, signedAnew, noQuery, (c) =>
  change(c, newWebhook, ({ url }) => ({ kind: "add", url })),
);

describeCall(webhookCalls, (kit) => ({
  tag: "Webhooks",
  operationId: "createWebhook",
  summary: "Add a webhook",
  description:
    "Posts every future event to the address, in order, one at a time, signed according to " +
    "[Standard Webhooks](https://www.standardwebhooks.com) 1.0. Only this response has the secret. " +
    `An account has at most ${WEBHOOKS} webhooks, and none with the host of one that the operator has stopped.\n\n${SIGNED}\n\n` +
    `An endpoint has ${duration(DELIVERY_WAIT)} to respond with a status from 200 to 299. Only the status is read, and no ` +
    `redirect is followed. Otherwise the same event is sent again after ${RETRY_SCHEDULE.map((pause) => duration(pause)).join(", ")}, and then ` +
    `every ${duration(RETRY_EVERY)}. After ${duration(GIVE_UP_AFTER)}, or immediately with 410, the webhook is disabled, ` +
    "and an event reports it. Enable it again, and it continues where it stopped.",
  body: {
    description: "The endpoint.",
    schema: "NewWebhook",
    examples: { add: { summary: "A new endpoint", value: kit.WEBHOOK_EXAMPLES.add } },
  },
  answers: { 201: ["The endpoint, with its secret.", "WebhookWithSecret"], 400: refused(kit) },
}));

webhookCalls.patch("/api/webhooks/:webhookId", signed, signedAnew, noQuery, oneWebhook, (c) => {
  const id = c.req.valid("param").webhookId;
  return change(c, webhookChanges, ({ url, enabled }) => ({ kind: "change", id, url, enabled }));
});

describeCall(webhookCalls, (kit) => ({
  tag: "Webhooks",
  operationId: "changeWebhook",
  summary: "Change, disable or enable a webhook",
  description:
    "Aborts a delivery in progress. An endpoint that is enabled again continues after the last event that it has received. " +
    `${starts()} ${STOPPED} ${SIGNED}`,
  body: {
    description: "The changes.",
    schema: "WebhookChanges",
    examples: {
      enable: { summary: "Enable it again", value: kit.WEBHOOK_EXAMPLES.change },
      move: { summary: "Change the address", value: kit.WEBHOOK_EXAMPLES.move },
    },
  },
  answers: { 200: ["The endpoint as it is now.", "Webhook"], 400: refused(kit), 404: UNKNOWN },
}));

webhookCalls.delete("/api/webhooks/:webhookId", signed, signedAnew, noQuery, oneWebhook, (c) =>
  change(c, signedCall, () => ({ kind: "remove", id: c.req.valid("param").webhookId })),
);

describeCall(webhookCalls, (kit) => ({
  tag: "Webhooks",
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  description: `Stops all deliveries to the endpoint, permanently. ${STOPPED} ${SIGNED}`,
  body: {
    description: "The signed call.",
    schema: "SignedCall",
    examples: { remove: { summary: "Delete wh_1", value: kit.WEBHOOK_EXAMPLES.remove } },
  },
  answers: { 200: ["The webhook is deleted.", "Done"], 400: refused(kit), 404: UNKNOWN },
}));

webhookCalls.post("/api/webhooks/:webhookId/secret", signed, signedAnew, noQuery, oneWebhook, (c) =>
  change(c, signedCall, () => ({ kind: "secret", id: c.req.valid("param").webhookId })),
);

describeCall(webhookCalls, (kit) => ({
  tag: "Webhooks",
  operationId: "rotateWebhookSecret",
  summary: "Give a webhook a new secret",
  description:
    "Only this response has the new secret. The previous one also signs for " +
    `${duration(PREVIOUS_SECRET_LIFE)}: deliveries have both signatures. ${SIGNED}`,
  body: {
    description: "The signed call.",
    schema: "SignedCall",
    examples: { secret: { summary: "A new secret for wh_1", value: kit.WEBHOOK_EXAMPLES.secret } },
  },
  answers: { 200: ["The endpoint, with its new secret.", "WebhookWithSecret"], 400: refused(kit), 404: UNKNOWN },
}));

webhookCalls.post("/api/webhooks/:webhookId/replay", signed, signedAnew, noQuery, oneWebhook, (c) =>
  change(c, replay, ({ after }) => ({ kind: "replay", id: c.req.valid("param").webhookId, after })),
);

describeCall(webhookCalls, (kit) => ({
  tag: "Webhooks",
  operationId: "replayWebhook",
  summary: "Replay events",
  description:
    "Delivers every event after the number, even if it was delivered before. Events keep their ids, by which a receiver " +
    `recognises the ones that it has. ${starts()} ${STOPPED} ${SIGNED}`,
  body: {
    description: "Where to start.",
    schema: "WebhookReplay",
    examples: { replay: { summary: "Starting with event 42", value: kit.WEBHOOK_EXAMPLES.replay } },
  },
  answers: { 200: ["The endpoint as it is now.", "Webhook"], 400: refused(kit), 404: UNKNOWN },
}));

/** The call is not signed: it sends no event, and only to an address that the account has set. */
webhookCalls.post("/api/webhooks/:webhookId/test", requireAccount, noQuery, oneWebhook, async (c) => {
  const { posId } = c.get("account");
  return pinged(c, await accountStub(c.env, posId).pingWebhook(c.req.valid("param").webhookId));
});

describeCall(webhookCalls, () => ({
  tag: "Webhooks",
  operationId: "pingWebhook",
  summary: "Test a webhook",
  description:
    "Posts a signed `ping` and returns the endpoint's response. A ping is not an event and has no number. The call itself is " +
    `not signed, because it changes nothing. At most one every ${duration(PING_EVERY)}, and none of a webhook that the ` +
    "operator has stopped. No body is needed.",
  answers: {
    200: ["The endpoint's response.", "PingAnswer"],
    404: UNKNOWN,
    429: "Too many requests, or a ping was sent moments ago.",
  },
}));

async function change<Schema extends CallSchema>(
  c: CallContext,
  schema: Schema,
  changeOf: (message: z.output<Schema>) => WebhookChange,
): Promise<Response> {
  const read = await readSignedCall(c, schema);
  if (!read.ok) return refuse(c, read.error);
  const { message, call, body } = read.value;
  const wanted = withAddress(c, changeOf(message));
  if (!wanted.ok) return refuse(c, wanted.error);
  const outcome = await accountStub(c.env, c.get("claims").sub).changeWebhook(call, wanted.value);
  return isChange(outcome) ? changed(c, outcome) : refuse(c, refusalOfCall(c, outcome, body));
}

const CHANGES = ["changed", "removed", "too-many", "stopped", "no-such-webhook", "no-such-event"] as const;

function isChange(outcome: WebhookOutcome): outcome is Exclude<WebhookOutcome, CallRefusal> {
  return CHANGES.some((kind) => kind === outcome.kind);
}

/** Shows the endpoint with this number. */
function shownOne(c: RequestContext, all: readonly Webhook[], number: number): Response {
  const found = all.find(({ id }) => id === readWebhookId(number));
  return found === undefined ? refuse(c, NO_WEBHOOK) : c.json(found);
}

/** With the address of a change in its normal form. */
function withAddress<Change extends WebhookChange>(c: RequestContext, wanted: Change): Result<Change, Refusal> {
  if (!("url" in wanted) || wanted.url === undefined) return ok(wanted);
  const { hostname: ownHost } = new URL(c.req.url);
  const address = judgeAddress(wanted.url, { local: isLocal(c), ownHost });
  if (!address.ok) return err(invalid([{ path: "url", message: address.error }]));
  return ok({ ...wanted, url: address.value });
}

/** The answer to a change: the endpoint, with its secret if that is new. */
function changed(c: RequestContext, outcome: ChangedWebhook | ChangeRefusal): Response {
  switch (outcome.kind) {
    case "changed": {
      const { webhook, secret } = outcome;
      if (secret === undefined) return c.json(webhook satisfies Webhook);
      return c.json(
        { ...webhook, secret } satisfies WebhookWithSecret,
        c.req.param("webhookId") === undefined ? 201 : 200,
      );
    }
    case "removed":
      return answerDone(c, "The webhook is deleted.");
    default:
      return refuse(c, refusalOfChange(outcome));
  }
}

function pinged(c: RequestContext, outcome: PingOutcome): Response {
  switch (outcome.kind) {
    case "answered":
      return c.json({ status: outcome.status, milliseconds: outcome.milliseconds } satisfies PingAnswer);
    case "too-soon": {
      const retryAfterSeconds = Math.max(Math.ceil((outcome.retryAt - Date.now()) / SECOND), 1);
      return refuse(c, { kind: "rate_limit_exceeded", retryAfterSeconds });
    }
    case "stopped":
      return refuse(c, stopped(""));
    case "no-such-webhook":
      return refuse(c, NO_WEBHOOK);
    case "unreadable":
      return refuse(c, { kind: "internal_server_error" });
    default:
      return outcome satisfies never;
  }
}

function stopped(member: string): Refusal {
  const message =
    member === "url"
      ? "The operator has stopped a webhook with this host. Ask the operator to start it again, or send another host."
      : "The operator has stopped this webhook. Ask the operator to start it again.";
  return invalid([{ path: member, message }]);
}

function refusalOfChange(outcome: ChangeRefusal): Refusal {
  switch (outcome.kind) {
    case "too-many":
      return invalid([{ path: "", message: `There are at most ${WEBHOOKS} webhooks; delete one first.` }]);
    case "stopped":
      return stopped(outcome.path);
    case "no-such-webhook":
      return NO_WEBHOOK;
    case "no-such-event": {
      const { oldest, newest } = outcome;
      const message = `No event with this number is kept. Send 0, or a number from ${Math.max(oldest - 1, 0)} to ${newest}.`;
      return invalid([{ path: "after", message }]);
    }
    default:
      return outcome satisfies never;
  }
}
