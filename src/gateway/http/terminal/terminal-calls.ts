import * as z from "zod";
import { BIND_KEY_FORM, codeDigests, readCode } from "../../secrets/short-codes.ts";
import {
  BIND_KEY_TYPED_LENGTH,
  NONCE_LENGTH,
  SIGNATURE_LENGTH,
  TERMINAL_ID_LENGTH,
} from "../../../protocol/lengths.ts";
import { optionalField, requestSignature, signedTime, textField } from "../validation/fields.ts";
import { bindByKey, applyPrebinding } from "../../binding/binding.ts";
import { signToken } from "../../secrets/tokens.ts";
import { CLOCK_TOLERANCE, RETRY_AFTER_SECONDS, TERMINAL_TOKEN_LIFE } from "../../../protocol/limits.ts";
import { signedForm } from "../../../protocol/signing/canonical.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { kindProblems } from "../../../protocol/signing/message-kind.ts";
import { computedForm, signatureProblem } from "../../../protocol/signing/problems.ts";
import { findTerminal } from "../../d1/terminals.ts";
import { terminalStub } from "../../terminal/rpc.ts";
import { isoWithOffset } from "../../../protocol/time/zone.ts";
import { bearerToken, requireToken, unauthorizedRefusal, USED_LOGIN } from "../middleware/authentication.ts";
import { type RequestContext, factory } from "../middleware/context.ts";
import { type Refusal, invalid, refuse, repeatBy } from "../middleware/errors.ts";
import { countMalformed } from "../middleware/malformed.ts";
import {
  bindChecks,
  connectChecks,
  countFailure,
  loginChecks,
  unsignedBindChecks,
  checkRates,
} from "../middleware/rate-limit.ts";
import { inTime, objectInTime } from "../middleware/time-limit.ts";
import { isAllowedOrigin } from "../middleware/transport.ts";
import { noQuery, signedBody } from "../validation/validators.ts";
import type { Bound, TerminalToken } from "../../../protocol/accounts.ts";
import { SUBPROTOCOL } from "../../../protocol/frames.ts";
import { duration } from "../../../protocol/time/duration.ts";
import { describeCall, describeMessages } from "../middleware/describe.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

const terminalLoginRequest = z.object({
  terminalId: textField(TERMINAL_ID_LENGTH),
  datetime: signedTime,
  nonce: optionalField(textField(NONCE_LENGTH)),
  signature: textField(SIGNATURE_LENGTH),
});

const bindRequest = z.object({
  key: textField(BIND_KEY_TYPED_LENGTH)
    .regex(BIND_KEY_FORM.typed, { error: "Send the key as shown: 8 letters and digits." })
    .transform((typed) => readCode(BIND_KEY_FORM, typed)),
  datetime: signedTime,
  nonce: optionalField(textField(NONCE_LENGTH)),
  signature: requestSignature,
});

describeMessages(({ said, requestSchema, TERMINAL_EXAMPLES, signed }) => ({
  TerminalLoginRequest: requestSchema(
    terminalLoginRequest,
    {
      terminalId: said("The terminal's id, assigned by the operator.", "T-0001"),
      datetime: signed.at("message", TERMINAL_EXAMPLES.login.datetime),
      nonce: said(
        "A random string for this login. Without it, two logins of the same second are identical, and the second " +
          "is refused.",
        TERMINAL_EXAMPLES.login.nonce,
      ),
      signature: signed.signatureSchema("terminal's secret", TERMINAL_EXAMPLES.login.signature),
    },
    said("The terminal's login. It does not contain the secret.", TERMINAL_EXAMPLES.login),
  ),
  BindRequest: requestSchema(
    bindRequest,
    {
      key: said("A bind key as shown, in any case, with or without dashes. I and L count as 1, O as 0.", "7K3Q-9ZXM"),
      datetime: signed.at("message", TERMINAL_EXAMPLES.bind.datetime),
      nonce: said("Any string. A bind needs none, because its key is valid once.", TERMINAL_EXAMPLES.bind.nonce),
      signature: signed.signatureSchema("terminal's secret", TERMINAL_EXAMPLES.bind.signature),
    },
    said("The signed key of the account to work for.", TERMINAL_EXAMPLES.bind),
  ),
}));

const CLOCK = {
  summary: "The terminal's clock is off",
  problem: { path: "datetime", message: "datetime is 3600 seconds behind. Send UTC, based on serverTime." },
  serverTime: Date.UTC(2026, 10, 20, 3, 15),
};

const takeTheTime = () =>
  `If the terminal's clock is more than ${duration(CLOCK_TOLERANCE)} off, \`serverTime\` is the gateway's time in epoch ` +
  "milliseconds: use it, sign again, and send again.";

export const terminalCalls = factory.createApp();

const LOG_IN_ANEW = repeatBy("Sign a new login, with a new nonce, and send that.");

const beforeLogin = [LOG_IN_ANEW, countMalformed("terminal"), noQuery, signedBody(terminalLoginRequest)] as const;

