/** The terminal's own calls: login, bind, connect. */
import { bindKeyDigests } from "../../keys/bind-keys.ts";
import { signToken } from "../../keys/tokens.ts";
import { CLOCK_TOLERANCE, TERMINAL_TOKEN_LIFE } from "../../limits.ts";
import { kindProblems } from "../../signing/message-kind.ts";
import { findTerminal, noteSecretVersion, type Terminal } from "../../storage/terminals.ts";
import { isoWithOffset } from "../../time/zone.ts";
import type { Bound, TerminalToken } from "../answers/terminal.ts";
import { bearer, bearerToken, judgeToken, unauthorized } from "../authentication.ts";
import { bindByKey } from "../bind-by-key.ts";
import { terminalStub } from "../../terminal/stub.ts";
import { applyPrebinding } from "../bindings.ts";
import { invalid, readBody } from "../body.ts";
import { type RequestContext, factory } from "../context.ts";
import { type Refusal, refuse } from "../errors.ts";
import { bindRequest, terminalLoginRequest } from "../messages/terminal.ts";
import { bindChecks, connectChecks, loginChecks, withinRates } from "../rate-limit.ts";
import { isAllowedOrigin } from "../transport.ts";

const PROTOCOL = "pos-terminal.v1";

export const terminal = factory.createApp();

terminal.post("/terminal/login", async (c) => {
  const body = await readBody(c, terminalLoginRequest);
  if (!body.ok) return refuse(c, body.refusal);
  const otherKind = kindProblems(body.message, "login");
  if (otherKind.length > 0) return refuse(c, invalid(otherKind));
  const { terminalId, datetime } = body.value;
  const tooMany = await withinRates(loginChecks(c, "terminal", terminalId));
  if (tooMany !== null) return refuse(c, tooMany);

  // Before anything is looked up: the answer is the same for terminals that exist and for those that do not.
  const now = Date.now();
  const skew = datetime - now;
  if (Math.abs(skew) > CLOCK_TOLERANCE) return refuse(c, clockIsOff(skew, now));

  const known = await findTerminal(c.env.DATABASE, terminalId);
  if (known !== null) c.get("facts").terminal = terminalId;
  // An object that was never enrolled is not even woken.
  const verdict = known?.status === "enrolled" ? await terminalStub(c.env, terminalId).verifyLogin(body.message) : null;
  if (known === null || verdict?.kind !== "accepted") {
    c.get("facts").reason = known === null ? "no such terminal" : verdict === null ? "retired" : "wrong signature";
    return refuse(c, unauthorized("The terminal is not known, or the signature is wrong."));
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

terminal.post("/terminal/bind", async (c) => {
  const token = bearer(c, "terminal");
  if (!token.ok) return refuse(c, token.refusal);
  const { sub: terminalId, ver } = token.claims;
  const tooMany = await withinRates(bindChecks(c, terminalId));
  if (tooMany !== null) return refuse(c, tooMany);
  const body = await readBody(c, bindRequest);
  if (!body.ok) return refuse(c, body.refusal);

  const known = await findTerminal(c.env.DATABASE, terminalId);
  // A token of a secret that was replaced binds no more.
  if (known?.status !== "enrolled" || known.secretVersion !== ver) return refuse(c, GONE);
  const outcome = await bindByKey(c.env, known, bindKeyDigests(c.get("keys"), body.value.key ?? ""));
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

terminal.get("/terminal/connect", async (c) => {
  const offered = (c.req.header("Sec-WebSocket-Protocol") ?? "").split(",").map((entry) => entry.trim());
  const offersProtocol = offered[0] === PROTOCOL;
  // Browsers cannot set Authorization on a WebSocket; the token is then the second protocol that they offer.
  const carried = bearerToken(c) ?? (offersProtocol ? (offered[1] ?? null) : null);
  const token = judgeToken(c, carried, "terminal");
  if (!token.ok) return refuse(c, token.refusal);
  const { sub: terminalId, ver } = token.claims;
  const tooMany = await withinRates(connectChecks(c, terminalId));
  if (tooMany !== null) return refuse(c, tooMany);
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") {
    return refuse(c, invalid([{ path: "", message: "Open a WebSocket here: send Upgrade: websocket." }]));
  }
  if (!isAllowedOrigin(c)) return refuse(c, { kind: "forbidden", message: "Pages of this origin may not connect." });

  const known = await findTerminal(c.env.DATABASE, terminalId);
  if (known?.status !== "enrolled") return refuse(c, GONE);
  if (known.boundPosId === null && known.merchantId !== null) await applyPrebinding(c.env, [terminalId]);
  return connect(c, known, ver, offersProtocol);
});

/** Hands the upgrade to the terminal's object. The token stays here: what the object needs of it is the version. */
async function connect(
  c: RequestContext,
  { terminalId }: Terminal,
  secretVersion: number,
  offersProtocol: boolean,
): Promise<Response> {
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

/** Tells the terminal the time, so that one with a dead clock can help itself. */
function clockIsOff(skew: number, now: number): Refusal {
  const seconds = Math.round(Math.abs(skew) / 1000);
  const message = `The clock is ${seconds} seconds ${skew < 0 ? "slow" : "fast"}; datetime is UTC. Take serverTime.`;
  return { kind: "invalid_request", problems: [{ path: "datetime", message }], serverTime: now };
}
