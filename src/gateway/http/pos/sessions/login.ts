/**
 * One call to the account's object, which judges the credential and opens the session in one turn. D1 is not asked.
 * Only failures count against the limits, and a credential that nobody can guess is judged beyond them too: wrong
 * attempts, whoever sends them, do not lock out a shop's POS programs.
 */
import { accountStub, type OpenOutcome, type SignedOpenOutcome } from "../../../account/rpc.ts";
import { hasDrawnForm } from "../../../secrets/passwords.ts";
import { CLOCK_TOLERANCE } from "../../../../protocol/limits.ts";
import { err, ok, type Result } from "../../../../protocol/result.ts";
import { logError } from "../../../lib/log.ts";
import { MINUTE, type EpochMs } from "../../../../protocol/time/units.ts";
import { computedForm, datetimeProblems } from "../../../../protocol/signing/problems.ts";
import { standingRefusal, unauthorizedRefusal, USED_LOGIN } from "../../middleware/authentication.ts";
import type { RequestContext } from "../../middleware/context.ts";
import { invalid, type Refusal, unreadableKey } from "../../middleware/errors.ts";
import { countFailure, failuresOfName, isUsedUp, loginChecks, TOO_MANY } from "../../middleware/rate-limit.ts";
import { objectInTime } from "../../middleware/time-limit.ts";
import type { Login } from "./requests.ts";

export type Opened = Extract<OpenOutcome, { kind: "opened" }>;

/** The same whether or not there is such an account. */
function wrongLogin(login: Login): string {
  if (login.kind === "password") return "posId or password is wrong.";
  return `posId or signature is wrong. ${computedForm(login.form)}`;
}

const REASONS = {
  password: { unknown: "no such account", wrong: "wrong password", used: "" },
  signed: { unknown: "no such account", wrong: "wrong signature", used: "login used before" },
};

/** The Worker's and the object's clocks differ a little, so a login is remembered longer than it is valid. */
const CLOCKS_DIFFER = MINUTE;

/** @param now when the login arrived */
export async function openByLogin(c: RequestContext, login: Login, now: EpochMs): Promise<Result<Opened, Refusal>> {
  const { kind, posId } = login;
  // Before the object is asked: the answer is the same whether or not there is such an account.
  const problems = kind === "signed" ? datetimeProblems(login.datetime, now) : [];
  if (problems.length > 0) return err(invalid(problems));
  if (isGuessable(login) && isUsedUp(failuresOfName(c, "account", posId))) return err(TOO_MANY);

  const facts = c.get("facts");
  const outcome = await objectInTime(open(c, login));
  if (outcome.kind !== "unknown") facts.account = posId;
  switch (outcome.kind) {
    case "opened":
      return ok(outcome);
    case "not-active":
      return err(standingRefusal(c, outcome));
    case "unreadable":
      return err(kind === "signed" ? unreadableKey(posId) : unreadablePassword(posId));
    case "unknown":
    case "wrong":
    case "used":
      facts.reason = REASONS[kind][outcome.kind];
      return err(
        (await countFailure(loginChecks(c, "account", posId))) ??
          unauthorizedRefusal(outcome.kind === "used" ? USED_LOGIN : wrongLogin(login)),
      );
    default:
      return outcome satisfies never;
  }
}

function unreadablePassword(posId: string): Refusal {
  logError("password_not_decrypted", new Error("no master key decrypts it"), { account: posId });
  return { kind: "internal_server_error" };
}

/** An operator may have chosen the password, so its guesses must be few. */
function isGuessable(login: Login): boolean {
  return login.kind === "password" && !hasDrawnForm(login.password);
}

function open(c: RequestContext, login: Login): Promise<SignedOpenOutcome> {
  const object = accountStub(c.env, login.posId);
  const { kid } = c.get("keys").current;
  if (login.kind === "password") return object.openSession(login.password, kid);
  const { form: signedForm, signature, datetime } = login;
  return object.openSignedSession({ signedForm, signature, until: datetime + CLOCK_TOLERANCE + CLOCKS_DIFFER }, kid);
}
