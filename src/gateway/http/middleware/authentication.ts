import { createMiddleware } from "hono/factory";
import { type AccountView, type SessionStanding, accountStub } from "../../account/rpc.ts";
import { type ClaimsFor, type TokenUse, verifyToken } from "../../secrets/tokens.ts";
import { err, ok, type Result } from "../../../protocol/result.ts";
import type { AppEnvironment, RequestContext } from "./context.ts";
import { markCheck } from "./describe.ts";
import { type Refusal, refuse } from "./errors.ts";
import { countForAccount, checkSessionRate } from "./rate-limit.ts";
import { objectInTime } from "./time-limit.ts";

/**
 * The token is any text without white space. This is wider than RFC 6750's b64token, because an operator's token is
 * free text.
 */
const BEARER = /^Bearer +(\S+) *$/i;

const INVALID_TOKEN = "The token is invalid or expired. Get a new token.";

/** Only who has signed the login, or read it on its way, gets this answer: it reveals nothing to them. */
export const USED_LOGIN = "This login was used before. Sign a new one, with a new nonce, for each call.";

export function bearerToken(c: RequestContext): string | null {
  return BEARER.exec(c.req.header("Authorization") ?? "")?.[1] ?? null;
}

/** Uses no D1, no objects and no rate limits. */
async function judgeToken<Use extends TokenUse>(
  c: RequestContext,
  token: string | null,
  use: Use | readonly Use[],
): Promise<Result<ClaimsFor<Use>, Refusal>> {
  const facts = c.get("facts");
  if (token === null) {
    facts.reason = "no token";
    return err(unauthorizedRefusal("The token is missing. Send the header Authorization: Bearer <token>."));
  }
  const verdict = await verifyToken(c.get("keys"), token, use, Date.now());
  if (!verdict.ok) {
    // The log names the failed step. The response does not help an attacker.
    facts.reason = `token: ${verdict.error}`;
    return err(unauthorizedRefusal(INVALID_TOKEN));
  }
  const claims = verdict.value;
  if (claims.use === "terminal") facts.terminal = claims.sub;
  else facts.account = claims.sub;
  return ok(claims);
}

type BadStanding = Exclude<SessionStanding, { kind: "good" }>;

/** The refusal for a valid token whose account or session is not active. Also notes the reason for the log. */
export function standingRefusal(c: RequestContext, standing: BadStanding): Refusal {
  const facts = c.get("facts");
  switch (standing.kind) {
    case "unknown":
      facts.reason = "account unknown";
      return unauthorizedRefusal(INVALID_TOKEN);
    case "not-active":
      facts.reason = `account ${standing.status}`;
      return { kind: "forbidden", message: `The account is ${standing.status}.` };
    case "session-ended":
      facts.reason = "session ended";
      return unauthorizedRefusal("The session has ended. Log in again.");
    default:
      return standing satisfies never;
  }
}

export function refuseStanding(c: RequestContext, standing: BadStanding): Response {
  return refuse(c, standingRefusal(c, standing));
}

/** `Further` has the other variables that a route's middleware sets for its handler. */
export interface TokenEnvironment<Use extends TokenUse, Further extends object = object> {
  Bindings: Env;
  Variables: AppEnvironment["Variables"] & { claims: ClaimsFor<Use> } & Further;
}

interface TokenRules<Use extends TokenUse> {
  use: Use | readonly Use[];
  /** Returns null if the request is within the rate limits of the token's bearer. */
  within: (c: RequestContext, claims: ClaimsFor<Use>) => Promise<Refusal | null>;
  /** By default, the token is in `Authorization`. */
  tokenOf?: (c: RequestContext) => string | null;
}

/** Admits requests with a valid token within its rate limits, and sets `claims`. Checks neither account nor session. */
export function requireToken<Use extends TokenUse>(rules: TokenRules<Use>) {
  const middleware = createMiddleware<TokenEnvironment<Use>>(async (c, next) => {
    const claims = await admitToken(c, rules);
    if (!claims.ok) return refuse(c, claims.error);
    c.set("claims", claims.value);
    return next();
  });
  return markCheck(middleware, { caller: typeof rules.use === "string" ? rules.use : "session" });
}

async function admitToken<Use extends TokenUse>(
  c: RequestContext,
  { use, within, tokenOf = bearerToken }: TokenRules<Use>,
): Promise<Result<ClaimsFor<Use>, Refusal>> {
  const claims = await judgeToken(c, tokenOf(c), use);
  if (!claims.ok) return claims;
  const tooMany = await within(c, claims.value);
  return tooMany === null ? claims : err(tooMany);
}

/** Applies the session's rate limit and does not check the session. The handler counts the call for the account. */
export function requireAccountToken<Use extends "access" | "refresh">(use: Use | readonly Use[]) {
  return requireToken({ use, within: checkSessionRate });
}

/**
 * Admits active accounts with an open session by an access token, and sets `claims` and `account`. The order is token,
 * rate limits, account's object: 403 for the account comes before 401 for the session.
 */
export const requireAccount = createMiddleware<TokenEnvironment<"access", { account: AccountView }>>(
  async (c, next) => {
    const claims = await admitToken(c, { use: "access", within: checkSessionRate });
    if (!claims.ok) return refuse(c, claims.error);
    const { sub, sid } = claims.value;
    const standing = await objectInTime(accountStub(c.env, sub).standing(sid));
    if (standing.kind !== "good") return refuseStanding(c, standing);
    countForAccount(c, sub);
    c.set("claims", claims.value);
    c.set("account", standing.account);
    return next();
  },
);
markCheck(requireAccount, { caller: "access" });

export function unauthorizedRefusal(message: string): Refusal {
  return { kind: "unauthorized", message };
}
