import { responseSchema, requestSchema } from "../../../contracts/json-schema.ts";
import { POS_ID_LENGTH } from "../../../protocol/lengths.ts";
import { type Family, inPath } from "../../openapi/operation.ts";
import { webhookStop } from "./requests.ts";
import { webhookState, webhookStateList } from "./responses.ts";

const posId = inPath("posId", "The account.", "POS-1001", { maxLength: POS_ID_LENGTH });
const webhookId = inPath("webhookId", "The webhook.", "wh_1", { pattern: "^wh_[1-9][0-9]*$" });

export const operatorWebhooks: Family = {
  tag: "Operator accounts",
  caller: "operator",
  requests: {
    WebhookStop: requestSchema(
      webhookStop,
      { enabled: { description: "Only false: the account itself enables it again.", examples: [false] } },
      { description: "Stops an endpoint.", examples: [{ enabled: false }] },
    ),
  },
  responses: {
    WebhookState: responseSchema(webhookState),
    WebhookStateList: responseSchema(webhookStateList),
  },
  operations: {
    "GET /operator/accounts/{posId}/webhooks": {
      operationId: "listAccountWebhooks",
      summary: "List an account's webhooks",
      description: "The host and state of each endpoint. Only the account sees the rest of the address and the secret.",
      parameters: [posId],
      answers: { 200: { description: "The endpoints.", schema: "WebhookStateList" } },
      refusals: { 404: "There is no such account, or no operator is set." },
    },
    "PATCH /operator/accounts/{posId}/webhooks/{webhookId}": {
      operationId: "stopWebhook",
      summary: "Disable an account's webhook",
      description: "Stops deliveries to the endpoint until its account enables it again. The account gets an event.",
      parameters: [posId, webhookId],
      body: { description: "The change.", schema: "WebhookStop" },
      answers: { 200: { description: "The endpoint as it is now.", schema: "WebhookState" } },
      refusals: { 404: "There is no such account or webhook, or no operator is set." },
    },
  },
};
