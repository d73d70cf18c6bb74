/**
 * Opens a session. Credentials that are cheap to verify (signatures, secrets that the gateway created) are verified first,
 * and only failures count against the login limits: wrong attempts from a shop's own address do not lock out its tills.
 * Such credentials cannot be guessed, so the right one may always pass. A password costs a hash, so every attempt counts
 * before it.
 *
 * Which kind an account has is known only after a read of D1 and a call to its object, before those limits. Each attempt
 * counts as a request of its address first, so an attacker gets no more of either than with any other call, and an attacker
 * at a shop's own address gains nothing new: that limit applies to its transfers, too. Invented names end at D1.
 */
import type { Credentials, OpenOutcome, SignedOpenOutcome } from "../../account/calls.ts";
import { accountStub } from "../../account/stub.ts";
import { isSecretHash, mayBeSecret, verifySecret } from "../../keys/account-secrets.ts";
import { verifyPassword } from "../../keys/passwords.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { err, ok, type Result } from "../../result.ts";
import { accountExists } from "../../storage/accounts.ts";
import { MINUTE } from "../../time/units.ts";
import { datetimeProblems } from "../../transfer/problems.ts";
import { refusalOf, unauthorized } from "../authentication.ts";
import type { RequestContext } from "../context.ts";
import { invalid, type Refusal } from "../errors.ts";
import { hashInTurn, refusedHash, waitForLogin } from "../in-turn.ts";
import { addressChecks, loginChecks, withinRates } from "../rate-limit.ts";
import { unreadableKey } from "../unreadable-key.ts";
import type { Login, PasswordLogin, SignedLoginMessage } from "./requests.ts";

export type Opened = Extract<OpenOutcome, { kind: "opened" }>;

const WRONG_PASSWORD = "posId or password is wrong.";
const WRONG_SIGNATURE =
  "posId or signature is wrong, or this login was used before: send a new nonce and a new signature for each login.";

/** The Worker's and the object's clocks differ a little, so a login is remembered longer than it is acceptable. */
const CLOCKS_DIFFER = MINUTE;

/** @param now when the login arrived, epoch milliseconds */
export async function openByLogin(c: RequestContext, login: Login, now: number): Promise<Result<Opened, Refusal>> {
  // Before any look-up: the answer is the same whether or not there is such an account.
  const problems = login.kind === "signed" ? datetimeProblems(login.datetime, now) : [];
  if (problems.length > 0) return err(invalid(problems));
  const tooMany = await withinRates(addressChecks(c));
  if (tooMany !== null) return err(tooMany);
  const later = await waitForLogin(c);
  if (later !== null) return err(later);

  return login.kind === "signed" ? bySignature(c, login) : byPassword(c, login);
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

async function byPassword(c: RequestContext, { posId, password }: PasswordLogin): Promise<Result<Opened, Refusal>> {
  let counted = false;
  // At most twice: the second time only if the password changed while it was verified.
  for (let attempt = 0; attempt < 2; attempt++) {
    const looked = await credentialsOf(c, posId, password);
    if (!looked.ok) return looked;
    const credentials = looked.value;
    const hash = credentials.kind === "known" ? credentials.passwordHash : null;
    // An account with a created secret answers faster than one that does not exist. That only reveals that it exists: names
    // are not secret, and its secret cannot be guessed. An account with a password must look like no account.
    const isDrawn = hash !== null && isSecretHash(hash);
    const refusal = isDrawn
      ? await refuseSecret(c, posId, password, hash)
      : await refusePassword(c, posId, password, hash, counted);
    counted ||= !isDrawn;
    if (refusal !== null) return err(refusal);
    if (credentials.kind === "unknown") break;
    const { kid } = c.get("keys").current;
    const opened = await accountStub(c.env, posId).openSession(credentials.passwordVersion, kid);
    if (opened.kind === "opened") return ok(opened);
    if (opened.kind !== "stale") return err(notActive(c, opened));
  }
  return err(unauthorized("The account is being changed. Log in again."));
}

/** All tills of a chain may log in at once: those whose password cannot be verified now cost no look-up. */
async function credentialsOf(
  c: RequestContext,
  posId: string,
  password: string,
): Promise<Result<Credentials, Refusal>> {
  const refusal = mayBeSecret(password) ? null : refusedHash(c);
  if (refusal !== null) return err(refusal);
  return ok((await exists(c, posId)) ? await accountStub(c.env, posId).credentials() : { kind: "unknown" });
}

/** Null if the secret is right. */
async function refuseSecret(c: RequestContext, posId: string, given: string, hash: string): Promise<Refusal | null> {
  return verifySecret(given, hash) ? null : countedFailure(c, posId, "wrong secret", WRONG_PASSWORD);
}

/**
 * Null if the password is right.
 *
 * @param hash null: there is no account, which takes the same time
 * @param counted whether this attempt has been counted
 */
async function refusePassword(
  c: RequestContext,
  posId: string,
  given: string,
  hash: string | null,
  counted: boolean,
): Promise<Refusal | null> {
  const tooMany = counted ? null : await withinRates(loginChecks(c, "account", posId));
  if (tooMany !== null) return tooMany;
  const right = await hashInTurn(c, (pause) => verifyPassword(given, hash, pause));
  if (!right.ok) return right.error;
  if (right.value) return null;
  c.get("facts").reason = hash === null ? "no such account" : "wrong password";
  return unauthorized(WRONG_PASSWORD);
}

/** A cheap credential was wrong: counts the failure, and over the limit returns 429 instead. */
async function countedFailure(c: RequestContext, posId: string, reason: string, message: string): Promise<Refusal> {
  c.get("facts").reason = reason;
  return (await withinRates(loginChecks(c, "account", posId))) ?? unauthorized(message);
}

/** Only after the right credential. */
function notActive(c: RequestContext, outcome: Extract<OpenOutcome, { kind: "unknown" | "not-active" }>): Refusal {
  const { refusal, reason } = refusalOf(outcome);
  c.get("facts").reason = reason;
  return refusal;
}
