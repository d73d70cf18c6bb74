/** Generated when the site is built, which adds the introduction. */
import { ACCEPT_WITHIN } from "../../protocol/limits/transfers.ts";
import { HEARTBEAT_SECONDS, HELLO_WITHIN, PROBE_WAIT } from "../../protocol/limits/connections.ts";
import { duration } from "../../protocol/time/duration.ts";
import { PING, PONG, SUBPROTOCOL } from "../../protocol/frames.ts";
import { CLOSE_CODES } from "./close-codes.ts";
import { gatewayFrames, terminalFrames, terminalParts } from "./frames.ts";
import { type JsonSchema, schemasOf } from "../../gateway/http/openapi/json-schema.ts";
import { FURTHER_FRAMES, GATEWAY_FRAMES, TERMINAL_FRAMES } from "../../gateway/http/openapi/terminal-examples.ts";

export type AsyncApiDocument = ReturnType<typeof asyncApi>;

export interface Reference {
  $ref: string;
}

export interface Message {
  name: string;
  title: string;
  summary: string;
  contentType: string;
  /** Connects a request with the other messages about the same transaction. */
  correlationId?: { description: string; location: string };
  payload: JsonSchema;
  examples: { name: string; summary: string; payload: unknown }[];
}

export interface Operation {
  action: "send" | "receive";
  channel: Reference;
  title: string;
  summary: string;
  description: string;
  messages: Reference[];
  reply?: { channel: Reference; messages: Reference[] };
}

const CHANNEL = "terminal";
const TEXT = "text/plain";

const nameOf = (type: string): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}`;

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
  description: "The number of the request.",
  location: "$message.payload#/requestId",
};

function bare(text: string, summary: string): Message {
  return {
    name: text,
    title: `Plain text ${text}`,
    summary,
    contentType: TEXT,
    payload: { type: "string", const: text, description: "Exactly this text, not JSON." },
    examples: [{ name: text, summary: "The whole message.", payload: text }],
  };
}

const inChannel = (name: string): Reference => ({ $ref: `#/channels/${CHANNEL}/messages/${name}` });

interface Exchange extends Omit<Operation, "channel" | "messages" | "reply"> {
  messages: string[];
  reply?: string[];
}

function operation({ messages, reply, ...words }: Exchange): Operation {
  const channel = { $ref: `#/channels/${CHANNEL}` };
  return {
    ...words,
    channel,
    messages: messages.map(inChannel),
    ...(reply === undefined ? {} : { reply: { channel, messages: reply.map(inChannel) } }),
  };
}

const EXCHANGES: Record<string, Exchange> = {
  sendWelcome: {
    action: "send",
    title: "Welcome",
    summary: "Greets a terminal and asks for its hello.",
    description: `The first frame on every connection. The terminal answers with \`hello\` within ${duration(HELLO_WITHIN)}.`,
    messages: ["Welcome"],
    reply: ["Hello"],
  },
  receiveHello: {
    action: "receive",
    title: "Hello",
    summary: "Receives a terminal's hello.",
    description: "The gateway answers with `ready`, then completes the open requests according to the terminal's list.",
    messages: ["Hello"],
    reply: ["Ready"],
  },
  sendRequest: {
    action: "send",
    title: "Request",
    summary: "Asks a terminal to process a transaction.",
    description: `The terminal answers with \`accepted\` or \`refused\` within ${duration(ACCEPT_WITHIN)}, and with a \`result\` by \`respondBy\`.`,
    messages: ["Request"],
    reply: ["Accepted", "Refused", "Result"],
  },
  sendQuestion: {
    action: "send",
    title: "Ask or cancel",
    summary: "Asks for the outcome of a request, or asks to stop it.",
    description: "The terminal answers with the `result`, or with `refused` and the reason `unknown`.",
    messages: ["Ask", "Cancel"],
    reply: ["Result", "Refused"],
  },
  receiveReport: {
    action: "receive",
    title: "Acceptance, refusal, progress",
    summary: "Receives a terminal's reports about a request before its result.",
    description: "No reply.",
    messages: ["Accepted", "Refused", "Progress"],
  },
  receiveResult: {
    action: "receive",
    title: "Result",
    summary: "Receives the result of a request.",
    description: "The gateway answers with `ack` when the result is durably stored, or with `error`.",
    messages: ["Result"],
    reply: ["Ack", "Error"],
  },
  sendBinding: {
    action: "send",
    title: "Binding",
    summary: "Tells a terminal which account it works for.",
    description: "Sent when the account, its merchant, its currency or its time zone changes. No answer.",
    messages: ["Binding"],
  },
  sendError: {
    action: "send",
    title: "Error",
    summary: "Tells a terminal that the gateway rejected a frame.",
    description: "No reply.",
    messages: ["Error"],
  },
  receivePing: {
    action: "receive",
    title: "A terminal's ping",
    summary: "Receives a terminal's heartbeat.",
    description: `Sent every ${HEARTBEAT_SECONDS} seconds. The gateway answers with \`${PONG}\`.`,
    messages: ["Ping"],
    reply: ["Pong"],
  },
  sendPing: {
    action: "send",
    title: "The gateway's ping",
    summary: "Checks whether a terminal is still connected.",
    description: `Sent after a silence, before a request. The terminal answers with \`${PONG}\` within ${duration(PROBE_WAIT)}.`,
    messages: ["Ping"],
    reply: ["Pong"],
  },
};

export function asyncApi() {
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
    Ping: bare(PING, "Checks the connection. Sent by either side."),
    Pong: bare(PONG, "The immediate reply to ping."),
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
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
      tags: [{ name: "terminal", description: "For makers of payment terminals." }],
    },
    defaultContentType: "application/json",
    servers: {
      gateway: {
        host: "gateway.example.com",
        protocol: "wss",
        description: "The deployed gateway: the host that serves this document.",
        security,
      },
      local: { host: "127.0.0.1:8787", protocol: "ws", description: "`npm start` on your machine.", security },
    },
    channels: {
      [CHANNEL]: {
        address: "/terminal/connect",
        title: "The terminal's socket",
        description:
          "One WebSocket per terminal, which the terminal opens and keeps open. The latest connection with a valid `hello` is " +
          "the current one. The gateway ignores frames on all others.",
        servers: [{ $ref: "#/servers/gateway" }, { $ref: "#/servers/local" }],
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: "GET", headers: UPGRADE_HEADERS, bindingVersion: "0.1.0" } },
        "x-close-codes": CLOSE_CODES,
      },
    },
    operations: Object.fromEntries(Object.entries(EXCHANGES).map(([name, exchange]) => [name, operation(exchange)])),
    components: {
      messages,
      schemas,
      securitySchemes: {
        terminalToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The token from `POST /terminal/login`, in the upgrade's `Authorization` header.",
        },
        terminalTokenOfABrowser: {
          type: "httpApiKey",
          in: "header",
          name: "Sec-WebSocket-Protocol",
          description: `The same token as the second entry: \`${SUBPROTOCOL}, <token>\`.`,
        },
      },
    },
  };
}

/** One of the two has the token. */
const UPGRADE_HEADERS: JsonSchema = {
  type: "object",
  properties: {
    Authorization: { type: "string", description: "`Bearer` and the terminal's token.", pattern: "^Bearer \\S+$" },
    "Sec-WebSocket-Protocol": {
      type: "string",
      description: `\`${SUBPROTOCOL}\`, in browsers followed by the token.`,
      examples: [SUBPROTOCOL],
    },
  },
};
