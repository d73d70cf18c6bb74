import { BoundedMap } from "../../lib/bounded-map.ts";
import { withTimeout } from "../../lib/with-timeout.ts";
import { createFactory } from "hono/factory";
import { logError } from "../../lib/log.ts";
import { mayDo, type OperatorRole } from "../../../protocol/operator-roles.ts";
import { err, ok, type Result } from "../../../protocol/result.ts";
import { bearerToken, unauthorizedRefusal } from "../middleware/authentication.ts";
import type { AppEnvironment, RequestContext } from "../middleware/context.ts";
import { markCheck } from "../middleware/describe.ts";
import { NOTHING_HERE, type Refusal, refuse } from "../middleware/errors.ts";
import {
  addressChecks,
  readClientAddress,
  guessChecks,
  loginChecks,
  operatorChecks,
  checkRates,
} from "../middleware/rate-limit.ts";
import { countAttempts } from "../../d1/audit.ts";
import { HOUR, MINUTE, SECOND, type EpochMs } from "../../../protocol/time/units.ts";
import { isLocal } from "../middleware/transport.ts";
import { type AccessRefusal, ASSERTION_HEADER, type AccessSettings, readAccess, verifyAssertion } from "./access.ts";
import { type OperatorToken, findOperator, readOperators, type SignedIn } from "./tokens.ts";

/** `Further` has the other variables that a route's middleware sets for its handler. */
export interface OperatorEnvironment<Further extends object = object> {
  Bindings: Env;
  Variables: AppEnvironment["Variables"] & {
    /** The operator's name, for the audit log. */
    operator: string;
    role: OperatorRole;
  } & Further;
}

export const operatorFactory = createFactory<OperatorEnvironment>();

/** If no way to sign in is configured, the paths do not exist. */
export const requireOperator = operatorFactory.createMiddleware(async (c, next) => {
  const operator = await signedIn(c);
  if (!operator.ok) return refuse(c, operator.error);
  const { name, role } = operator.value;
  c.get("facts").operator = name;
  c.set("operator", name);
  c.set("role", role);
  return next();
});

/** A token counts before an assertion, because it was chosen for this request. */
export async function signedIn(c: RequestContext): Promise<Result<SignedIn, Refusal>> {
  const operators = readOperators(c.env.OPERATOR_TOKENS);
  if (!operators.ok) return misconfigured(c, operators.error);
  const access = readAccess(c.env, isLocal(c));
  if (!access.ok) return misconfigured(c, access.error);
  if (operators.value.length === 0 && access.value === null) return err(NOTHING_HERE);
  const token = bearerToken(c);
  const assertion = c.req.header(ASSERTION_HEADER);
  if (token === null && access.value !== null && assertion !== undefined) {
    return byAssertion(c, access.value, assertion);
  }
  return byToken(c, operators.value, token);
}

function misconfigured(c: RequestContext, problem: string): Result<never, Refusal> {
  logError("configuration_rejected", new Error(problem), { traceId: c.get("traceId") });
  return err({ kind: "internal_server_error" });
}

async function byToken(
  c: RequestContext,
  operators: OperatorToken[],
  token: string | null,
): Promise<Result<SignedIn, Refusal>> {
  const operator = token === null ? null : findOperator(operators, token);
  const tooMany = await checkRates(
    operator !== null ? operatorChecks(c, operator.name) : token !== null ? guessChecks(c) : addressChecks(c),
  );
  if (tooMany !== null) return err(tooMany);
  if (operator === null && token !== null) await noteGuess(c.env.DATABASE, readClientAddress(c), Date.now());
  if (operator !== null) return ok(operator);
  const message =
    token === null ? "Send Authorization: Bearer with an operator's token." : "No operator has this token. Check it.";
  return err(unauthorizedRefusal(message));
}

const INVALID_ASSERTION = "The assertion of Cloudflare Access is not valid here. Sign in again.";
const NO_ROLE = "Cloudflare Access has signed you in, but ACCESS_ROLES gives you no role here. Ask an admin.";
const CROSS_SITE =
  "Signed in through Cloudflare Access, a request must come from this gateway's own pages or from a program, and a POST " +
  "needs Content-Type: application/json.";

async function byAssertion(
  c: RequestContext,
  access: AccessSettings,
  assertion: string,
): Promise<Result<SignedIn, Refusal>> {
  // Each assertion costs a verified signature, and may cost a read of the team's keys.
  const already = await checkRates(addressChecks(c));
  if (already !== null) return err(already);
  const operator = await verifyAssertion(access, assertion);
  if (!operator.ok) return err(await refusedAssertion(c, operator.error));
  const tooMany = await checkRates(operatorChecks(c, operator.value.name));
  if (tooMany !== null) return err(tooMany);
  const problem = crossSiteProblem(c);
  if (problem === null) return operator;
  c.get("facts").reason = `cross-site: ${problem}`;
  return err({ kind: "forbidden", message: CROSS_SITE });
}

