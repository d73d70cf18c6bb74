/** What a terminal calls; the socket itself is AsyncAPI's. */
import { CLOCK_TOLERANCE, TERMINAL_TOKEN_LIFE } from "../../limits.ts";
import { duration } from "../../time/duration.ts";
import { SUBPROTOCOL } from "../../terminal/frames.ts";
import type { Particulars } from "./operation.ts";
import { invalidRequest } from "./refusals.ts";

export const TERMINAL_PATHS: Particulars[] = [
  {
    method: "post",
    path: "/terminal/login",
    operationId: "loginTerminal",
    summary: "Log a terminal in",
    description:
      "Signed with the terminal's secret, which does not travel. The token is good for bind and connect, for " +
      `${duration(TERMINAL_TOKEN_LIFE)}. Limited per terminal and address, and per address.`,
    tag: "Terminal",
    caller: "none",
    body: { description: "Which terminal, signed.", schema: "TerminalLoginRequest" },
    answers: { 200: { description: "The terminal's token.", schema: "TerminalToken" } },
    refusals: {
      400: invalidRequest(
        `The message was not taken. Where the clock is more than ${duration(CLOCK_TOLERANCE)} off, \`serverTime\` tells the ` +
          "gateway's, in epoch milliseconds: take it, sign anew, send again.",
        {
          clock: {
            summary: "The terminal's clock is off",
            problem: {
              path: "datetime",
              message: "The clock is 3600 seconds slow; datetime is UTC. Take serverTime.",
            },
            serverTime: Date.UTC(2026, 10, 20, 3, 15),
          },
        },
      ),
      401: "The terminal is unknown or retired, or the signature is wrong: all the same.",
      429: true,
    },
  },
  {
    method: "post",
    path: "/terminal/bind",
    operationId: "bindTerminal",
    summary: "Bind a terminal to an account",
    description:
      "The terminal works for the account whose key this is from now on, whatever it was bound to before. A terminal that " +
      "repeats its key within the key's life gets the same answer. Limited per terminal.",
    tag: "Terminal",
    caller: "terminal",
    body: { description: "The key that the account was given.", schema: "BindRequest" },
    answers: { 200: { description: "The terminal is bound.", schema: "Bound" } },
    refusals: {
      400:
        "The key is wrong, used or expired; or the operator has assigned the terminal to another merchant; or it has a " +
        "transaction running: then the key stays valid.",
      401: "The token is missing, invalid or expired, or the terminal is retired, or its secret was replaced.",
    },
  },
  {
    method: "get",
    path: "/terminal/connect",
    operationId: "connectTerminal",
    summary: "Open a terminal's WebSocket",
    description:
      "An upgrade (RFC 6455). The token travels as `Authorization: Bearer` or, for browsers, as the second entry of " +
      `\`Sec-WebSocket-Protocol: ${SUBPROTOCOL}, <token>\`; never in the URL. What is said on the socket is described in ` +
      "`/asyncapi.json`. A page may connect only from the gateway's own origin or one of `CORS_ORIGINS`. Limited per " +
      "terminal.",
    tag: "Terminal",
    caller: "terminal",
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
];
