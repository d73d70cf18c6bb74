/**
 * The document at `/asyncapi.json`, which is made when the site is built; the build adds the introduction. It is in
 * version 3.0.0, because generators make nothing of 3.1.0
 * (https://www.asyncapi.com/docs/reference/specification/v3.0.0).
 */
import { ACCEPT_WITHIN, HEARTBEAT_SECONDS, HELLO_WITHIN, PROBE_WAIT } from "../../protocol/limits.ts";
import { PING, PONG, SUBPROTOCOL } from "../../protocol/frames.ts";
import { duration } from "../../protocol/time/duration.ts";
import { CLOSE_CODES } from "./close-codes.ts";
import { frameSchemas } from "./frames.ts";
import { capital, type JsonSchema } from "../../gateway/http/openapi/json-schema.ts";
import { FURTHER_FRAMES, GATEWAY_FRAMES, TERMINAL_FRAMES } from "../../gateway/http/openapi/terminal-examples.ts";

export type AsyncApiDocument = ReturnType<typeof asyncApi>;
export type AsyncApiMessage = ReturnType<typeof message>;
export type AsyncApiOperation = ReturnType<typeof operation>;

type Exchange = readonly [action: "send" | "receive", frames: string, reply: string, description: string];

const THEN_HELLO = `The terminal answers with \`hello\` within ${duration(HELLO_WITHIN)}.`;
const THEN_READY =
  "The gateway answers with `ready`, then completes the open requests according to the terminal's list.";
const THEN_OUTCOME = "The terminal answers with the `result`, or with `refused` and the reason `unknown`.";
const THEN_ACK = "The gateway answers with `ack` when the result is durably stored, or with `error`.";
const THEN_RESULT = `The terminal answers with \`accepted\` or \`refused\` within ${duration(ACCEPT_WITHIN)}, and with a \`result\` by \`respondBy\`.`;
const THEN_PONG = `The terminal answers with \`${PONG}\` within ${duration(PROBE_WAIT)}.`;

const EXCHANGES = {
  sendWelcome: ["send", "Welcome", "Hello", `Greets a terminal: the first frame on every connection. ${THEN_HELLO}`],
  receiveHello: ["receive", "Hello", "Ready", `Makes this connection the current one. ${THEN_READY}`],
  sendRequest: ["send", "Request", "Accepted Refused Result", `Asks to process a transaction. ${THEN_RESULT}`],
  sendQuestion: ["send", "Ask Cancel", "Result Refused", `Asks for an outcome, or to stop. ${THEN_OUTCOME}`],
  receiveReport: ["receive", "Accepted Refused Progress", "", "Reports about a request before its result."],
  receiveResult: ["receive", "Result", "Ack Error", `Ends a request. ${THEN_ACK}`],
  sendBinding: ["send", "Binding", "", "Sent when the account, its merchant, its currency or its time zone changes."],
  sendError: ["send", "Error", "", "Reports that the gateway rejected a frame."],
  receivePing: ["receive", "Ping", "Pong", `A terminal's heartbeat, every ${HEARTBEAT_SECONDS} seconds.`],
  sendPing: ["send", "Ping", "Pong", `Checks the connection after a silence, before a request. ${THEN_PONG}`],
} as const satisfies Record<string, Exchange>;

const reference = (path: string) => ({ $ref: `#/${path}` });
const CHANNEL = reference("channels/terminal");

const inChannel = (names: string) => names.split(" ").map((name) => reference(`channels/terminal/messages/${name}`));

function operation([action, frames, reply, description]: Exchange) {
  const answered = reply === "" ? {} : { reply: { channel: CHANNEL, messages: inChannel(reply) } };
  return { action, channel: CHANNEL, description, messages: inChannel(frames), ...answered };
}

function message(
  name: string,
  summary: string,
  payload: JsonSchema,
  examples: { summary: string; payload: unknown }[],
) {
  const contentType = payload.type === "string" ? "text/plain" : "application/json";
  return { name, summary, contentType, payload, examples };
}

function bare(text: string, summary: string) {
  const schema = { type: "string", const: text, description: "Exactly this text, not JSON." };
  return [capital(text), message(text, summary, schema, [{ summary: "The whole message.", payload: text }])] as const;
}

function messages(schemas: Record<string, JsonSchema>) {
  const frames = Object.values({ ...GATEWAY_FRAMES, ...TERMINAL_FRAMES }).map((frame) => {
    const name = capital(frame.type);
    const further = FURTHER_FRAMES.filter(({ payload }) => payload.type === frame.type);
    const examples = [{ summary: `${/^[aeiou]/u.test(frame.type) ? "An" : "A"} ${frame.type} frame.`, payload: frame }];
    const schema = reference(`components/schemas/${name}`);
    return [name, message(frame.type, schemas[name]?.description ?? "", schema, [...examples, ...further])] as const;
  });
  const pings = [bare(PING, "Checks the connection. Sent by either side."), bare(PONG, "The immediate reply to ping.")];
  return Object.fromEntries([...frames, ...pings]);
}

export function asyncApi() {
  const schemas = frameSchemas();
  const all = messages(schemas);
  const names = Object.keys(all).map((name) => [name, reference(`components/messages/${name}`)]);
  const security = ["terminalToken", "terminalTokenOfABrowser"].map((name) =>
    reference(`components/securitySchemes/${name}`),
  );
  const token = "The token from `POST /terminal/login`, in the upgrade's `Authorization` header.";
  const second = `The same token as the second entry: \`${SUBPROTOCOL}, <token>\`.`;
  const socket =
    "One WebSocket per terminal, which the terminal opens and keeps open. The latest connection with a valid `hello` is " +
    "the current one. The gateway ignores frames on all others.";
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Payment terminal gateway: the terminal's socket",
      version: "1.0.0",
      license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" },
      tags: [{ name: "terminal", description: "For makers of payment terminals." }],
    },
    defaultContentType: "application/json",
    servers: {
      gateway: { host: "gateway.example.com", protocol: "wss", description: "The deployed gateway.", security },
      local: { host: "127.0.0.1:8787", protocol: "ws", description: "`npm start` on your machine.", security },
    },
    channels: {
      terminal: {
        address: "/terminal/connect",
        title: "The terminal's socket",
        description: socket,
        messages: Object.fromEntries(names) as Record<string, { $ref: string }>,
        bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } },
        "x-close-codes": CLOSE_CODES,
      },
    },
    operations: Object.fromEntries(Object.entries(EXCHANGES).map(([name, exchange]) => [name, operation(exchange)])),
    components: {
      messages: all,
      schemas,
      securitySchemes: {
        terminalToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: token },
        terminalTokenOfABrowser: {
          type: "httpApiKey",
          in: "header",
          name: "Sec-WebSocket-Protocol",
          description: second,
        },
      },
    },
  };
}