async function refusedAssertion(c: RequestContext, error: AccessRefusal): Promise<Refusal> {
  if (error.kind === "key-set") {
    logError("access_keys_not_read", error.cause, { traceId: c.get("traceId") });
    return { kind: "internal_server_error" };
  }
  if (error.kind === "no-role") return { kind: "forbidden", message: NO_ROLE };
  const tooMany = await checkRates(loginChecks(c, "operator", "-"));
  if (tooMany !== null) return tooMany;
  // The log names the failed check. The response does not help an attacker.
  c.get("facts").reason = `access: ${error.reason}`;
  await noteGuess(c.env.DATABASE, readClientAddress(c), Date.now());
  return unauthorizedRefusal(INVALID_ASSERTION);
}

/**
 * Why a request may come from another site; null if it cannot. An operator's token is in the memory of one page. The
 * cookie of Cloudflare Access goes with every request that the browser sends, so a request that only Access has signed
 * in must prove that no other site made it.
 *
 * Browsers set `Sec-Fetch-Site` and `Origin` themselves. A request without either comes from a program or an old
 * browser: there, a form of another site can only send a POST, and never as JSON.
 */
function crossSiteProblem(c: RequestContext): string | null {
  const site = c.req.header("Sec-Fetch-Site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return `Sec-Fetch-Site: ${words(site)}`;
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== new URL(c.req.url).origin) return "another Origin";
  if (c.req.method === "POST" && !isJson(c.req.header("Content-Type"))) return "a POST that is not JSON";
  return null;
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;|$)/i.test(contentType ?? "");
}

function words(site: string): string {
  return /^[a-z-]{1,20}$/.test(site) ? site : "unknown";
}

/** Admits a role and those above it: the first check of a route. */
function check(needed: OperatorRole) {
  const middleware = operatorFactory.createMiddleware(async (c, next) => {
    const role = c.get("role");
    if (mayDo(role, needed)) return next();
    c.get("facts").reason = `role: ${role}`;
    const message = `This call needs the role ${needed}. You are a ${role}.`;
    return refuse(c, { kind: "forbidden", message });
  });
  return markCheck(middleware, { caller: "operator", role: needed });
}

/** Reads only. */
export const forViewers = check("viewer");
/** Resolves, unbinds, suspends, and renews passwords and terminals' secrets. */
export const forSupport = check("support");
/** Any other change. */
export const forAdmins = check("admin");

/*
 * Failed sign-ins in the audit log: one row per address and hour, with the least number of attempts. So a flood from
 * one address hides nobody else, and all together can neither fill the database nor keep it busy.
 */

/** How often this isolate writes an address's count. */
const WRITTEN_EVERY = MINUTE;
const ADDRESSES_PER_HOUR = 200;
/** All addresses together may cause so many in this isolate. */
const WRITES_PER_MINUTE = 6;

/** How long a refusal waits for its row. */
const NOTED_WITHIN = 5 * SECOND;

const counted = new BoundedMap<string, { writtenAt: EpochMs; attempts: number }>(1_000);

/** The hour in which D1 has taken its last address, as far as this isolate knows. */
let fullHour = -Infinity;
let writes = { minute: -Infinity, count: 0 };

/**
 * Writes the row if this is the address's first attempt in a while. Never throws: the request is refused in any case.
 */
async function noteGuess(db: D1Database, address: string, now: EpochMs): Promise<void> {
  const { writtenAt, attempts } = counted.get(address) ?? { writtenAt: -Infinity, attempts: 0 };
  const hour = Math.floor(now / HOUR) * HOUR;
  // In a full hour, D1 takes only further attempts of the addresses that it has.
  const hasPlace = fullHour !== hour || writtenAt >= hour;
  const isWritten = hasPlace && now - writtenAt >= WRITTEN_EVERY && takeWrite(now);
  counted.set(address, isWritten ? { writtenAt: now, attempts: 0 } : { writtenAt, attempts: attempts + 1 });
  if (!isWritten) return;
  const action = "operator.refused";
  const entry = { at: now, actor: "nobody", action, target: address, details: { attempts: 0 } } as const;
  try {
    const statements = countAttempts(db, entry, { since: hour, attempts: attempts + 1, atMost: ADDRESSES_PER_HOUR });
    const [, counting] = await withTimeout(NOTED_WITHIN, db.batch(statements));
    if (counting?.meta.changes === 0) fullHour = hour;
  } catch (error) {
    logError("operator_refusal_not_audited", error);
  }
}

/** Whether this isolate may write once more in this minute. */
function takeWrite(now: EpochMs): boolean {
  const minute = Math.floor(now / MINUTE);
  if (writes.minute !== minute) writes = { minute, count: 0 };
  if (writes.count >= WRITES_PER_MINUTE) return false;
  writes.count++;
  return true;
}
