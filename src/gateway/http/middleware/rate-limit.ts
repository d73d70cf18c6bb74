/**
 * Known callers are limited by name, others by address. The numbers are in wrangler.toml; the platform counts per
 * location. Checked before D1 is used.
 */
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { AccountClaims, TerminalClaims } from "../../secrets/tokens.ts";
import type { RequestContext } from "./context.ts";
import type { Refusal } from "./errors.ts";
import { RETRY_AFTER_SECONDS } from "../../../protocol/limits.ts";
import { logError } from "../../lib/log.ts";
import { SECOND } from "../../../protocol/time/units.ts";

interface RateCheck {
  limiter: RateLimit;
  key: string;
}

/** The subject separates names: an account, a terminal and an operator may have the same one. */
type Subject = "account" | "terminal" | "operator";

export const TOO_MANY: Refusal = { kind: "rate_limit_exceeded", retryAfterSeconds: RETRY_AFTER_SECONDS };

/** Returns null if every check admits the request. All of them count it. */
export async function checkRates(checks: RateCheck[]): Promise<Refusal | null> {
  const verdicts = await Promise.all(checks.map(passes));
  return verdicts.every((passed) => passed) ? null : TOO_MANY;
}

/** The limits that have refused here, and until when. */
const refusing = new BoundedMap<string, number>(10_000);
const WINDOW = RETRY_AFTER_SECONDS * SECOND;

/**
 * Counts a caller's failure, and records which limits it has used up. Returns null if the caller is within them all.
 */
export async function countFailure(checks: RateCheck[]): Promise<Refusal | null> {
  const verdicts = await Promise.all(checks.map(passes));
  for (const [index, { key }] of checks.entries()) {
    if (verdicts[index] === false) refusing.set(key, Date.now() + WINDOW);
  }
  return verdicts.every((passed) => passed) ? null : TOO_MANY;
}

/** Whether the limit is used up, according to this isolate. */
export function isUsedUp({ key }: RateCheck): boolean {
  return (refusing.get(key) ?? 0) > Date.now();
}

/** Admits the request if the limit cannot be checked: a failing rate limit must not stop payments. */
async function passes({ limiter, key }: RateCheck): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    logError("rate_limit_not_checked", error);
    return true;
  }
}

/**
 * Limits failed logins to few per name and network. The limit is never per name alone: anyone could lock out a shop by
 * trying wrong passwords.
 */
export function failuresOfName(c: RequestContext, subject: Subject, id: string): RateCheck {
  return { limiter: c.env.LOGIN_PER_ACCOUNT_AND_ADDRESS, key: `${subject} ${id} ${readClientNetwork(c)}` };
}

/**
 * Failed logins, few per name and network, many per network. By network and not by address, because one machine may
 * have all addresses of its network: an IPv6 /48 has 65,536 of what `readClientAddress` counts as one. No right login is refused
 * for its network's failures: strangers share it.
 */
export function loginChecks(c: RequestContext, subject: Subject, id: string): RateCheck[] {
  const network = { limiter: c.env.LOGIN_PER_ADDRESS, key: `${subject} ${readClientNetwork(c)}` };
  return [failuresOfName(c, subject, id), network];
}

/** Limits activations by address, before D1 is asked: who activates a terminal has no credentials yet. */
export function activationChecks(c: RequestContext): RateCheck[] {
  return [{ limiter: c.env.LOGIN_PER_ADDRESS, key: `activation ${readClientAddress(c)}` }];
}

/** Limits unknown operator tokens. Valid tokens are not counted here, so that nobody can lock out an operator. */
export function guessChecks(c: RequestContext): RateCheck[] {
  return [...loginChecks(c, "operator", "-"), ...addressChecks(c)];
}

/** Limits binds with a wrong signature, by token and address: a stranger's failures do not stop the terminal. */
export function unsignedBindChecks(c: RequestContext, { sub, jti }: TerminalClaims): RateCheck[] {
  return [{ limiter: c.env.BIND_PER_TERMINAL, key: `unsigned ${sub} ${jti} ${readClientAddress(c)}` }];
}

/** Limits binds with a right signature, which keeps a terminal from guessing keys. */
export function bindChecks(c: RequestContext, terminalId: string): RateCheck[] {
  return [{ limiter: c.env.BIND_PER_TERMINAL, key: terminalId }];
}

