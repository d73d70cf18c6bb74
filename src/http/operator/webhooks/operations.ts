import { responseSchema, requestSchema } from "../../../contracts/json-schema.ts";
import { POS_ID_LENGTH } from "../../../protocol/lengths.ts";
import { type Family, inPath } from "../../openapi/operation.ts";
import { webhookSwitch } from "./requests.ts";
import { webhookState, webhookStateList } from "./responses.ts";

const posId = inPath("posId", "The account.", "POS-1001", { maxLength: POS_ID_LENGTH });
const webhookId = inPath("webhookId", "The webhook.", "wh_1", { pattern: "^wh_[1-9][0-9]*$" });

export const operatorWebhooks: Family = {
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
      operationId: "switchWebhook",
      summary: "Stop or start an account's webhook",
      description:
        "Stops deliveries to the endpoint until an operator starts it again; its account cannot. The account gets an event. " +
        "An endpoint that its account has disabled stays disabled.",
      parameters: [posId, webhookId],
      body: { description: "The change.", schema: "WebhookSwitch" },
      answers: { 200: { description: "The endpoint as it is now.", schema: "WebhookState" } },
      refusals: { 404: "There is no such account or webhook, or no operator is set." },
    },
  },
};
