import { responseSchema, requestSchema } from "../../contracts/json-schema.ts";
import { CLOCK_TOLERANCE, LOGIN_RETRY_SECONDS } from "../../protocol/limits/messages.ts";
import { SIGNATURE, withSignature } from "../../signing/signature.ts";
import { datetimeProblems } from "../../transfer/problems.ts";
import { DEMO_SIGNING_KEY } from "../openapi/examples.ts";
import { invalidRequest } from "../openapi/refusals.ts";
import { ACCESS_TOKEN_LIFE, REFRESH_REPEAT } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import type { Family } from "../openapi/operation.ts";
import { passwordLogin, signedLogin } from "./requests.ts";
import { tokenPair } from "./responses.ts";

const EXAMPLE = {
  password: { posId: "POS-1001", password: "correct horse battery" },
  signed: withSignature(
    { posId: "POS-0001", datetime: "20261120T021500", nonce: "5f1c2d9e-8a57-4c0b-9a3e-2f6b1d7c4e80" },
    DEMO_SIGNING_KEY,
  ),
};

const posId = { description: "The account, as the operator named it.", examples: ["POS-1001"] };

const [CLOCK] = datetimeProblems(Date.UTC(2026, 10, 20, 10, 15), Date.UTC(2026, 10, 20, 2, 15));

export const sessions: Family = {
  tag: "Session",
  caller: "none",
  requests: {
    PasswordLogin: requestSchema(
      passwordLogin,
      {
        posId,
        password: { description: "Its password, as it is.", format: "password", examples: [EXAMPLE.password.password] },
      },
      { description: "A login with the password.", examples: [EXAMPLE.password] },
    ),
    SignedLogin: requestSchema(
      signedLogin,
      {
        posId,
        datetime: {
          description:
            "When the login was signed, in UTC: `YYYYMMDDTHHMMSS`, the `T` may be left out. Within " +
            `${duration(CLOCK_TOLERANCE)} of the gateway's clock.`,
          examples: [EXAMPLE.signed.datetime],
        },
        nonce: {
          description:
            "Any text that this account's logins have not had before: a UUID. It makes each login single use.",
          examples: [EXAMPLE.signed.nonce],
        },
        signature: {
          description:
            "HMAC-SHA-256 over the RFC 8785 form of the body without this member, keyed with the UTF-8 bytes of the " +
            "account's signing key, in hexadecimal of either case.",
          minLength: 64,
          pattern: SIGNATURE.source,
          examples: [EXAMPLE.signed.signature],
        },
      },
      {
        description:
          "A login that is signed in place of the password, which is left out. Nor has it a `transType`, `deviceId`, " +
          "`referenceId`, `call`, `key`, `terminalId`, `type` or `statusCode`: they mark other kinds of signed messages.",
        examples: [EXAMPLE.signed],
      },
    ),
  },
  responses: {
    TokenPair: responseSchema(tokenPair),
  },
  operations: {
    "POST /auth/login": {
      operationId: "login",
      summary: "Log in",
      description:
        `Opens a session of the account. The access token lives for ${duration(ACCESS_TOKEN_LIFE)}, both tokens until 12 AM in ` +
        "the account's time zone at the latest. A login has either the password or a `signature`. An unknown `posId` and a " +
        "wrong credential are answered alike, and an unknown `posId` and a wrong password take as long.\n\n" +
        "Limited per account and address, and per address. Signed logins, and passwords that the gateway drew, are " +
        "verified before they are counted, and only failures count. Other passwords count with every try, and few are " +
        `verified at a time: a 429 with \`Retry-After: ${LOGIN_RETRY_SECONDS}\` says that too many wait.`,
      body: {
        description: "The account, with its password or signed.",
        schema: { oneOf: ["PasswordLogin", "SignedLogin"].map((name) => ({ $ref: `#/components/schemas/${name}` })) },
        examples: {
          password: { summary: "With the password", value: EXAMPLE.password },
          signed: { summary: "Signed with the account's signing key", value: EXAMPLE.signed },
        },
      },
      answers: { 200: { description: "The session is open.", schema: "TokenPair" } },
      refusals: {
        400: invalidRequest(
          "The login was not taken: a member is missing or wrong, or the clock is off. `details` names each.",
          CLOCK === undefined ? {} : { clock: { summary: "Local time was sent", problem: CLOCK } },
        ),
        401: "`posId` or the credential is wrong, or a signed login was used before.",
        403: "The account is suspended or deleted; said only after the right password or signature.",
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
