/** What a terminal calls: login, bind, connect. */
import { bindByKey } from "../../binding/bind-by-key.ts";
import { applyPrebinding } from "../../binding/prebinding.ts";
import { bindKeyDigests } from "../../keys/bind-keys.ts";
import { signToken } from "../../keys/tokens.ts";
import { CLOCK_TOLERANCE, RETRY_AFTER_SECONDS } from "../../protocol/limits/messages.ts";
import { TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import type { JsonObject } from "../../signing/json.ts";
import { kindProblems } from "../../signing/message-kind.ts";
import { signatureProblem } from "../../signing/problems.ts";
import { findTerminal, noteSecretVersion, type Terminal } from "../../storage/terminals.ts";
import { terminalStub } from "../../terminal/stub.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { bearerToken, requireToken, unauthorized } from "../authentication.ts";
import { factory, type RequestContext } from "../context.ts";
import { invalid, type Refusal, refuse } from "../errors.ts";
import { bindChecks, connectChecks, loginChecks, withinRates } from "../rate-limit.ts";
import { inTime } from "../time-limit.ts";
import { isAllowedOrigin } from "../transport.ts";
import { noQuery, signedBody } from "../validation/validators.ts";
import { bindRequest, terminalLoginRequest } from "./requests.ts";
import type { Bound, TerminalToken } from "./responses.ts";

const PROTOCOL = "pos-terminal.v1";

export const terminal = factory.createApp();

terminal.post("/terminal/login", noQuery, signedBody(terminalLoginRequest), async (c) => {
  // As it was sent: the signature covers unknown members too.
  const message = await c.req.json<JsonObject>();
  const otherKind = kindProblems(message, "login");
  if (otherKind.length > 0) return refuse(c, invalid(otherKind));
  const { terminalId, datetime } = c.req.valid("json");
  const tooMany = await withinRates(loginChecks(c, "terminal", terminalId));
  if (tooMany !== null) return refuse(c, tooMany);

  // Before the look-up, so the answer is the same whether the terminal exists or not.
  const now = Date.now();
  const clock = clockProblem(datetime, now);
  if (clock !== null) return refuse(c, clock);

  const known = await findTerminal(c.env.DATABASE, terminalId);
  if (known !== null) c.get("facts").terminal = terminalId;
  // Objects of terminals that were never enrolled are not woken.
  if (known?.status !== "enrolled") return refuseLogin(c, known === null ? "no such terminal" : "retired");
  const verdict = await terminalStub(c.env, terminalId).verifyLogin(message);
  if (verdict.kind === "refused") return refuseLogin(c, "wrong signature");
  if (verdict.kind === "used") return refuseLogin(c, "login used before");
  if (verdict.kind === "too-many") {
    return refuse(c, { kind: "rate_limit_exceeded", retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  const { secretVersion } = verdict;
  await noteSecretVersion(c.env.DATABASE, known, secretVersion);
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

/** @param reason for the log alone: the answer is the same, whatever is wrong */
function refuseLogin(c: RequestContext, reason: string): Response {
  c.get("facts").reason = reason;
  return refuse(c, unauthorized("The terminal is not known, or the signature is wrong."));
}

const mayBind = requireToken({ use: "terminal", checks: bindChecks });

terminal.post("/terminal/bind", mayBind, noQuery, signedBody(bindRequest), async (c) => {
  const message = await c.req.json<JsonObject>();
  const otherKind = kindProblems(message, "bind");
  if (otherKind.length > 0) return refuse(c, invalid(otherKind));
  const { key, datetime } = c.req.valid("json");
  const clock = clockProblem(datetime, Date.now());
  if (clock !== null) return refuse(c, clock);

  const { sub: terminalId, ver } = c.get("claims");
  const known = await inTime(findTerminal(c.env.DATABASE, terminalId));
  // The token of a replaced secret is no longer good for binding.
  if (known?.status !== "enrolled" || known.secretVersion !== ver) return refuse(c, GONE);
  // The token alone moves no terminal: it is sent with every connect, and whoever has read it has no secret.
  const verdict = await terminalStub(c.env, terminalId).verifyBind(message);
  if (verdict.kind === "refused") return refuse(c, invalid([signatureProblem(message, "secret")]));
  if (verdict.secretVersion !== ver) return refuse(c, GONE);
  const outcome = await bindByKey(c.env, known, bindKeyDigests(c.get("keys"), key ?? ""));
  switch (outcome.kind) {
    case "bound":
      c.get("facts").account = outcome.posId;
      return c.json({ posId: outcome.posId, merchantId: outcome.merchantId } satisfies Bound);
    case "not-valid":
      return refuse(c, keyProblem("The key is wrong, used or expired; ask for a new one."));
    case "other-merchant":
      return refuse(c, keyProblem("The operator assigned this terminal to another merchant than the key's account."));
    case "busy":
      return refuse(c, keyProblem("The terminal has a transaction running; the key stays valid, send it again after."));
    case "not-enrolled":
      return refuse(c, GONE);
    default:
      return outcome satisfies never;
  }
});

function offeredProtocols(c: RequestContext): string[] {
  return (c.req.header("Sec-WebSocket-Protocol") ?? "").split(",").map((entry) => entry.trim());
}

/** Browsers cannot set Authorization on a WebSocket: they offer the token as the second protocol. */
function connectToken(c: RequestContext): string | null {
  const [protocol, token = null] = offeredProtocols(c);
  return bearerToken(c) ?? (protocol === PROTOCOL ? token : null);
}

const mayConnect = requireToken({ use: "terminal", checks: connectChecks, tokenOf: connectToken });

terminal.get("/terminal/connect", mayConnect, noQuery, async (c) => {
  const { sub: terminalId, ver } = c.get("claims");
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") {
    return refuse(c, invalid([{ path: "", message: "Open a WebSocket here: send Upgrade: websocket." }]));
  }
  if (!isAllowedOrigin(c)) return refuse(c, { kind: "forbidden", message: "Pages of this origin may not connect." });

  const known = await inTime(findTerminal(c.env.DATABASE, terminalId));
  if (known?.status !== "enrolled") return refuse(c, GONE);
  if (known.boundPosId === null && known.merchantId !== null) await applyPrebinding(c.env, [terminalId]);
  return connect(c, known, ver);
});

/** Passes the upgrade to the terminal's object, which needs no more of the token than the version. */
async function connect(c: RequestContext, { terminalId }: Terminal, secretVersion: number): Promise<Response> {
  const offersProtocol = offeredProtocols(c)[0] === PROTOCOL;
  const answer = await terminalStub(c.env, terminalId).fetch(
    new Request("https://terminal.internal/connect", {
      headers: {
        Upgrade: "websocket",
        "X-Secret-Version": String(secretVersion),
        ...(offersProtocol ? { "Sec-WebSocket-Protocol": PROTOCOL } : {}),
      },
    }),
  );
  if (answer.status === 101) return answer;
  if (answer.status === 401) return refuse(c, GONE);
  throw new Error(`The terminal's object answered an upgrade with ${answer.status}.`);
}

const GONE: Refusal = unauthorized("The terminal is not enrolled any more, or its secret was replaced; log in again.");

function keyProblem(message: string): Refusal {
  return invalid([{ path: "key", message }], message);
}

/** The refusal of a message whose `datetime` is too far off; it tells the time, so that the terminal can set its clock. */
function clockProblem(datetime: number, now: number): Refusal | null {
  const skew = datetime - now;
  if (Math.abs(skew) <= CLOCK_TOLERANCE) return null;
  const seconds = Math.round(Math.abs(skew) / 1000);
  const message = `The clock is ${seconds} seconds ${skew < 0 ? "slow" : "fast"}; datetime is UTC. Take serverTime.`;
  return { kind: "invalid_request", problems: [{ path: "datetime", message }], serverTime: now };
}
