/**
 * Each login waits for its turn, which is fair by address, and is then verified. Only failures count against the login
 * limits, so wrong attempts from a shop's own address do not lock out its tills. A caller with too many failures waits
 * in a slower queue, where the right credential still gets its turn. A password costs a hash, so an attempt counts
 * before it; a password that this isolate has verified costs none.
 *
 * Only D1 and the account's object tell which kind of credential an account has. Invented names end at D1.
 */
import { accountStub, type Credentials, type OpenOutcome, type SignedOpenOutcome } from "../../rpc/account.ts";
import type { Caller } from "../../bounds/fair-queue.ts";
import { isSecretHash, mayBeSecret, verifySecret, verifyPassword, rememberedPasswords } from "../../keys/passwords.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { err, ok, type Result } from "../../outcomes/result.ts";
import { accountExists } from "../../storage/accounts.ts";
import { MINUTE } from "../../time/units.ts";
import { datetimeProblems } from "../../signing/problems.ts";
import { refusalOf, unauthorized } from "../authentication.ts";
import type { RequestContext } from "../context.ts";
import { invalid, type Refusal, unreadableKey } from "../errors.ts";
import { callerOf, hashInTurn, noteFamiliar, refusedHash, waitForTurn } from "../in-turn.ts";
import { countFailure, loginChecks } from "../rate-limit.ts";
import type { Login, PasswordLogin, SignedLoginMessage } from "./requests.ts";

export type Opened = Extract<OpenOutcome, { kind: "opened" }>;

const WRONG_PASSWORD = "posId or password is wrong.";
const WRONG_SIGNATURE =
  "posId or signature is wrong, or this login was used before: send a new nonce and a new signature for each login.";

/** The Worker's and the object's clocks differ a little, so a login is remembered longer than it is valid. */
const CLOCKS_DIFFER = MINUTE;

/** @param now when the login arrived, epoch milliseconds */
export async function openByLogin(c: RequestContext, login: Login, now: number): Promise<Result<Opened, Refusal>> {
  // Before any lookup: the answer is the same whether or not there is such an account.
  const problems = login.kind === "signed" ? datetimeProblems(login.datetime, now) : [];
  if (problems.length > 0) return err(invalid(problems));
  const caller = callerOf(c, `account ${login.posId}`);
  const later = await waitForTurn(c, caller, loginChecks(c, "account", login.posId));
  if (later !== null) return err(later);

  const opened = login.kind === "signed" ? await bySignature(c, login) : await byPassword(c, login, caller);
  if (opened.ok) noteFamiliar(caller);
  return opened;
}

/** D1 knows which accounts exist: an invented posId must not create an object. */
async function exists(c: RequestContext, posId: string): Promise<boolean> {
  const known = await accountExists(c.env.DATABASE, posId);
  if (known) c.get("facts").account = posId;
  return known;
}

const REASONS = { unknown: "no such account", "wrong-signature": "wrong signature", used: "login used before" };

async function bySignature(
  c: RequestContext,
  { posId, datetime, signature, form }: SignedLoginMessage,
): Promise<Result<Opened, Refusal>> {
  const message = { signedForm: form, signature, until: datetime + CLOCK_TOLERANCE + CLOCKS_DIFFER };
  const { kid } = c.get("keys").current;
  const outcome: SignedOpenOutcome = (await exists(c, posId))
    ? await accountStub(c.env, posId).openSignedSession(message, kid)
    : { kind: "unknown" };
  switch (outcome.kind) {
    case "opened":
      return ok(outcome);
    case "not-active":
      return err(notActive(c, outcome));
    case "unreadable-key":
      return err(unreadableKey(posId));
    case "unknown":
    case "wrong-signature":
    case "used":
      return err(await countedFailure(c, posId, REASONS[outcome.kind], WRONG_SIGNATURE));
    default:
      return outcome satisfies never;
  }
}

