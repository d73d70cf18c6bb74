import { responseSchema, type Note, requestSchema } from "../../contracts/json-schema.ts";
import { TERMINAL_EXAMPLES } from "../../contracts/terminal-examples.ts";
import { TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { signatureProblem } from "../../signing/problems.ts";
import { SIGNATURE } from "../../signing/signature.ts";
import { SUBPROTOCOL } from "../../protocol/frames.ts";
import { duration } from "../../time/duration.ts";
import type { Family } from "../openapi/operation.ts";
import { invalidRequest } from "../openapi/refusals.ts";
import { bindRequest, terminalLoginRequest } from "./requests.ts";
import { bound, terminalToken } from "./responses.ts";

/** Fields of every message that a terminal signs. */
const DATETIME: Note = {
  description:
    "When the message was signed, in UTC: `YYYYMMDDTHHMMSS`, with or without the `T`, within " +
    `${duration(CLOCK_TOLERANCE)} of the gateway's clock. Otherwise the error has the gateway's time in \`serverTime\`.`,
  examples: ["20261120T021500"],
};

function nonceOf(example: { nonce: string }, description: string): Note {
  return { description, examples: [example.nonce] };
}

function signatureOf(example: { signature: string }): Note {
  return {
    description:
      "HMAC-SHA-256 over the RFC 8785 form of the body without this member, keyed with the UTF-8 bytes of the " +
      "terminal's secret, as hexadecimal digits in either case.",
    minLength: 64,
    maxLength: 64,
    pattern: SIGNATURE.source,
    examples: [example.signature],
  };
}

const CLOCK = {
  summary: "The terminal's clock is off",
  problem: {
    path: "datetime",
    message: "datetime is 3600 seconds behind. Send UTC, based on serverTime.",
  },
  serverTime: Date.UTC(2026, 10, 20, 3, 15),
};

const TAKE_THE_TIME =
  `If the terminal's clock is more than ${duration(CLOCK_TOLERANCE)} off, \`serverTime\` is the gateway's time in epoch ` +
  "milliseconds: use it, sign again, and send again.";

export const terminal: Family = {
  tag: "Terminal",
  caller: "terminal",
  requests: {
    TerminalLoginRequest: requestSchema(
      terminalLoginRequest,
      {
        terminalId: { description: "The terminal's id, assigned by the operator.", examples: ["T-0001"] },
        datetime: DATETIME,
        nonce: nonceOf(
          TERMINAL_EXAMPLES.login,
          "A random string for this login. Without it, two logins of the same second are identical, and the second " +
            "is refused.",
        ),
        signature: signatureOf(TERMINAL_EXAMPLES.login),
      },
      { description: "The terminal's login. It does not contain the secret.", examples: [TERMINAL_EXAMPLES.login] },
    ),
    BindRequest: requestSchema(
      bindRequest,
      {
        key: {
          description: "A bind key as shown, in any case, with or without dashes. I and L count as 1, O as 0.",
          examples: ["7K3Q-9ZXM"],
        },
        datetime: DATETIME,
        nonce: nonceOf(TERMINAL_EXAMPLES.bind, "Any string. A bind needs none, because its key is valid once."),
        signature: signatureOf(TERMINAL_EXAMPLES.bind),
      },
      { description: "The signed key of the account to work for.", examples: [TERMINAL_EXAMPLES.bind] },
    ),
  },
  responses: {
    TerminalToken: responseSchema(terminalToken),
    Bound: responseSchema(bound),
  },
  operations: {
    "POST /terminal/login": {
      operationId: "loginTerminal",
      summary: "Log in a terminal",
      description:
        "Signed with the terminal's secret, which is never sent. Each login is valid once: sign again for every call, also " +
        "after a lost answer. The token is for bind and connect and is valid for " +
        `${duration(TERMINAL_TOKEN_LIFE)}. Only failures count, per terminal and address, and per address.`,
      caller: "none",
      body: { description: "The signed login.", schema: "TerminalLoginRequest" },
      answers: { 200: { description: "The terminal's token.", schema: "TerminalToken" } },
      refusals: {
        400: invalidRequest(`The message was not accepted. ${TAKE_THE_TIME}`, { clock: CLOCK }),
        401: "The terminal is unknown or retired, the signature is wrong, or the login was used before. The response is the same.",
        429: true,
      },
    },
    "POST /terminal/bind": {
      operationId: "bindTerminal",
      summary: "Bind a terminal to an account",
      description:
        "Signed with the terminal's secret: the token alone cannot bind. From now on the terminal works for the key's " +
        "account, even if it was bound to another account before. A terminal that sends its key again within the key's " +
        "life gets the same answer. Limited per terminal; messages that are signed wrong, per token and address.",
      body: { description: "The signed bind key.", schema: "BindRequest" },
      answers: { 200: { description: "The terminal is bound.", schema: "Bound" } },
      refusals: {
        400: invalidRequest(
          "The key is wrong, used or expired, the operator has assigned the terminal to another merchant, the signature is " +
            `wrong, or the terminal has a transaction in progress (the key stays valid). ${TAKE_THE_TIME}`,
          {
            signature: {
              summary: "The signature is wrong",
              problem: signatureProblem(TERMINAL_EXAMPLES.bind, "secret"),
            },
            clock: CLOCK,
          },
        ),
        401: "The token is missing, invalid or expired, the terminal is retired, or its secret was replaced.",
      },
    },
    "GET /terminal/connect": {
      operationId: "connectTerminal",
      summary: "Open a terminal's WebSocket",
      description:
        "An upgrade (RFC 6455). Send the token as `Authorization: Bearer` or, in browsers, as the second entry of " +
        `\`Sec-WebSocket-Protocol: ${SUBPROTOCOL}, <token>\`, never in the URL. The socket's protocol is in ` +
        "`/asyncapi.json`. Web pages may connect only from the gateway's own origin or one of `CORS_ORIGINS`. Limited per " +
        "terminal and address.",
      parameters: [
        {
          name: "Upgrade",
          in: "header",
          description: "Requests the WebSocket.",
          required: true,
          schema: { type: "string", enum: ["websocket"] },
        },
        {
          name: "Sec-WebSocket-Protocol",
          in: "header",
          description: `\`${SUBPROTOCOL}\`, in browsers followed by the token.`,
          required: false,
          schema: { type: "string", examples: [SUBPROTOCOL] },
        },
      ],
      answers: {
        101: {
          description: "The socket is open. The gateway sends `welcome`.",
          headers: {
            "Sec-WebSocket-Protocol": {
              description: "If the client offered it.",
              schema: { type: "string", const: SUBPROTOCOL },
            },
          },
        },
      },
      otherwise: "The socket is not open. A proxy on the way may block WebSockets.",
      refusals: {
        400: "The request is not an upgrade.",
        401: "The token is missing, invalid or expired, the terminal is retired, or its secret was replaced. Log in again.",
        403: "Web pages of this origin may not connect.",
      },
    },
  },
};
