/** The AsyncAPI 3 document of the terminal's WebSocket. Made when the site is built. */
import { ACCEPT_WITHIN } from "../protocol/limits/transfers.ts";
import { HEARTBEAT_SECONDS, HELLO_WITHIN, PROBE_WAIT } from "../protocol/limits/connections.ts";
import { duration } from "../time/duration.ts";
import { PING, PONG, SUBPROTOCOL } from "../protocol/frames.ts";
import { CLOSE_CODES } from "./asyncapi/close-codes.ts";
import type { AsyncApiDocument, Message, Operation, Reference } from "./asyncapi/document.ts";
import { INTRODUCTION } from "./asyncapi/introduction.ts";
import { gatewayFrames, terminalFrames, terminalParts } from "./components/frames.ts";
import { type JsonSchema, schemasOf } from "./json-schema.ts";
import { FURTHER_FRAMES, GATEWAY_FRAMES, TERMINAL_FRAMES } from "./terminal-examples.ts";

export type { AsyncApiDocument };

const CHANNEL = "terminal";
const TEXT = "text/plain";

const nameOf = (type: string): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}`;

/** A frame as a message of the document. */
function frame(type: string, payload: object, schemas: Record<string, JsonSchema>): Message {
  const name = nameOf(type);
  const further = FURTHER_FRAMES.filter((example) => example.payload.type === type);
  return {
    name: type,
    title: name,
    summary: schemas[name]?.description ?? "",
    contentType: "application/json",
    ...("requestId" in payload ? { correlationId: BY_REQUEST } : {}),
    payload: { $ref: `#/components/schemas/${name}` },
    examples: [{ name: type, summary: `${/^[aeiou]/u.test(type) ? "An" : "A"} ${type} frame.`, payload }, ...further],
  };
}

const BY_REQUEST = {
  description: "The number of the request that it is about.",
  location: "$message.payload#/requestId",
};

function bare(text: string, summary: string): Message {
  return {
    name: text,
    title: `Bare ${text}`,
    summary,
    contentType: TEXT,
    payload: { type: "string", const: text, description: "Exactly this text, and no JSON." },
    examples: [{ name: text, summary: "The whole message.", payload: text }],
  };
}

const inChannel = (name: string): Reference => ({ $ref: `#/channels/${CHANNEL}/messages/${name}` });

function operation(
  action: Operation["action"],
  title: string,
  summary: string,
  description: string,
  messages: string[],
  reply?: string[],
): Operation {
  const channel = { $ref: `#/channels/${CHANNEL}` };
  return {
    action,
    channel,
    title,
    summary,
    description,
    messages: messages.map(inChannel),
    ...(reply === undefined ? {} : { reply: { channel, messages: reply.map(inChannel) } }),
  };
}