interface Attempt extends PasswordLogin {
  caller: Caller;
  counted: boolean;
}

async function byPassword(c: RequestContext, login: PasswordLogin, caller: Caller): Promise<Result<Opened, Refusal>> {
  // The second round runs only if the password changed while it was verified.
  for (const counted of [false, true]) {
    const attempt = { ...login, caller, counted };
    const looked = await credentialsOf(c, attempt);
    if (!looked.ok) return looked;
    const credentials = looked.value;
    const refusal = await refusePassword(c, attempt, credentials);
    if (refusal !== null) return err(refusal);
    if (credentials.kind === "unknown") break;
    const { kid } = c.get("keys").current;
    const opened = await accountStub(c.env, login.posId).openSession(credentials.passwordVersion, kid);
    if (opened.kind === "opened") return ok(opened);
    if (opened.kind !== "stale") return err(notActive(c, opened));
  }
  return err(unauthorized("The account is being changed. Log in again."));
}

/** All tills of a chain may log in at once: a login whose password cannot be verified now costs no lookup. */
async function credentialsOf(
  c: RequestContext,
  { posId, password, caller }: Attempt,
): Promise<Result<Credentials, Refusal>> {
  const needsNoHash = mayBeSecret(password) || rememberedPasswords.versionOf(posId, password) !== null;
  const refusal = needsNoHash ? null : refusedHash(c, caller);
  if (refusal !== null) return err(refusal);
  return ok((await exists(c, posId)) ? await accountStub(c.env, posId).credentials() : { kind: "unknown" });
}

/**
 * Null if the password is right. A wrong one takes the time of a hash, whatever the account has: otherwise the time
 * would reveal which accounts exist (I6).
 */
async function refusePassword(
  c: RequestContext,
  { posId, password, caller, counted }: Attempt,
  credentials: Credentials,
): Promise<Refusal | null> {
  const { hash, version } =
    credentials.kind === "known"
      ? { hash: credentials.passwordHash, version: credentials.passwordVersion }
      : { hash: null, version: null };
  if (isDrawn(hash) && verifySecret(password, hash)) return null;
  const isRemembered = (): boolean => version !== null && rememberedPasswords.versionOf(posId, password) === version;
  if (isRemembered()) return null;
  const verified = await hashInTurn(c, caller, async (pause): Promise<Refusal | boolean> => {
    // Another login of the account may have been verified while this one waited.
    if (isRemembered()) return true;
    const tooMany = counted ? null : await countFailure(loginChecks(c, "account", posId));
    return tooMany ?? verifyPassword(password, isDrawn(hash) ? null : hash, pause);
  });
  if (!verified.ok) return verified.error;
  if (verified.value === false) return wrongPassword(c, hash);
  if (verified.value !== true) return verified.value;
  if (version !== null) rememberedPasswords.remember(posId, version, password);
  return null;
}

/** The gateway drew this password at random: it needs no slow hash. */
function isDrawn(hash: string | null): hash is string {
  return hash !== null && isSecretHash(hash);
}

function wrongPassword(c: RequestContext, hash: string | null): Refusal {
  const wrong = isDrawn(hash) ? "wrong secret" : "wrong password";
  c.get("facts").reason = hash === null ? "no such account" : wrong;
  return unauthorized(WRONG_PASSWORD);
}

/** For a wrong credential that needs no slow hash. Counts the failure, and returns 429 over the limit. */
async function countedFailure(c: RequestContext, posId: string, reason: string, message: string): Promise<Refusal> {
  c.get("facts").reason = reason;
  return (await countFailure(loginChecks(c, "account", posId))) ?? unauthorized(message);
}

/** Call this only after the right credential. */
function notActive(c: RequestContext, outcome: Extract<OpenOutcome, { kind: "unknown" | "not-active" }>): Refusal {
  const { refusal, reason } = refusalOf(outcome);
  c.get("facts").reason = reason;
  return refusal;
}
