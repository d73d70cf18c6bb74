/** Who sends a request: tokens, the accounts behind them, and the order in which they are judged. */
import { createMiddleware } from "hono/factory";
import { type ClaimsFor, type TokenUse, verifyToken } from "../keys/tokens.ts";
import { err, ok, type Result } from "../result.ts";
import { type AccountStanding, findStanding } from "../storage/accounts.ts";
import type { AppEnvironment, RequestContext } from "./context.ts";
import { type Refusal, refuse } from "./errors.ts";
import { accountChecks, type RateCheck, withinRates } from "./rate-limit.ts";

/** RFC 6750's b64token, and every other character but white space: an operator's token is any text. */
const BEARER = /^Bearer +(\S+) *$/i;

/** The token of `Authorization: Bearer`, or null. */
export function bearerToken(c: RequestContext): string | null {
  return BEARER.exec(c.req.header("Authorization") ?? "")?.[1] ?? null;
}

/** Judges a token alone: signature, use, expiry. Asks neither D1 nor a rate limit. */
async function judgeToken<Use extends TokenUse>(
  c: RequestContext,
  token: string | null,
  use: Use | readonly Use[],
): Promise<Result<ClaimsFor<Use>, Refusal>> {
  const facts = c.get("facts");
  if (token === null) {
    facts.reason = "no token";
    return err(unauthorized("Send Authorization: Bearer with a token."));
  }
  const verdict = await verifyToken(c.get("keys"), token, use, Date.now());
  if (!verdict.ok) {
    // The log says which step failed; the answer to a forger does not.
    facts.reason = `token: ${verdict.error}`;
    return err(unauthorized("The token is invalid or expired."));
  }
  const claims = verdict.value;
  if (claims.use === "terminal") facts.terminal = claims.sub;
  else facts.account = claims.sub;
  return ok(claims);
}

/** Judges account and session of a valid token. 403 for the account comes before 401 for the session. */
export function accountVerdict(
  standing: Pick<AccountStanding, "status" | "sessionId" | "sessionRevokedAt"> | null,
): Refusal | null {
  if (standing === null) return unauthorized("The token is invalid or expired.");
  if (standing.status !== "active") return { kind: "forbidden", message: `The account is ${standing.status}.` };
  if (standing.sessionId === null || standing.sessionRevokedAt !== null) {
    return unauthorized("The session has ended; log in again.");
  }
  return null;
}

/** `Further`: what else a route's middleware leaves for its handler. */
export interface TokenEnvironment<Use extends TokenUse, Further extends object = object> {
  Bindings: Env;
  Variables: AppEnvironment["Variables"] & { claims: ClaimsFor<Use> } & Further;
}

interface TokenRules<Use extends TokenUse> {
  use: Use | readonly Use[];
  /** The rate limits of the token's subject. */
  checks: (c: RequestContext, subject: string) => RateCheck[];
  /** Where the token is, if not in `Authorization`. */
  tokenOf?: (c: RequestContext) => string | null;
}

/** Admits requests with a valid token within its rate limits, and leaves its `claims`. Does not touch D1. */
export function requireToken<Use extends TokenUse>(rules: TokenRules<Use>) {
  return createMiddleware<TokenEnvironment<Use>>(async (c, next) => {
    const claims = await admitToken(c, rules);
    if (!claims.ok) return refuse(c, claims.error);
    c.set("claims", claims.value);
    return next();
  });
}

async function admitToken<Use extends TokenUse>(
  c: RequestContext,
  { use, checks, tokenOf = bearerToken }: TokenRules<Use>,
): Promise<Result<ClaimsFor<Use>, Refusal>> {
  const claims = await judgeToken(c, tokenOf(c), use);
  if (!claims.ok) return claims;
  const tooMany = await withinRates(checks(c, claims.value.sub));
  return tooMany === null ? claims : err(tooMany);
}

/**
 * Admits active accounts with an open session, and leaves `claims` and `account`. Token, rate limits, one D1 query,
 * verdict, in this order.
 */
export function requireSession<Use extends "access" | "refresh">(use: Use | readonly Use[]) {
  return createMiddleware<TokenEnvironment<Use, { account: AccountStanding }>>(async (c, next) => {
    const claims = await admitToken(c, { use, checks: accountChecks });
    if (!claims.ok) return refuse(c, claims.error);
    const { sub, sid } = claims.value;
    const standing = await findStanding(c.env.DATABASE, sub, sid);
    const refusal = accountVerdict(standing);
    if (refusal !== null || standing === null) {
      const ended = standing?.status === "active" ? "session ended" : `account ${standing?.status ?? "unknown"}`;
      c.get("facts").reason = ended;
      return refuse(c, refusal ?? unauthorized("The token is invalid or expired."));
    }
    c.set("claims", claims.value);
    c.set("account", standing);
    return next();
  });
}

export const requireAccount = requireSession("access");

export function unauthorized(message: string): Refusal {
  return { kind: "unauthorized", message };
}