export function asyncApi(): AsyncApiDocument {
  const schemas = {
    ...schemasOf(gatewayFrames, "output"),
    ...schemasOf(terminalParts, "output"),
    ...schemasOf(terminalFrames, "input"),
  };
  const messages: Record<string, Message> = {
    ...Object.fromEntries(
      Object.entries({ ...GATEWAY_FRAMES, ...TERMINAL_FRAMES }).map(([type, payload]) => [
        nameOf(type),
        frame(type, payload, schemas),
      ]),
    ),
    Ping: bare(PING, "Are you there? From either side."),
    Pong: bare(PONG, "The answer to ping, at once."),
  };
  const security = [
    { $ref: "#/components/securitySchemes/terminalToken" },
    { $ref: "#/components/securitySchemes/terminalTokenOfABrowser" },
  ];
  return {
    asyncapi: "3.1.0",
    info: {
      title: "Payment terminal gateway: the terminal's socket",
      version: "1.0.0",
      description: INTRODUCTION,
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
      tags: [{ name: "terminal", description: "For makers of payment terminals." }],
    },
    defaultContentType: "application/json",
    servers: {
      gateway: {
        host: "gateway.example.com",
        protocol: "wss",
        description: "Wherever the gateway is deployed: the host that this document was fetched from.",
        security,
      },
      local: { host: "127.0.0.1:8787", protocol: "ws", description: "`npm start` on your own machine.", security },
    },
    channels: {
      [CHANNEL]: {
        address: "/terminal/connect",
        title: "The terminal's socket",
        description:
          "One WebSocket per terminal, opened by it and kept open. The latest connection that said a valid `hello` is the " +
          "current one; frames of every other one are ignored.",
        servers: [{ $ref: "#/servers/gateway" }, { $ref: "#/servers/local" }],
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: "GET", headers: UPGRADE_HEADERS, bindingVersion: "0.1.0" } },
        "x-close-codes": CLOSE_CODES,
      },
    },
    operations: {
      sendWelcome: operation(
        "send",
        "Welcome",
        "Greets a terminal, and asks who it is.",
        `The first frame on every connection. Answered with \`hello\` within ${duration(HELLO_WITHIN)}.`,
        ["Welcome"],
        ["Hello"],
      ),
      receiveHello: operation(
        "receive",
        "Hello",
        "Takes a terminal's hello.",
        "Answered with `ready`; then the gateway clears up what is open between the two, by what the terminal lists.",
        ["Hello"],
        ["Ready"],
      ),
      sendRequest: operation(
        "send",
        "Request",
        "Asks a terminal to carry out a transaction.",
        `Answered with \`accepted\` or \`refused\` within ${duration(ACCEPT_WITHIN)}, and with a \`result\` until \`respondBy\`.`,
        ["Request"],
        ["Accepted", "Refused", "Result"],
      ),
      sendQuestion: operation(
        "send",
        "Ask or cancel",
        "Asks what became of a request, or to stop it.",
        "Answered with the `result`, or with `refused` and the reason `unknown`.",
        ["Ask", "Cancel"],
        ["Result", "Refused"],
      ),
      receiveReport: operation(
        "receive",
        "Acceptance, refusal, progress",
        "Takes what a terminal says about a request before its result.",
        "Not answered.",
        ["Accepted", "Refused", "Progress"],
      ),
      receiveResult: operation(
        "receive",
        "Result",
        "Takes the result of a request.",
        "Answered with `ack` when it is durable, or with `error`.",
        ["Result"],
        ["Ack", "Error"],
      ),
      sendBinding: operation(
        "send",
        "Binding",
        "Tells a terminal whom it works for.",
        "Whenever the account, its merchant, its currency or its time zone changes. Not answered.",
        ["Binding"],
      ),
      sendError: operation("send", "Error", "Tells a terminal that a frame was not taken.", "Not answered.", ["Error"]),
      receivePing: operation(
        "receive",
        "A terminal's ping",
        "Takes a terminal's heartbeat.",
        `Every ${HEARTBEAT_SECONDS} seconds. Answered with \`${PONG}\`.`,
        ["Ping"],
        ["Pong"],
      ),
      sendPing: operation(
        "send",
        "The gateway's ping",
        "Asks whether a terminal is still there.",
        `After a silence, before a request is sent. Answered with \`${PONG}\` within ${duration(PROBE_WAIT)}.`,
        ["Ping"],
        ["Pong"],
      ),
    },
    components: {
      messages,
      schemas,
      securitySchemes: {
        terminalToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The token of `POST /terminal/login`, in the upgrade's `Authorization`.",
        },
        terminalTokenOfABrowser: {
          type: "httpApiKey",
          in: "header",
          name: "Sec-WebSocket-Protocol",
          description: `The same as the second entry: \`${SUBPROTOCOL}, <token>\`.`,
        },
      },
    },
  };
}

/** Of the upgrade; one of the two carries the token. */
const UPGRADE_HEADERS: JsonSchema = {
  type: "object",
  properties: {
    Authorization: { type: "string", description: "`Bearer` and the terminal's token.", pattern: "^Bearer \\S+$" },
    "Sec-WebSocket-Protocol": {
      type: "string",
      description: `\`${SUBPROTOCOL}\`; in browsers followed by the token.`,
      examples: [SUBPROTOCOL],
    },
  },
};
