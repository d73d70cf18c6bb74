import { responseSchema, requestSchema } from "../../contracts/json-schema.ts";
import {
  ATTEMPTS_SHOWN,
  DELIVERY_WAIT,
  GIVE_UP_AFTER,
  PING_EVERY,
  PREVIOUS_SECRET_LIFE,
  RETRY_EVERY,
  RETRY_SCHEDULE,
  WEBHOOKS,
} from "../../protocol/limits/webhooks.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { SIGNATURE, withSignature } from "../../signing/signature.ts";
import { duration } from "../../time/duration.ts";
import { DEMO_SIGNING_KEY } from "../openapi/examples.ts";
import { type Family, inPath } from "../openapi/operation.ts";
import { invalidRequest } from "../openapi/refusals.ts";
import { PING_EXAMPLE } from "./examples.ts";
import { newWebhook, replay, signedCall, webhookChanges } from "./requests.ts";
import { ping, pingAnswer, webhook, webhookList, webhookWithSecret } from "./responses.ts";

const ADDRESS = "https://books.example.com/hooks/payment";

/** An example of a signed call; each has a nonce of its own. */
function example<Members extends object>(call: string, nonce: string, members: Members) {
  const head = { posId: "POS-0001", datetime: "20261120T021500", nonce: `5f1c2d9e-8a57-4c0b-9a3e-${nonce}`, call };
  return withSignature({ ...head, ...members }, DEMO_SIGNING_KEY);
}

const EXAMPLE = {
  add: example("POST /api/webhooks", "000000000001", { url: ADDRESS }),
  change: example("PATCH /api/webhooks/wh_1", "000000000002", { enabled: true }),
  move: example("PATCH /api/webhooks/wh_1", "000000000003", { url: "https://books.example.com/hooks/new" }),
  remove: example("DELETE /api/webhooks/wh_1", "000000000004", {}),
  secret: example("POST /api/webhooks/wh_1/secret", "000000000005", {}),
  replay: example("POST /api/webhooks/wh_1/replay", "000000000006", { after: 41 }),
};

const signed = {
  posId: { description: "The account of the access token.", examples: [EXAMPLE.add.posId] },
  datetime: {
    description:
      "When the call was signed, in UTC: `YYYYMMDDTHHMMSS`, with or without the `T`. Within " +
      `${duration(CLOCK_TOLERANCE)} of the gateway's clock.`,
    examples: [EXAMPLE.add.datetime],
  },
  nonce: {
    description: "A text that no earlier call of this account used, such as a UUID. Each call is valid once.",
    examples: [EXAMPLE.add.nonce],
  },
  signature: {
    description:
      "HMAC-SHA-256 over the RFC 8785 form of the body without this member, keyed with the UTF-8 bytes of the account's " +
      "signing key, as hexadecimal digits in either case.",
    minLength: 64,
    maxLength: 64,
    pattern: SIGNATURE.source,
    examples: [EXAMPLE.add.signature],
  },
};

/** @param call the call's method and path */
function notes(call: string) {
  return {
    ...signed,
    call: { description: "The call that this message is for: the method, a space, the path.", examples: [call] },
  };
}

const url = {
  description:
    "The address for the events: `https`, the default port and a public host name, without IP address, user, password and " +
    "fragment. A gateway that is called on `localhost` also accepts `http://localhost:PORT`.",
  format: "uri",
  examples: [ADDRESS],
};

const OTHER_KINDS =
  "It must not have a `transType`, `deviceId`, `referenceId`, `key`, `terminalId`, `type` or `statusCode`, which mark " +
  "other kinds of signed messages.";

const NO_WEBHOOK = "The account has no such webhook.";
const USED = { path: "nonce", message: "This nonce was used before. Send a new nonce for each call and sign again." };
const SIGNED = "Signed like a transfer, with the account's signing key: a token alone cannot change a webhook.";

const webhookId = inPath("webhookId", "The webhook.", "wh_1", { pattern: "^wh_[1-9][0-9]*$" });

const invalid = invalidRequest(
  "The call was not accepted: a member is missing or invalid, the signature is wrong, the clock is off, or the nonce was used. `details` lists each.",
  { used: { summary: "The same message was sent twice", problem: USED } },
);

const RETRIES = RETRY_SCHEDULE.map((pause) => duration(pause)).join(", ");

