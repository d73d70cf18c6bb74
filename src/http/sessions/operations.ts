import { made, taken } from "../../contracts/json-schema.ts";
import { ACCESS_TOKEN_LIFE, REFRESH_REPEAT } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import type { Family } from "../openapi/operation.ts";
import { loginRequest } from "./requests.ts";
import { tokenPair } from "./responses.ts";

export const sessions: Family = {
  tag: "Session",
  caller: "none",
  requests: {
    LoginRequest: taken(
      loginRequest,
      {
        posId: { description: "The account, as the operator named it.", examples: ["POS-1001"] },
        password: { description: "Its password, as it is.", format: "password", examples: ["correct horse battery"] },
      },
      { description: "Who logs in.", examples: [{ posId: "POS-1001", password: "correct horse battery" }] },
    ),
  },
  responses: {
    TokenPair: made(tokenPair),
  },
  operations: {
    "POST /auth/login": {
      operationId: "login",
      summary: "Log in",
      description:
        `Opens a session of the account. The access token lives for ${duration(ACCESS_TOKEN_LIFE)}, both tokens until 12 AM in ` +
        "the account's time zone at the latest. An unknown `posId` and a wrong password are answered alike, and take as long. " +
        "Limited per account and address, and per address.",
      body: { description: "The account and its password.", schema: "LoginRequest" },
      answers: { 200: { description: "The session is open.", schema: "TokenPair" } },
      refusals: {
        401: "`posId` or password is wrong.",
        403: "The account is suspended or deleted; said only after the right password.",
        429: true,
      },
    },
    "POST /auth/refresh": {
      operationId: "refresh",
      summary: "Get a new token pair",
      description:
        "The refresh token, sent as `Authorization: Bearer`, is replaced with the pair: the old one is used up. Within " +
        `${duration(REFRESH_REPEAT)} it still gets the same pair again, byte for byte, so that a lost answer or two ` +
        "threads at once lock nobody out. Used later, it ends the session: somebody else may have it. No body is needed.",
      caller: "refresh",
      answers: { 200: { description: "The new pair.", schema: "TokenPair" } },
      refusals: { 401: "The refresh token is missing, invalid, expired or used up, or the session has ended: log in." },
    },
    "POST /auth/logout": {
      operationId: "logout",
      summary: "Log out",
      description: "Ends the session of the token, an access or a refresh token, at once. No body is needed.",
      caller: "session",
      answers: { 200: { description: "The session has ended.", schema: "Done" } },
    },
  },
};