terminalCalls.post("/terminal/login", ...beforeLogin, async (c) => {
  // The message is read as sent: the signature covers unknown members too.
  const message = await c.req.json<JsonObject>();
  const otherKind = kindProblems(message, "login");
  if (otherKind.length > 0) return refuse(c, invalid(otherKind));
  const { terminalId, datetime } = c.req.valid("json");
  // Before the lookup, so that the answer does not reveal whether the terminal exists.
  const now = Date.now();
  const clock = clockProblem(datetime, now);
  if (clock !== null) return refuse(c, clock);

  // D1 is not asked: the object has the enrolment, and stores nothing if it never was.
  const verdict = await objectInTime(terminalStub(c.env, terminalId).verifyLogin(message));
  if (verdict.kind === "unknown") return refuseLogin(c, terminalId, "no such terminal", wrongLogin(message));
  c.get("facts").terminal = terminalId;
  if (verdict.kind === "retired") return refuseLogin(c, terminalId, "retired", wrongLogin(message));
  if (verdict.kind === "refused") return refuseLogin(c, terminalId, "wrong signature", wrongLogin(message));
  if (verdict.kind === "used") return refuseLogin(c, terminalId, "login used before", USED_LOGIN);
  if (verdict.kind === "too-many") {
    return refuse(c, { kind: "rate_limit_exceeded", retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  const { secretVersion, awaitsBinding } = verdict;
  if (awaitsBinding) await applyPrebinding(c.env, [terminalId]);
  const issuedAt = Math.floor(now / 1000);
  const expiresAt = issuedAt + TERMINAL_TOKEN_LIFE / 1000;
  const token = await signToken(c.get("keys"), {
    sub: terminalId,
    use: "terminal",
    ver: secretVersion,
    jti: crypto.randomUUID(),
    iat: issuedAt,
    exp: expiresAt,
  });
  const answer = { token, expiresAt: isoWithOffset(expiresAt * 1000, "UTC"), serverTime: Date.now() };
  return c.json(answer satisfies TerminalToken);
});

describeCall(terminalCalls, ({ invalidRequest }) => ({
  tag: "Terminal",
  operationId: "loginTerminal",
  summary: "Log in a terminal",
  description:
    "Signed with the terminal's secret, which is never sent. Each login is valid once: sign again for every call, also " +
    "after a lost response. The token is for bind and connect and is valid for " +
    `${duration(TERMINAL_TOKEN_LIFE)}. Only failures count, per terminal and address, and per address.`,
  body: "The signed login.",
  answers: {
    200: ["The terminal's token.", "TerminalToken"],
    400: invalidRequest(`The message was not accepted. ${takeTheTime()}`, { clock: CLOCK }),
    401:
      "The terminal is unknown or retired, the signature is wrong, or the login was used before. " +
      "The message has the length and the SHA-256 of the form that the gateway computed.",
    429: true,
  },
}));

/** The same whether or not there is such a terminal. */
function wrongLogin(message: JsonObject): string {
  return (
    "The terminal is unknown, or the signature is wrong. Check terminalId and secret, and sign again. " +
    computedForm(signedForm(message))
  );
}

/**
 * Counts the failure. Over the limit it is a 429.
 *
 * @param reason for the log only
 */
async function refuseLogin(c: RequestContext, terminalId: string, reason: string, message: string): Promise<Response> {
  c.get("facts").reason = reason;
  const tooMany = await countFailure(loginChecks(c, "terminal", terminalId));
  return refuse(c, tooMany ?? unauthorizedRefusal(message));
}

const KEY_PROBLEMS = {
  "not-valid": "The key is wrong, used or expired. Get a new key.",
  "other-merchant":
    "The operator has assigned this terminal to another merchant. Use a key of that merchant's account.",
  busy: "The terminal has a transaction in progress. Send the same key again when it has ended; the key stays valid.",
};

const mayBind = requireToken({ use: "terminal", within: () => Promise.resolve(null) });

terminalCalls.post("/terminal/bind", mayBind, noQuery, signedBody(bindRequest), async (c) => {
  const message = await c.req.json<JsonObject>();
  const otherKind = kindProblems(message, "bind");
  if (otherKind.length > 0) return refuse(c, invalid(otherKind));
  const { key, datetime } = c.req.valid("json");
  const clock = clockProblem(datetime, Date.now());
  if (clock !== null) return refuse(c, clock);

  const claims = c.get("claims");
  const { sub: terminalId, ver } = claims;
  const known = await inTime(findTerminal(c.env.DATABASE, terminalId));
  if (known?.status !== "enrolled") return refuse(c, GONE);
  // The token alone cannot bind a terminal: it is sent with every connect, so others may have read it.
  const verdict = await terminalStub(c.env, terminalId).verifyBind(message, ver);
  // A token from before the secret was replaced cannot bind.
  if (verdict.kind === "outdated") return refuse(c, GONE);
  if (verdict.kind === "refused") {
    return refuse(
      c,
      (await countFailure(unsignedBindChecks(c, claims))) ?? invalid([signatureProblem(message, "secret")]),
    );
  }
  const tooMany = await checkRates(bindChecks(c, terminalId));
  if (tooMany !== null) return refuse(c, tooMany);
  const outcome = await bindByKey(c.env, known, codeDigests(BIND_KEY_FORM, c.get("keys"), key ?? ""));
  switch (outcome.kind) {
    case "bound":
      c.get("facts").account = outcome.posId;
      return c.json({ posId: outcome.posId, merchantId: outcome.merchantId } satisfies Bound);
    case "not-valid":
    case "other-merchant":
    case "busy": {
      const problem = KEY_PROBLEMS[outcome.kind];
      return refuse(c, invalid([{ path: "key", message: problem }], problem));
    }
    case "not-enrolled":
      return refuse(c, GONE);
    default:
      return outcome satisfies never;
  }
});

describeCall(terminalCalls, ({ invalidRequest, TERMINAL_EXAMPLES }) => ({
  tag: "Terminal",
  operationId: "bindTerminal",
  summary: "Bind a terminal to an account",
  description:
    "Signed with the terminal's secret: the token alone cannot bind. From now on the terminal works for the key's " +
    "account, even if it was bound to another account before. A terminal that sends its key again within the key's " +
    "life gets the same response. Calls are limited per terminal, and those with a wrong signature per token and address.",
  body: "The signed bind key.",
  answers: {
    200: ["The terminal is bound.", "Bound"],
    400: invalidRequest(
      "The key is wrong, used or expired, the operator has assigned the terminal to another merchant, the signature is " +
        `wrong, or the terminal has a transaction in progress (the key stays valid). ${takeTheTime()}`,
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
}));

function offeredProtocols(c: RequestContext): string[] {
  return (c.req.header("Sec-WebSocket-Protocol") ?? "").split(",").map((entry) => entry.trim());
}

/** Browsers cannot set Authorization on a WebSocket, so they send the token as the second protocol. */
function connectToken(c: RequestContext): string | null {
  const [protocol, token = null] = offeredProtocols(c);
  return bearerToken(c) ?? (protocol === SUBPROTOCOL ? token : null);
}

const mayConnect = requireToken({
  use: "terminal",
  within: (c, { sub }) => checkRates(connectChecks(c, sub)),
  tokenOf: connectToken,
});

terminalCalls.get("/terminal/connect", mayConnect, noQuery, async (c) => {
  const { sub: terminalId, ver } = c.get("claims");
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") {
    return refuse(c, invalid([{ path: "", message: "This path opens a WebSocket. Send Upgrade: websocket." }]));
  }
  if (!isAllowedOrigin(c))
    return refuse(c, {
      kind: "forbidden",
      message: "Web pages of this origin may not connect. Ask the operator to add it to CORS_ORIGINS.",
    });

  return connect(c, terminalId, ver);
});

describeCall(terminalCalls, () => ({
  tag: "Terminal",
  operationId: "connectTerminal",
  summary: "Open a terminal's WebSocket",
  description:
    "An upgrade (RFC 6455). Send the token as `Authorization: Bearer` or, in browsers, as the second entry of " +
    `\`Sec-WebSocket-Protocol: ${SUBPROTOCOL}, <token>\`, never in the URL. The socket's protocol is in ` +
    "`/asyncapi.json`. Web pages may connect only from the gateway's own origin or one of `CORS_ORIGINS`. Limited per " +
    "terminal and address.",
  headers: [
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
    400: "The request is not an upgrade.",
    401: "The token is missing, invalid or expired, the terminal is retired, or its secret was replaced. Log in again.",
    403: "Web pages of this origin may not connect.",
  },
  otherwise: "The socket is not open. A proxy on the way may block WebSockets.",
}));

/**
 * The terminal's object itself decides whether the terminal is still enrolled and the token's secret is current. D1 is
 * not asked: after an outage, all terminals of a country connect at once, and D1 was asked for each of their tokens.
 */
async function connect(c: RequestContext, terminalId: string, secretVersion: number): Promise<Response> {
  const offersProtocol = offeredProtocols(c)[0] === SUBPROTOCOL;
  const answer = await terminalStub(c.env, terminalId).fetch(
    // The object links to the documentation at this address.
    new Request(c.req.url, {
      headers: {
        Upgrade: "websocket",
        "X-Secret-Version": String(secretVersion),
        ...(offersProtocol ? { "Sec-WebSocket-Protocol": SUBPROTOCOL } : {}),
      },
    }),
  );
  return answer.status === 101 ? answer : refuse(c, GONE);
}

const GONE: Refusal = unauthorizedRefusal(
  "The terminal is no longer enrolled, or its secret was replaced. Log in again.",
);

/** For a `datetime` that is too far off. The refusal has the time, so that the terminal can set its clock. */
function clockProblem(datetime: number, now: EpochMs): Refusal | null {
  const skew = datetime - now;
  if (Math.abs(skew) <= CLOCK_TOLERANCE) return null;
  const seconds = Math.round(Math.abs(skew) / 1000);
  const message = `datetime is ${seconds} seconds ${skew < 0 ? "behind" : "ahead"}. Send UTC, based on serverTime.`;
  return { kind: "invalid_request", problems: [{ path: "datetime", message }], serverTime: now };
}