/**
 * Limits connections to few per terminal and address. The limit is never per terminal alone: anyone who has read its
 * token could lock it out from anywhere.
 */
export function connectChecks(c: RequestContext, terminalId: string): RateCheck[] {
  return [{ limiter: c.env.CONNECT_PER_TERMINAL_AND_ADDRESS, key: `${terminalId} ${readClientAddress(c)}` }];
}

/** Limits calls by name, wherever they come from. */
export function operatorChecks(c: RequestContext, name: string): RateCheck[] {
  return [{ limiter: c.env.REQUESTS_PER_ACCOUNT, key: `operator ${name}` }];
}

type SessionClaims = Pick<AccountClaims, "sub" | "sid">;

/**
 * Each kind of an account's calls has limits of its own: whoever reads much keeps nobody from paying, and neither keeps
 * anybody from refreshing a session.
 */
type CallKind = "transfer" | "session" | "read";

function kindOfCall({ req }: Pick<RequestContext, "req">): CallKind {
  if (req.path === "/api/transfer" || req.path.startsWith("/api/transfer/")) return "transfer";
  return req.path.startsWith("/auth/") ? "session" : "read";
}

/** The limits of accounts that are used up here, and until when. */
const usedUp = new BoundedMap<string, number>(1_000);
/** The platform's window is a minute: after this time the next call asks again. */
const USED_UP_FOR = 5 * SECOND;

/**
 * An account's calls, before its object has checked the session. Counted by session, which has half of what its account
 * has: one session, open or ended, uses up only its own limit. Never by address: a shop's POS share theirs with
 * strangers.
 */
export async function checkSessionRate(c: RequestContext, { sub, sid }: SessionClaims): Promise<Refusal | null> {
  const kind = kindOfCall(c);
  if ((usedUp.get(`${kind} ${sub}`) ?? 0) > Date.now()) return TOO_MANY;
  return checkRates([{ limiter: c.env.REQUESTS_PER_SESSION, key: `${kind} ${sub} ${sid}` }]);
}

/**
 * Counts a call whose session is open. The call itself does not wait for the count: over the limit, the account's next
 * calls of this kind are refused.
 */
export function countForAccount(c: RequestContext, posId: string): void {
  const key = `${kindOfCall(c)} ${posId}`;
  const counting = passes({ limiter: c.env.REQUESTS_PER_ACCOUNT, key }).then((isWithin) => {
    if (!isWithin) usedUp.set(key, Date.now() + USED_UP_FOR);
  });
  c.executionCtx.waitUntil(counting);
}

/**
 * Readers of an account's events. Each event costs them a request, so the busier the POS programs, the more they send. Their
 * own limit ensures that they never keep the POS programs from paying.
 */
export async function checkReaderRate(c: RequestContext, { sub, sid }: SessionClaims): Promise<Refusal | null> {
  return checkRates([{ limiter: c.env.EVENTS_PER_ACCOUNT, key: `${sub} ${sid}` }]);
}

/** Anonymous calls, and calls with wrong credentials. */
export function addressChecks(c: RequestContext): RateCheck[] {
  return [{ limiter: c.env.REQUESTS_PER_ADDRESS, key: readClientAddress(c) }];
}

/**
 * For IPv6 the first 64 bits, because a client usually has the whole network. Only Cloudflare's edge sets the header,
 * and always sets it. Without it, all clients count as one.
 */
export function readClientAddress(c: Pick<RequestContext, "req">): string {
  const address = callingAddress(c);
  return address.includes(":") ? networkOfV6(address, 64) : address;
}

/** What one customer of a network operator may have: an IPv6 /48 (RFC 6177, section 2), an IPv4 /24. */
export function readClientNetwork(c: Pick<RequestContext, "req">): string {
  const address = callingAddress(c);
  return address.includes(":") ? networkOfV6(address, 48) : address.replace(/\.\d+$/, ".0");
}

function callingAddress(c: Pick<RequestContext, "req">): string {
  return c.req.header("CF-Connecting-IP") ?? "unknown";
}

function networkOfV6(address: string, bits: 48 | 64): string {
  const [before = [], after = []] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after]
    .slice(0, bits / 16)
    .join(":")
    .toLowerCase();
}
