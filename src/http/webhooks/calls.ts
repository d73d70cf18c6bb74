/** An account's changes of its webhooks. All except the ping are signed. */
import * as z from "zod";
import { callNotes as notes, signedExample } from "../openapi/signed.ts";
import * as answers from "../../protocol/schemas/webhooks.ts";
import { WEB_ADDRESS_LENGTH } from "../../protocol/lengths.ts";
import {
  type PingAnswer,
  type Webhook,
  type WebhookList,
  type WebhookWithSecret,
  webhookId,
  webhookNumber,
} from "../../protocol/webhooks.ts";
import { optional, text } from "../../validation/fields.ts";
import {
  type CallRefusal,
  type ChangedWebhook,
  type ChangeRefusal,
  type PingOutcome,
  type WebhookChange,
  type WebhookOutcome,
  accountStub,
} from "../../rpc/account.ts";
import { judgeAddress } from "../../account/webhooks/endpoint.ts";
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
} from "../../protocol/limits/webhooks.ts";
import { type Result, err, ok } from "../../outcomes/result.ts";
import { SECOND } from "../../time/units.ts";
import { requireAccount, requireAccountToken } from "../authentication.ts";
import { factory, type RequestContext } from "../context.ts";
import { type Refusal, done, invalid, refuse } from "../errors.ts";
import { isLocal } from "../transport.ts";
import { noQuery, path } from "../validation/validators.ts";
import {
  type CallContext,
  type CallSchema,
  readSignedCall,
  refusalOfCall,
  signedAnew,
  signedCall,
} from "../signed-call.ts";
import { requestSchema, said } from "../../contracts/json-schema.ts";
import { duration } from "../../time/duration.ts";
import { type Family } from "../openapi/operation.ts";
import { invalidRequest } from "../openapi/refusals.ts";

/** A text that cannot be an endpoint's id is treated as an unknown id. */
export const webhookPath = z.object({
  webhookId: z.string().transform((id, context) => {
    const number = webhookNumber(id);
    if (number !== null) return number;
    context.addIssue({ code: "custom", message: "There is no such webhook." });
    return z.NEVER;
  }),
});

/**
 * `account/webhooks/endpoint.ts` checks whether the gateway may call it: that depends on how the gateway itself was
 * called.
 */
const webAddress = text(WEB_ADDRESS_LENGTH);

const newWebhook = signedCall.extend({ url: webAddress });

const webhookChanges = signedCall
  .extend({ url: optional(webAddress), enabled: optional(z.boolean({ error: "Send true or false." })) })
  .refine((changes) => changes.url !== undefined || changes.enabled !== undefined, {
    error: "Send at least one of url, enabled.",
  });

const AFTER_WORDS = "Send the number of the event after which deliveries start, or 0 for all events that are kept.";

const afterNumber = z.int({ error: AFTER_WORDS }).min(0);

export const replay = signedCall.extend({ after: afterNumber });

export const webhooks = factory.createApp();

/** Also for another account's webhook. */
export const NO_WEBHOOK: Refusal = { kind: "not_found", message: "There is no such webhook." };

const signed = requireAccountToken("access");
const oneWebhook = path(webhookPath, NO_WEBHOOK);

webhooks.get("/api/webhooks", requireAccount, noQuery, async (c) => {
  const data = await accountStub(c.env, c.get("account").posId).webhooks();
  return c.json({ data } satisfies WebhookList);
});

webhooks.get("/api/webhooks/:webhookId", requireAccount, noQuery, oneWebhook, async (c) =>
  shownOne(c, await accountStub(c.env, c.get("account").posId).webhooks(), c.req.valid("param").webhookId),
);

webhooks.post("/api/webhooks", signed, signedAnew, noQuery, (c) =>
  change(c, newWebhook, ({ url }) => ({ kind: "add", url })),
);

webhooks.patch("/api/webhooks/:webhookId", signed, signedAnew, noQuery, oneWebhook, (c) => {
  const id = c.req.valid("param").webhookId;
  return change(c, webhookChanges, ({ url, enabled }) => ({ kind: "change", id, url, enabled }));
});

webhooks.delete("/api/webhooks/:webhookId", signed, signedAnew, noQuery, oneWebhook, (c) =>
  change(c, signedCall, () => ({ kind: "remove", id: c.req.valid("param").webhookId })),
);

webhooks.post("/api/webhooks/:webhookId/secret", signed, signedAnew, noQuery, oneWebhook, (c) =>
  change(c, signedCall, () => ({ kind: "secret", id: c.req.valid("param").webhookId })),
);

