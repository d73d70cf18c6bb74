/** The calls of a terminal: login, bind, connect. */
import { bindByKey } from "../../binding/bind-by-key.ts";
import { applyPrebinding } from "../../binding/prebinding.ts";
import { bindKeyDigests } from "../../keys/bind-keys.ts";
import { signToken } from "../../keys/tokens.ts";
import { CLOCK_TOLERANCE, RETRY_AFTER_SECONDS } from "../../protocol/limits/messages.ts";
import { TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import type { JsonObject } from "../../signing/json.ts";
import { kindProblems } from "../../signing/message-kind.ts";
import { signatureProblem } from "../../signing/problems.ts";
import { findTerminal, noteSecretVersion } from "../../storage/terminals.ts";
import { terminalStub } from "../../terminal/stub.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { bearerToken, requireToken, unauthorized } from "../authentication.ts";
import { factory, type RequestContext } from "../context.ts";
import { invalid, type Refusal, refuse } from "../errors.ts";
import {
  bindChecks,
  connectChecks,
  countFailure,
  loginChecks,
  unsignedBindChecks,
  withinRates,
} from "../rate-limit.ts";
import { callerOf, noteFamiliar, waitForTurn } from "../in-turn.ts";
import { inTime } from "../time-limit.ts";
import { isAllowedOrigin } from "../transport.ts";
import { noQuery, signedBody } from "../validation/validators.ts";
import { bindRequest, terminalLoginRequest } from "./requests.ts";
import type { Bound, TerminalToken } from "./responses.ts";

const PROTOCOL = "pos-terminal.v1";

export const terminal = factory.createApp();

terminal.post("/terminal/login", noQuery, signedBody(terminalLoginRequest), async (c) => {
  // The message as sent: the signature also covers unknown members.
  const message = await c.req.json<JsonObject>();
  const otherKind = kindProblems(message, "login");
  if (otherKind.length > 0) return refuse(c, invalid(otherKind));
  const { terminalId, datetime } = c.req.valid("json");
  // Before the look-up, so that the answer does not reveal whether the terminal exists.
  const now = Date.now();
  const clock = clockProblem(datetime, now);
  if (clock !== null) return refuse(c, clock);
  const caller = callerOf(c, `terminal ${terminalId}`);
  const later = await waitForTurn(c, caller, loginChecks(c, "terminal", terminalId));
  if (later !== null) return refuse(c, later);

  const known = await findTerminal(c.env.DATABASE, terminalId);
  if (known !== null) c.get("facts").terminal = terminalId;
  // Does not wake objects of terminals that were never enrolled.
  if (known?.status !== "enrolled") {
    return refuseLogin(c, terminalId, known === null ? "no such terminal" : "retired");
  }
  const verdict = await terminalStub(c.env, terminalId).verifyLogin(message);
  if (verdict.kind === "refused") return refuseLogin(c, terminalId, "wrong signature");
  if (verdict.kind === "used") return refuseLogin(c, terminalId, "login used before");
  if (verdict.kind === "too-many") {
    return refuse(c, { kind: "rate_limit_exceeded", retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  noteFamiliar(caller);
  const { secretVersion } = verdict;
  await noteSecretVersion(c.env.DATABASE, known, secretVersion);
  if (known.boundPosId === null && known.merchantId !== null) await applyPrebinding(c.env, [terminalId]);
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
  return c.json({ token, expiresAt: isoWithOffset(expiresAt * 1000, "UTC") } satisfies TerminalToken);
});

/**
 * Counts the failure. Over the limit it is a 429.
 *
 * @param reason for the log only: the answer is always the same
 */
async function refuseLogin(c: RequestContext, terminalId: string, reason: string): Promise<Response> {
  c.get("facts").reason = reason;
  const tooMany = await countFailure(loginChecks(c, "terminal", terminalId));
  return refuse(
    c,
    tooMany ??
      unauthorized("The terminal is unknown, or the signature is wrong. Check terminalId and secret, and sign again."),
  );
}

const mayBind = requireToken({ use: "terminal", within: () => Promise.resolve(null) });

terminal.post("/terminal/bind", mayBind, noQuery, signedBody(bindRequest), async (c) => {
  const message = await c.req.json<JsonObject>();
  const otherKind = kindProblems(message, "bind");
  if (otherKind.length > 0) return refuse(c, invalid(otherKind));
  const { key, datetime } = c.req.valid("json");
  const clock = clockProblem(datetime, Date.now());
  if (clock !== null) return refuse(c, clock);

  const claims = c.get("claims");
  const { sub: terminalId, ver } = claims;
  const failures = unsignedBindChecks(c, claims);
  const later = await waitForTurn(c, callerOf(c, `bind ${claims.jti}`), failures);
  if (later !== null) return refuse(c, later);
  const known = await inTime(findTerminal(c.env.DATABASE, terminalId));
  // A token from before the secret was replaced cannot bind.
  if (known?.status !== "enrolled" || known.secretVersion !== ver) return refuse(c, GONE);
  // The token alone cannot bind a terminal: it is sent with every connect, so others may have read it.
  const verdict = await terminalStub(c.env, terminalId).verifyBind(message);
  if (verdict.kind === "refused") {
    return refuse(c, (await countFailure(failures)) ?? invalid([signatureProblem(message, "secret")]));
  }
  if (verdict.secretVersion !== ver) return refuse(c, GONE);
  const tooMany = await withinRates(bindChecks(c, terminalId));
  if (tooMany !== null) return refuse(c, tooMany);
  const outcome = await bindByKey(c.env, known, bindKeyDigests(c.get("keys"), key ?? ""));
  switch (outcome.kind) {
    case "bound":
      c.get("facts").account = outcome.posId;
      return c.json({ posId: outcome.posId, merchantId: outcome.merchantId } satisfies Bound);
    case "not-valid":
      return refuse(c, keyProblem("The key is wrong, used or expired. Get a new key."));
    case "other-merchant":
      return refuse(
        c,
        keyProblem(
          "The operator has assigned this terminal to another merchant. Use a key of that merchant's account.",
        ),
      );
    case "busy":
      return refuse(
        c,
        keyProblem(
          "The terminal has a transaction in progress. Send the same key again when it has ended; the key stays valid.",
        ),
      );
    case "not-enrolled":
      return refuse(c, GONE);
    default:
      return outcome satisfies never;
  }
});

function offeredProtocols(c: RequestContext): string[] {
  return (c.req.header("Sec-WebSocket-Protocol") ?? "").split(",").map((entry) => entry.trim());
}

/** Browsers cannot set Authorization on a WebSocket, so they send the token as the second protocol. */
function connectToken(c: RequestContext): string | null {
  const [protocol, token = null] = offeredProtocols(c);
  return bearerToken(c) ?? (protocol === PROTOCOL ? token : null);
}

const mayConnect = requireToken({
  use: "terminal",
  within: (c, { sub }) => withinRates(connectChecks(c, sub)),
  tokenOf: connectToken,
});

terminal.get("/terminal/connect", mayConnect, noQuery, async (c) => {
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

/**
 * Passes the upgrade to the terminal's object. That knows by itself whether the terminal is still enrolled and the token's
 * secret is the current one. D1 is not asked: after an outage, all terminals of a country come through here, and D1 has
 * been asked for each of their tokens.
 */
async function connect(c: RequestContext, terminalId: string, secretVersion: number): Promise<Response> {
  const offersProtocol = offeredProtocols(c)[0] === PROTOCOL;
  const answer = await terminalStub(c.env, terminalId).fetch(
    // The object links to the documentation at this address.
    new Request(new URL("/connect", c.req.url), {
      headers: {
        Upgrade: "websocket",
        "X-Secret-Version": String(secretVersion),
        ...(offersProtocol ? { "Sec-WebSocket-Protocol": PROTOCOL } : {}),
      },
    }),
  );
  if (answer.status === 101) return answer;
  if (answer.status === 401) return refuse(c, GONE);
  throw new Error(`The terminal's object returned ${answer.status} for an upgrade.`);
}

const GONE: Refusal = unauthorized("The terminal is no longer enrolled, or its secret was replaced. Log in again.");

function keyProblem(message: string): Refusal {
  return invalid([{ path: "key", message }], message);
}

/** Refuses a message whose `datetime` is too far off, with the time so that the terminal can set its clock. */
function clockProblem(datetime: number, now: number): Refusal | null {
  const skew = datetime - now;
  if (Math.abs(skew) <= CLOCK_TOLERANCE) return null;
  const seconds = Math.round(Math.abs(skew) / 1000);
  const message = `datetime is ${seconds} seconds ${skew < 0 ? "behind" : "ahead"}. Send UTC, based on serverTime.`;
  return { kind: "invalid_request", problems: [{ path: "datetime", message }], serverTime: now };
}
