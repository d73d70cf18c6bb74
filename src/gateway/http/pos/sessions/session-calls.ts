import { ACCESS_TOKEN_LIFE, REFRESH_REPEAT } from "../../../../protocol/limits.ts";
import { accountStub } from "../../../account/rpc.ts";
import { createTokenPair } from "../../../secrets/tokens.ts";
import { refuseStanding, requireAccountToken, unauthorizedRefusal } from "../../middleware/authentication.ts";
import { factory } from "../../middleware/context.ts";
import { invalid, refuse, repeatBy, answerDone } from "../../middleware/errors.ts";
import { countMalformed } from "../../middleware/malformed.ts";
import { countForAccount } from "../../middleware/rate-limit.ts";
import { objectInTime } from "../../middleware/time-limit.ts";
import { readJsonObject } from "../../validation/json-body.ts";
import { noQuery } from "../../validation/validators.ts";
import { openByLogin } from "./login.ts";
import { isSignedLogin, passwordLogin, readLogin, signedLogin } from "./requests.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";

export const sessionCalls = factory.createApp();

const LOG_IN_ANEW = repeatBy("Log in again. Sign a signed login anew, with a new nonce.");

const ACCOUNT = "The account, as the operator named it.";

describeMessages(({ said, requestSchema, signed, LOGIN_EXAMPLES: examples }) => ({
  PasswordLogin: requestSchema(
    passwordLogin,
    {
      posId: said(ACCOUNT, "POS-1001"),
      password: {
        description: "Its password in plain text.",
        format: "password",
        examples: [examples.password.password],
      },
    },
    said("A login with the password.", examples.password),
  ),
  SignedLogin: requestSchema(
    signedLogin,
    {
      posId: said(ACCOUNT, "POS-1001"),
      datetime: signed.at("login", examples.signed.datetime),
      nonce: signed.nonce("login", examples.signed.nonce),
      signature: signed.signatureSchema(signed.ACCOUNT_KEY, examples.signed.signature),
    },
    said(
      "A signed login instead of a password. It must not have a `transType`, `deviceId`, `referenceId`, `call`, `key`, " +
        "`terminalId`, `type` or `statusCode`, which mark other kinds of signed messages.",
      examples.signed,
    ),
  ),
}));

sessionCalls.post("/auth/login", LOG_IN_ANEW, countMalformed("account"), noQuery, async (c) => {
  // Without a signature, unknown members may have any number.
  const body = await readJsonObject(c, isSignedLogin);
  if (!body.ok) return refuse(c, body.error);
  const login = readLogin(body.value);
  if (!login.ok) return refuse(c, invalid(login.error));
  const opened = await openByLogin(c, login.value, Date.now());
  if (!opened.ok) return refuse(c, opened.error);
  const { sessionId, pair } = opened.value;
  return c.json(await createTokenPair(c.get("keys"), login.value.posId, sessionId, pair));
});

describeCall(sessionCalls, ({ invalidRequest, LOCAL_TIME, LOGIN_EXAMPLES }) => ({
  tag: "Session",
  operationId: "login",
  summary: "Log in",
  description:
    `Opens a session of the account. The access token is valid for ${duration(ACCESS_TOKEN_LIFE)}. Both tokens end at ` +
    "12 AM in the account's time zone at the latest. A login has either the password or a `signature`. The response is " +
    "the same for an unknown `posId` and a wrong credential, and is made in the same way.\n\n" +
    "Only failures count against the limits, per account and network and per network. Beyond them, a wrong login gets " +
    "a 429. The right one passes, unless an operator chose the password: then it waits out the minute, because a " +
    "chosen password might be guessed.",
  body: {
    description: "The account, with its password or signed.",
    schema: { oneOf: ["PasswordLogin", "SignedLogin"].map((name) => ({ $ref: `#/components/schemas/${name}` })) },
    examples: {
      password: { summary: "With the password", value: LOGIN_EXAMPLES.password },
      signed: { summary: "Signed with the account's signing key", value: LOGIN_EXAMPLES.signed },
    },
  },
  answers: {
    200: ["The session is open.", "TokenPair"],
    400: invalidRequest(
      "The login was not accepted: a field is missing or invalid, or the clock is off. `details` lists each.",
      { clock: LOCAL_TIME },
    ),
    401: "`posId` or the credential is wrong, or a signed login was used before.",
    403: "The account is suspended or deleted. Only after the right password or signature.",
    429: true,
  },
}));

sessionCalls.post("/auth/refresh", requireAccountToken("refresh"), noQuery, async (c) => {
  const { sub: posId, sid, jti } = c.get("claims");
  const keys = c.get("keys");
  const refreshed = await objectInTime(accountStub(c.env, posId).refresh(sid, jti, keys.current.kid));
  if (refreshed.kind === "refreshed") {
    countForAccount(c, posId);
    return c.json(await createTokenPair(keys, posId, sid, refreshed.pair));
  }
  if (refreshed.kind !== "used") return refuseStanding(c, refreshed);
  c.get("facts").reason = "refresh token used again: session revoked";
  return refuse(c, unauthorizedRefusal("This refresh token was used before, so the session has ended; log in again."));
});

describeCall(sessionCalls, () => ({
  tag: "Session",
  operationId: "refresh",
  summary: "Get a new token pair",
  description:
    "Replaces the refresh token, sent as `Authorization: Bearer`, with a new pair. For " +
    `${duration(REFRESH_REPEAT)}, or until its successor is used, the replaced token returns the same pair again, byte ` +
    "for byte, so that a lost response or two parallel threads do no harm. After that it ends the session, because it may " +
    "be stolen. No body is needed.",
  answers: {
    200: ["The new pair.", "TokenPair"],
    401: "The refresh token is missing, invalid, expired or was used before, or the session has ended. Log in again.",
  },
}));

sessionCalls.post("/auth/logout", requireAccountToken(["access", "refresh"]), noQuery, async (c) => {
  const { sub: posId, sid } = c.get("claims");
  const standing = await accountStub(c.env, posId).endSession(sid);
  if (standing.kind !== "good") return refuseStanding(c, standing);
  return answerDone(c, "The session has ended.");
});

describeCall(sessionCalls, () => ({
  tag: "Session",
  operationId: "logout",
  summary: "Log out",
  description: "Ends the session of the access or refresh token immediately. No body is needed.",
  answers: { 200: ["The session has ended.", "Done"] },
}));
