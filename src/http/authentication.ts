/** Who sends a request: tokens, the accounts behind them, and the order in which they are judged. */
import { createMiddleware } from "hono/factory";
import { type ClaimsFor, type TokenUse, verifyToken } from "../keys/tokens.ts";
import { type AccountStanding, findStanding } from "../storage/accounts.ts";
import type { AppEnvironment, RequestContext } from "./context.ts";
import { type Refusal, refuse } from "./errors.ts";
import { requestChecks, withinRates } from "./rate-limit.ts";

/** The characters of RFC 6750's b64token and, as an operator's token is any text, every other one but white space. */
const BEARER = /^Bearer +(\S+) *$/i;

/** The token of `Authorization: Bearer`, or null. */
export function bearerToken(c: RequestContext): string | null {
  return BEARER.exec(c.req.header("Authorization") ?? "")?.[1] ?? null;
}

export type Bearer<Use extends TokenUse> = { ok: true; claims: ClaimsFor<Use> } | { ok: false; refusal: Refusal };

/** Judges the request's token by itself: signature, use, expiry. Touches neither D1 nor a rate limit. */
export function bearer<Use extends TokenUse>(c: RequestContext, use: Use | readonly Use[]): Bearer<Use> {
  return judgeToken(c, bearerToken(c), use);
}

/** Judges a token that may have come another way than in `Authorization`. */
export function judgeToken<Use extends TokenUse>(
  c: RequestContext,
  token: string | null,
  use: Use | readonly Use[],
): Bearer<Use> {
  const facts = c.get("facts");
  if (token === null) {
    facts.reason = "no token";
    return { ok: false, refusal: unauthorized("Send Authorization: Bearer with a token.") };
  }
  const verdict = verifyToken(c.get("keys"), token, use, Date.now());
  if (!verdict.ok) {
    // The log says which step failed; the answer to a forger does not.
    facts.reason = `token: ${verdict.reason}`;
    return { ok: false, refusal: unauthorized("The token is invalid or expired.") };
  }
  const { claims } = verdict;
  if (claims.use === "terminal") facts.terminal = claims.sub;
  else facts.account = claims.sub;
  return { ok: true, claims };
}

/** What the account and its session say about a valid token: 403 for the account goes before 401 for the session. */
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

export type Authentication<Use extends TokenUse> =
  { ok: true; claims: ClaimsFor<Use>; account: AccountStanding } | { ok: false; refusal: Refusal };

/** Token, rate limits, one D1 query, verdict: in this order. */
export async function authenticate<Use extends "access" | "refresh">(
  c: RequestContext,
  use: Use | readonly Use[],
): Promise<Authentication<Use>> {
  const token = bearer(c, use);
  if (!token.ok) return token;
  const { sub, sid } = token.claims;
  const tooMany = await withinRates(requestChecks(c, "account", sub));
  if (tooMany !== null) return { ok: false, refusal: tooMany };
  const standing = await findStanding(c.env.DATABASE, sub, sid);
  const refusal = accountVerdict(standing);
  if (refusal !== null || standing === null) {
    const ended = standing?.status === "active" ? "session ended" : `account ${standing?.status ?? "unknown"}`;
    c.get("facts").reason = ended;
    return { ok: false, refusal: refusal ?? unauthorized("The token is invalid or expired.") };
  }
  return { ok: true, claims: token.claims, account: standing };
}

export interface AccountEnvironment {
  Bindings: Env;
  Variables: AppEnvironment["Variables"] & { account: AccountStanding };
}

/** Lets active accounts with a valid access token pass, and leaves the account for the handlers. */
export const requireAccount = createMiddleware<AccountEnvironment>(async (c, next) => {
  const authentication = await authenticate(c, "access");
  if (!authentication.ok) return refuse(c, authentication.refusal);
  c.set("account", authentication.account);
  return next();
});

export function unauthorized(message: string): Refusal {
  return { kind: "unauthorized", message };
}
