import { made, type Note, taken } from "../../contracts/json-schema.ts";
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

/** Members of every message that a terminal signs. */
const DATETIME: Note = {
  description:
    "When the message was signed, in UTC: `YYYYMMDDTHHMMSS`, the `T` may be left out. Within " +
    `${duration(CLOCK_TOLERANCE)} of the gateway's clock;` +
    " where it is not, the answer's `serverTime` tells the time.",
  examples: ["20261120T021500"],
};

function nonceOf(example: { nonce: string }, description: string): Note {
  return { description, examples: [example.nonce] };
}

function signatureOf(example: { signature: string }): Note {
  return {
    description:
      "HMAC-SHA-256 over the RFC 8785 form of the body without this member, keyed with the UTF-8 bytes of the " +
      "terminal's secret, in hexadecimal of either case.",
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
    message: "The clock is 3600 seconds slow; datetime is UTC. Take serverTime.",
  },
  serverTime: Date.UTC(2026, 10, 20, 3, 15),
};

const TAKE_THE_TIME =
  `Where the clock is more than ${duration(CLOCK_TOLERANCE)} off, \`serverTime\` tells the gateway's, in epoch ` +
  "milliseconds: take it, sign anew, send again.";

export const terminal: Family = {
  tag: "Terminal",
  caller: "terminal",
  requests: {
    TerminalLoginRequest: taken(
      terminalLoginRequest,
      {
        terminalId: { description: "The terminal, as the operator named it.", examples: ["T-0001"] },
        datetime: DATETIME,
        nonce: nonceOf(
          TERMINAL_EXAMPLES.login,
          "A text drawn at random for this login. Without it, two logins of the same second are one and the same, and the " +
            "second of them is refused.",
        ),
        signature: signatureOf(TERMINAL_EXAMPLES.login),
      },
      { description: "Which terminal logs in. Its secret does not travel.", examples: [TERMINAL_EXAMPLES.login] },
    ),
    BindRequest: taken(
      bindRequest,
      {
        key: {
          description:
            "A bind key, as it was shown: in any case, with dashes anywhere; I and L are taken for 1, O for 0.",
          examples: ["7K3Q-9ZXM"],
        },
        datetime: DATETIME,
        nonce: nonceOf(TERMINAL_EXAMPLES.bind, "Any text. A bind needs none: its key is good once."),
        signature: signatureOf(TERMINAL_EXAMPLES.bind),
      },
      { description: "The key of the account to work for, signed.", examples: [TERMINAL_EXAMPLES.bind] },
    ),
  },
  responses: {
    TerminalToken: made(terminalToken),
    Bound: made(bound),
  },
  operations: {
    "POST /terminal/login": {
      operationId: "loginTerminal",
      summary: "Log a terminal in",
      description:
        "Signed with the terminal's secret, which does not travel. Each login is good once: sign anew for every call, also " +
        "where an answer was lost. The token is good for bind and connect, for " +
        `${duration(TERMINAL_TOKEN_LIFE)}. Limited per terminal and address, and per address.`,
      caller: "none",
      body: { description: "Which terminal, signed.", schema: "TerminalLoginRequest" },
      answers: { 200: { description: "The terminal's token.", schema: "TerminalToken" } },
      refusals: {
        400: invalidRequest(`The message was not taken. ${TAKE_THE_TIME}`, { clock: CLOCK }),
        401: "The terminal is unknown or retired, or the signature is wrong, or the login was used before: all the same.",
        429: true,
      },
    },
    "POST /terminal/bind": {
      operationId: "bindTerminal",
      summary: "Bind a terminal to an account",
      description:
        "Signed with the terminal's secret: the token alone binds nothing. The terminal works for the account whose key " +
        "this is from now on, whatever it was bound to before. A terminal that repeats its key within the key's life gets " +
        "the same answer. Limited per terminal.",
      body: { description: "The key that the account was given, signed.", schema: "BindRequest" },
      answers: { 200: { description: "The terminal is bound.", schema: "Bound" } },
      refusals: {
        400: invalidRequest(
          "The key is wrong, used or expired; or the operator has assigned the terminal to another merchant; or it has a " +
            `transaction running: then the key stays valid. Or the signature is wrong. ${TAKE_THE_TIME}`,
          {
            signature: {
              summary: "The signature does not hold",
              problem: signatureProblem(TERMINAL_EXAMPLES.bind, "secret"),
            },
            clock: CLOCK,
          },
        ),
        401: "The token is missing, invalid or expired, or the terminal is retired, or its secret was replaced.",
      },
    },
    "GET /terminal/connect": {
      operationId: "connectTerminal",
      summary: "Open a terminal's WebSocket",
      description:
        "An upgrade (RFC 6455). The token travels as `Authorization: Bearer` or, for browsers, as the second entry of " +
        `\`Sec-WebSocket-Protocol: ${SUBPROTOCOL}, <token>\`; never in the URL. What is said on the socket is described in ` +
        "`/asyncapi.json`. A page may connect only from the gateway's own origin or one of `CORS_ORIGINS`. Limited per " +
        "terminal and address.",
      parameters: [
        {
          name: "Upgrade",
          in: "header",
          description: "Asks for the WebSocket.",
          required: true,
          schema: { type: "string", enum: ["websocket"] },
        },
        {
          name: "Sec-WebSocket-Protocol",
          in: "header",
          description: `\`${SUBPROTOCOL}\`; in browsers followed by the token.`,
          required: false,
          schema: { type: "string", examples: [SUBPROTOCOL] },
        },
      ],
      answers: {
        101: {
          description: "The socket is open; the gateway's `welcome` is on its way.",
          headers: {
            "Sec-WebSocket-Protocol": {
              description: "Where it was offered.",
              schema: { type: "string", const: SUBPROTOCOL },
            },
          },
        },
      },
      otherwise: "The socket is not open: something on the way, a proxy perhaps, lets no WebSocket pass.",
      refusals: {
        400: "No upgrade was asked for.",
        401: "The token is missing, invalid or expired, or the terminal is retired, or its secret was replaced: log in again.",
        403: "Pages of this origin may not connect.",
      },
    },
  },
};
