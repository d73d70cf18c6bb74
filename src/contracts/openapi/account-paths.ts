/** Login, terminals, wallets: what an account's till calls beside transfers. */
import { ACCESS_TOKEN_LIFE, BIND_KEY_LIFE, OPEN_BIND_KEYS, PREBIND_ENTRIES, REFRESH_REPEAT } from "../../limits.ts";
import { duration } from "../../time/duration.ts";
import { channelsQuery } from "../../http/messages/account.ts";
import { TERMINAL_ID_LENGTH } from "../../validation/fields.ts";
import { headers } from "./refusals.ts";
import { inPath, type Particulars, queryParameters } from "./operation.ts";

const terminalIdInPath = inPath("terminalId", "The terminal's unique id.", "T-1001", { maxLength: TERMINAL_ID_LENGTH });

export const ACCOUNT_PATHS: Particulars[] = [
  {
    method: "post",
    path: "/auth/login",
    operationId: "login",
    summary: "Log in",
    description:
      `Opens a session of the account. The access token lives for ${duration(ACCESS_TOKEN_LIFE)}, both tokens until 12 AM in ` +
      "the account's time zone at the latest. An unknown `posId` and a wrong password are answered alike, and take as long. " +
      "Limited per account and address, and per address.",
    tag: "Session",
    caller: "none",
    body: { description: "The account and its password.", schema: "LoginRequest" },
    answers: { 200: { description: "The session is open.", schema: "TokenPair" } },
    refusals: {
      401: "`posId` or password is wrong.",
      403: "The account is suspended or deleted; said only after the right password.",
      429: true,
    },
  },
  {
    method: "post",
    path: "/auth/refresh",
    operationId: "refresh",
    summary: "Get a new token pair",
    description:
      "The refresh token, sent as `Authorization: Bearer`, is replaced with the pair: the old one is used up. Within " +
      `${duration(REFRESH_REPEAT)} it still gets the same pair again, byte for byte, so that a lost answer or two ` +
      "threads at once lock nobody out. Used later, it ends the session: somebody else may have it. No body is needed.",
    tag: "Session",
    caller: "refresh",
    answers: { 200: { description: "The new pair.", schema: "TokenPair" } },
    refusals: { 401: "The refresh token is missing, invalid, expired or used up, or the session has ended: log in." },
  },
  {
    method: "post",
    path: "/auth/logout",
    operationId: "logout",
    summary: "Log out",
    description: "Ends the session of the token, an access or a refresh token, at once. No body is needed.",
    tag: "Session",
    caller: "session",
    answers: { 200: { description: "The session has ended.", schema: "Done" } },
  },
  {
    method: "get",
    path: "/api/bind-terminal-key",
    operationId: "getBindTerminalKey",
    summary: "Get a key for a terminal to bind itself with",
    description:
      `A new key for one terminal, good for ${duration(BIND_KEY_LIFE)}. An account has at most ${OPEN_BIND_KEYS} ` +
      "open keys; one more retires the oldest.",
    tag: "Terminals",
    caller: "access",
    parameters: [
      {
        name: "option",
        in: "query",
        description: "`image`: the key as a QR code. Anything else, or nothing: as JSON.",
        required: false,
        schema: { type: "string", examples: ["image"] },
      },
    ],
    answers: {
      200: {
        description: "The key, as JSON or as a QR code that holds exactly its text.",
        headers: {
          ...headers(),
          "X-Bind-Key-Expires-At": {
            $ref: "#/components/headers/X-Bind-Key-Expires-At",
            description: "Only with the image.",
          },
        },
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/BindKey" } },
          "image/png": { schema: { type: "string", contentMediaType: "image/png" } },
        },
      },
    },
  },
  {
    method: "post",
    path: "/api/prebind-terminals",
    operationId: "replacePrebindList",
    summary: "Replace the prebind list",
    description:
      "The account waits for these terminals: one that the operator has assigned to the account's merchant, that is bound to " +
      "nobody and on no other such account's list is bound to it without a key, at once or when it is enrolled or first " +
      `connects. The first ${PREBIND_ENTRIES} entries count; each call replaces the list; \`[]\` clears it.`,
    tag: "Terminals",
    caller: "access",
    body: { description: "The new list.", schema: "PrebindRequest" },
    answers: { 200: { description: "The list is replaced.", schema: "Done" } },
  },
  {
    method: "get",
    path: "/api/prebind-terminals",
    operationId: "getPrebindList",
    summary: "Read the prebind list",
    description: "The terminal ids that the account waits for.",
    tag: "Terminals",
    caller: "access",
    answers: { 200: { description: "The list.", schema: "PrebindList" } },
  },
  {
    method: "get",
    path: "/api/terminals",
    operationId: "listTerminals",
    summary: "List the account's terminals",
    description: "The terminals that are bound to the account, each with whether it is connected at this moment.",
    tag: "Terminals",
    caller: "access",
    answers: { 200: { description: "The terminals.", schema: "TerminalList" } },
  },
  {
    method: "get",
    path: "/api/terminals/{terminalId}",
    operationId: "getTerminal",
    summary: "Read one terminal",
    description: "One terminal of the account, with its connection and versions.",
    tag: "Terminals",
    caller: "access",
    parameters: [terminalIdInPath],
    answers: { 200: { description: "The terminal.", schema: "TerminalDetails" } },
    refusals: { 404: "The account has no such terminal." },
  },
  {
    method: "delete",
    path: "/api/terminals/{terminalId}",
    operationId: "unbindTerminal",
    summary: "Unbind a terminal",
    description:
      "Takes the terminal from the account and from its prebind list. Refused with 400 while it has a transaction running; " +
      "a pending one does not hold it, and stays with the account.",
    tag: "Terminals",
    caller: "access",
    parameters: [terminalIdInPath],
    answers: { 200: { description: "The terminal is unbound.", schema: "Done" } },
    refusals: {
      400: "The terminal has a transaction running; try again when it has ended.",
      404: "The account has no such terminal.",
    },
  },
  {
    method: "get",
    path: "/api/ewallet-channels",
    operationId: "listEwalletChannels",
    summary: "List the e-wallet channels",
    description: "The wallets that `paymentChannel` of a transfer can name, with the currencies that they support.",
    tag: "Wallets",
    caller: "access",
    parameters: queryParameters(channelsQuery, {
      currency: {
        description: "Only channels that support it: three letters, in any case. Missing or empty: all channels.",
        examples: ["MYR"],
      },
    }),
    answers: { 200: { description: "The channels.", schema: "ChannelList" } },
  },
];