export const webhooks: Family = {
  tag: "Webhooks",
  caller: "access",
  requests: {
    NewWebhook: requestSchema(
      newWebhook,
      { ...notes(EXAMPLE.add.call), url },
      { description: `A new endpoint. ${OTHER_KINDS}`, examples: [EXAMPLE.add] },
    ),
    WebhookChanges: requestSchema(
      webhookChanges,
      {
        ...notes(EXAMPLE.change.call),
        url: { ...url, description: `${url.description} Default: no change.` },
        enabled: {
          description:
            "true: deliver at once, and restart the schedule of retries. false: deliver nothing. Default: no change.",
          examples: [true],
        },
      },
      {
        description: `The changes, at least one of \`url\` and \`enabled\`. ${OTHER_KINDS}`,
        not: { properties: { url: { enum: [null, ""] }, enabled: { enum: [null, ""] } } },
        examples: [EXAMPLE.change],
      },
    ),
    SignedCall: requestSchema(signedCall, notes(EXAMPLE.secret.call), {
      description: `A signed call without other members. ${OTHER_KINDS}`,
      examples: [EXAMPLE.secret],
    }),
    WebhookReplay: requestSchema(
      replay,
      {
        ...notes(EXAMPLE.replay.call),
        after: {
          description: "Deliveries start after the event with this number; 0: with the oldest event that is kept.",
          examples: [41],
        },
      },
      { description: `Where to start. ${OTHER_KINDS}`, examples: [EXAMPLE.replay] },
    ),
  },
  responses: {
    Webhook: responseSchema(webhook),
    WebhookWithSecret: responseSchema(webhookWithSecret),
    WebhookList: responseSchema(webhookList),
    PingAnswer: responseSchema(pingAnswer),
    Ping: responseSchema(ping, { examples: [PING_EXAMPLE] }),
  },
  operations: {
    "POST /api/webhooks": {
      operationId: "createWebhook",
      summary: "Add a webhook",
      description:
        "Posts every future event to the address, in order, one at a time, signed according to " +
        "[Standard Webhooks](https://www.standardwebhooks.com) 1.0. Only this response has the secret. " +
        `An account has at most ${WEBHOOKS} webhooks.\n\n${SIGNED}\n\n` +
        `An endpoint has ${duration(DELIVERY_WAIT)} to answer with a status from 200 to 299. Only the status is read, and no ` +
        `redirect is followed. Otherwise the same event is sent again after ${RETRIES}, and then ` +
        `every ${duration(RETRY_EVERY)}. After ${duration(GIVE_UP_AFTER)}, or at once with 410, the webhook is disabled, ` +
        "and an event reports it. Enable it again, and it continues where it stopped.",
      body: {
        description: "The endpoint.",
        schema: "NewWebhook",
        examples: { add: { summary: "A new endpoint", value: EXAMPLE.add } },
      },
      answers: { 201: { description: "The endpoint, with its secret.", schema: "WebhookWithSecret" } },
      refusals: { 400: invalid },
    },
    "GET /api/webhooks": {
      operationId: "listWebhooks",
      summary: "List webhooks",
      description: `The account's endpoints, each with its last ${ATTEMPTS_SHOWN} attempts.`,
      answers: { 200: { description: "The endpoints.", schema: "WebhookList" } },
    },
    "GET /api/webhooks/{webhookId}": {
      operationId: "getWebhook",
      summary: "Read a webhook",
      description: "One endpoint. Its secret is never shown.",
      parameters: [webhookId],
      answers: { 200: { description: "The endpoint.", schema: "Webhook" } },
      refusals: { 404: NO_WEBHOOK },
    },
    "PATCH /api/webhooks/{webhookId}": {
      operationId: "changeWebhook",
      summary: "Change, disable or enable a webhook",
      description:
        "Aborts a delivery in progress. An endpoint that is enabled again continues at once, after the last event that it has " +
        `received. ${SIGNED}`,
      parameters: [webhookId],
      body: {
        description: "The changes.",
        schema: "WebhookChanges",
        examples: {
          enable: { summary: "Enable it again", value: EXAMPLE.change },
          move: { summary: "Change the address", value: EXAMPLE.move },
        },
      },
      answers: { 200: { description: "The endpoint as it is now.", schema: "Webhook" } },
      refusals: { 400: invalid, 404: NO_WEBHOOK },
    },
    "DELETE /api/webhooks/{webhookId}": {
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: `Stops all deliveries to the endpoint, permanently. ${SIGNED}`,
      parameters: [webhookId],
      body: {
        description: "The signed call.",
        schema: "SignedCall",
        examples: { remove: { summary: "Delete wh_1", value: EXAMPLE.remove } },
      },
      answers: { 200: { description: "The webhook is deleted.", schema: "Done" } },
      refusals: { 400: invalid, 404: NO_WEBHOOK },
    },
    "POST /api/webhooks/{webhookId}/secret": {
      operationId: "rotateWebhookSecret",
      summary: "Give a webhook a new secret",
      description:
        "Only this response has the new secret. The previous one also signs for " +
        `${duration(PREVIOUS_SECRET_LIFE)}: deliveries have both signatures. ${SIGNED}`,
      parameters: [webhookId],
      body: {
        description: "The signed call.",
        schema: "SignedCall",
        examples: { secret: { summary: "A new secret for wh_1", value: EXAMPLE.secret } },
      },
      answers: { 200: { description: "The endpoint, with its new secret.", schema: "WebhookWithSecret" } },
      refusals: { 400: invalid, 404: NO_WEBHOOK },
    },
    "POST /api/webhooks/{webhookId}/replay": {
      operationId: "replayWebhook",
      summary: "Replay events",
      description:
        "Delivers every event after the number at once, even if it was delivered before. Events keep their ids, by which a " +
        `receiver recognises the ones that it has. ${SIGNED}`,
      parameters: [webhookId],
      body: {
        description: "Where to start.",
        schema: "WebhookReplay",
        examples: { replay: { summary: "Starting with event 42", value: EXAMPLE.replay } },
      },
      answers: { 200: { description: "The endpoint as it is now.", schema: "Webhook" } },
      refusals: { 400: invalid, 404: NO_WEBHOOK },
    },
    "POST /api/webhooks/{webhookId}/test": {
      operationId: "pingWebhook",
      summary: "Test a webhook",
      description:
        "Posts a signed `ping` and returns the endpoint's answer. A ping is not an event and has no number. The call itself is " +
        `not signed, because it changes nothing. At most one every ${duration(PING_EVERY)}. No body is needed.`,
      parameters: [webhookId],
      answers: { 200: { description: "The endpoint's answer.", schema: "PingAnswer" } },
      refusals: { 404: NO_WEBHOOK, 429: "Too many requests, or a ping was sent moments ago." },
    },
  },
};
