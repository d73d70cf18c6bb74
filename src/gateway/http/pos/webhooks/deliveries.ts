import { DELIVERY_WAIT, WEBHOOK_TOLERANCE } from "../../../../protocol/limits.ts";
import { isAboutTransaction } from "../../../../protocol/events.ts";
import { WEBHOOK_HEADERS } from "../../../../protocol/webhooks.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { EVENT_EXAMPLES, EVENT_SUMMARIES } from "../../../../protocol/schemas/event-examples.ts";
import type { OpenApiOperation, Parameter, PathItem } from "../../openapi/document.ts";
import { PING_EXAMPLE } from "../../../../protocol/schemas/webhooks.ts";

function header(name: string, description: string, pattern: string, example: string): Parameter {
  return { name, in: "header", required: true, description, schema: { type: "string", pattern, examples: [example] } };
}

const HEADERS: Parameter[] = [
  header(
    WEBHOOK_HEADERS.id,
    "The event's id: the same for every attempt and every endpoint. Use it to recognise repeated events.",
    "^(?:evt|ping)_[A-Za-z0-9._-]+$",
    "evt_POS-0001_41",
  ),
  header(
    WEBHOOK_HEADERS.timestamp,
    `When this attempt was sent, in seconds since 1970. Refuse deliveries that are more than ${duration(WEBHOOK_TOLERANCE)} off.`,
    "^[0-9]+$",
    "1795428942",
  ),
  header(
    WEBHOOK_HEADERS.signature,
    "`v1,` and base64 of HMAC-SHA-256 over id, timestamp and body, with dots between, keyed with the secret's bytes. While " +
      "a replaced secret still signs, there are two, separated by a space: one valid signature is enough.",
    "^v1,[A-Za-z0-9+/]{43}=(?: v1,[A-Za-z0-9+/]{43}=)*$",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

const RESPONSES: OpenApiOperation["responses"] = {
  "2XX": { description: `The event is received. Respond within ${duration(DELIVERY_WAIT)}. Only the status is read.` },
  410: { description: "The receiver wants no more events: the webhook is disabled immediately." },
  default: { description: "The event is sent again later. No other event is sent before it." },
};

function nameOf(type: string): string {
  return type.replaceAll(/(?:^|\.)(.)/g, (_match, first: string) => first.toUpperCase());
}

interface Delivery {
  type: string;
  schema: string;
  summary: string;
  description: string;
  example: unknown;
}

function delivery({ type, schema, summary, description, example }: Delivery): PathItem {
  return {
    post: {
      operationId: `on${nameOf(type)}`,
      summary,
      description,
      tags: ["Webhooks"],
      security: [],
      parameters: HEADERS,
      requestBody: {
        description: "The same bytes as in `GET /api/events`. Verify them before you parse them.",
        required: true,
        content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example } },
      },
      responses: RESPONSES,
    },
  };
}

export function deliveries(): Record<string, PathItem> {
  const ofEvents = Object.values(EVENT_EXAMPLES).map((example): Delivery => ({
    type: example.type,
    schema: isAboutTransaction(example) ? "TransactionEvent" : `${nameOf(example.type)}Event`,
    summary: EVENT_SUMMARIES[example.type],
    description: `An event \`${example.type}\`, posted to every endpoint of the account, in the order of the numbers.`,
    example,
  }));
  const ping: Delivery = {
    type: "ping",
    schema: "Ping",
    summary: "A test",
    description: "What `POST /api/webhooks/{webhookId}/test` sends: not an event, without a number, outside the order.",
    example: PING_EXAMPLE,
  };
  return Object.fromEntries([...ofEvents, ping].map((one) => [one.type, delivery(one)]));
}