webhooks.post("/api/webhooks/:webhookId/replay", signed, signedAnew, noQuery, oneWebhook, (c) =>
  change(c, replay, ({ after }) => ({ kind: "replay", id: c.req.valid("param").webhookId, after })),
);

/** Not signed: it sends no event, and only to an address that the account has set. */
webhooks.post("/api/webhooks/:webhookId/test", requireAccount, noQuery, oneWebhook, async (c) => {
  const { posId } = c.get("account");
  return pinged(c, await accountStub(c.env, posId).pingWebhook(c.req.valid("param").webhookId));
});

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

/** The endpoint with this number. */
function shownOne(c: RequestContext, all: readonly Webhook[], number: number): Response {
  const found = all.find(({ id }) => id === webhookId(number));
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
      return done(c, "The webhook is deleted.");
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

const ADDRESS_NOTES = {
  description:
    "The address for deliveries: `https`, the default port and a public host name, without IP address, user, password and " +
    "fragment. A gateway that is called on `localhost` also accepts `http://localhost:PORT`.",
  format: "uri",
};

export function webhooksContract(): Family {
  const ADDRESS = "https://books.example.com/hooks/payment";

  const EXAMPLE = {
    add: signedExample("POST /api/webhooks", "000000000001", { url: ADDRESS }),
    change: signedExample("PATCH /api/webhooks/wh_1", "000000000002", { enabled: true }),
    move: signedExample("PATCH /api/webhooks/wh_1", "000000000003", { url: "https://books.example.com/hooks/new" }),
    remove: signedExample("DELETE /api/webhooks/wh_1", "000000000004", {}),
    secret: signedExample("POST /api/webhooks/wh_1/secret", "000000000005", {}),
    replay: signedExample("POST /api/webhooks/wh_1/replay", "000000000006", { after: 41 }),
  };

  const address = { ...ADDRESS_NOTES, examples: [ADDRESS] };

  const OTHER_KINDS =
    "It must not have a `transType`, `deviceId`, `referenceId`, `key`, `terminalId`, `type` or `statusCode`, which mark " +
    "other kinds of signed messages.";

  const USED = { path: "nonce", message: "This nonce was used before. Send a new nonce for each call and sign again." };
  const SIGNED = "Signed like a transfer, with the account's signing key: a token alone cannot change a webhook.";

  const refused = invalidRequest(
    "The call was not accepted: a field is missing or invalid, the signature is wrong, the clock is off, or the nonce was used. `details` lists each.",
    { used: { summary: "The same message was sent twice", problem: USED } },
  );

  const UNKNOWN = "The account has no such webhook.";
  const STARTS =
    `Deliveries start at once, or ${duration(START_EVERY)} after the account's previous change, replay or new secret: ` +
    "`nextAttempt` says when.";
  const STOPPED = "Refused with 400 if the operator has stopped the webhook.";
  const RETRIES = RETRY_SCHEDULE.map((pause) => duration(pause)).join(", ");
  return {
    tag: "Webhooks",
    caller: "access",
    requests: {
      NewWebhook: requestSchema(
        newWebhook,
        { ...notes(EXAMPLE.add.call), url: address },
        said(`A new endpoint. ${OTHER_KINDS}`, EXAMPLE.add),
      ),
      WebhookChanges: requestSchema(
        webhookChanges,
        {
          ...notes(EXAMPLE.change.call),
          url: { ...address, description: `${address.description} Default: no change.` },
          enabled: said(
            "true: deliver, and restart the schedule of retries. false: deliver nothing. Default: no change.",
            true,
          ),
        },
        {
          description: `The changes, at least one of \`url\` and \`enabled\`. ${OTHER_KINDS}`,
          not: { properties: { url: { enum: [null, ""] }, enabled: { enum: [null, ""] } } },
          examples: [EXAMPLE.change],
        },
      ),
      SignedCall: requestSchema(
        signedCall,
        notes(EXAMPLE.secret.call),
        said(`A signed call without other members. ${OTHER_KINDS}`, EXAMPLE.secret),
      ),
      WebhookReplay: requestSchema(
        replay,
        {
          ...notes(EXAMPLE.replay.call),
          after: said("Deliveries start after the event with this number; 0: with the oldest event that is kept.", 41),
        },
        said(`Where to start. ${OTHER_KINDS}`, EXAMPLE.replay),
      ),
    },
    responses: {
      Webhook: answers.webhook,
      WebhookWithSecret: answers.webhookWithSecret,
      WebhookList: answers.webhookList,
      PingAnswer: answers.pingAnswer,
      Ping: answers.ping,
    },
    operations: {
      "POST /api/webhooks": {
        operationId: "createWebhook",
        summary: "Add a webhook",
        description:
          "Posts every future event to the address, in order, one at a time, signed according to " +
          "[Standard Webhooks](https://www.standardwebhooks.com) 1.0. Only this response has the secret. " +
          `An account has at most ${WEBHOOKS} webhooks, and none with the host of one that the operator has stopped.\n\n${SIGNED}\n\n` +
          `An endpoint has ${duration(DELIVERY_WAIT)} to respond with a status from 200 to 299. Only the status is read, and no ` +
          `redirect is followed. Otherwise the same event is sent again after ${RETRIES}, and then ` +
          `every ${duration(RETRY_EVERY)}. After ${duration(GIVE_UP_AFTER)}, or at once with 410, the webhook is disabled, ` +
          "and an event reports it. Enable it again, and it continues where it stopped.",
        body: {
          description: "The endpoint.",
          schema: "NewWebhook",
          examples: { add: { summary: "A new endpoint", value: EXAMPLE.add } },
        },
        answers: { 201: ["The endpoint, with its secret.", "WebhookWithSecret"], 400: refused },
      },
      "GET /api/webhooks": {
        operationId: "listWebhooks",
        summary: "List webhooks",
        description: `The account's endpoints, each with its last ${ATTEMPTS_SHOWN} attempts.`,
        answers: { 200: ["The endpoints.", "WebhookList"] },
      },
      "GET /api/webhooks/{webhookId}": {
        operationId: "getWebhook",
        summary: "Read a webhook",
        description: "One endpoint. Its secret is never shown.",
        answers: { 200: ["The endpoint.", "Webhook"], 404: UNKNOWN },
      },
      "PATCH /api/webhooks/{webhookId}": {
        operationId: "changeWebhook",
        summary: "Change, disable or enable a webhook",
        description:
          "Aborts a delivery in progress. An endpoint that is enabled again continues after the last event that it has received. " +
          `${STARTS} ${STOPPED} ${SIGNED}`,
        body: {
          description: "The changes.",
          schema: "WebhookChanges",
          examples: {
            enable: { summary: "Enable it again", value: EXAMPLE.change },
            move: { summary: "Change the address", value: EXAMPLE.move },
          },
        },
        answers: { 200: ["The endpoint as it is now.", "Webhook"], 400: refused, 404: UNKNOWN },
      },
      "DELETE /api/webhooks/{webhookId}": {
        operationId: "deleteWebhook",
        summary: "Delete a webhook",
        description: `Stops all deliveries to the endpoint, permanently. ${STOPPED} ${SIGNED}`,
        body: {
          description: "The signed call.",
          schema: "SignedCall",
          examples: { remove: { summary: "Delete wh_1", value: EXAMPLE.remove } },
        },
        answers: { 200: ["The webhook is deleted.", "Done"], 400: refused, 404: UNKNOWN },
      },
      "POST /api/webhooks/{webhookId}/secret": {
        operationId: "rotateWebhookSecret",
        summary: "Give a webhook a new secret",
        description:
          "Only this response has the new secret. The previous one also signs for " +
          `${duration(PREVIOUS_SECRET_LIFE)}: deliveries have both signatures. ${SIGNED}`,
        body: {
          description: "The signed call.",
          schema: "SignedCall",
          examples: { secret: { summary: "A new secret for wh_1", value: EXAMPLE.secret } },
        },
        answers: { 200: ["The endpoint, with its new secret.", "WebhookWithSecret"], 400: refused, 404: UNKNOWN },
      },
      "POST /api/webhooks/{webhookId}/replay": {
        operationId: "replayWebhook",
        summary: "Replay events",
        description:
          "Delivers every event after the number, even if it was delivered before. Events keep their ids, by which a receiver " +
          `recognises the ones that it has. ${STARTS} ${STOPPED} ${SIGNED}`,
        body: {
          description: "Where to start.",
          schema: "WebhookReplay",
          examples: { replay: { summary: "Starting with event 42", value: EXAMPLE.replay } },
        },
        answers: { 200: ["The endpoint as it is now.", "Webhook"], 400: refused, 404: UNKNOWN },
      },
      "POST /api/webhooks/{webhookId}/test": {
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
      },
    },
  };
}
