import * as z from "zod";
import { NONCE_LENGTH, POS_ID_LENGTH, SIGNATURE_LENGTH } from "../../../../protocol/lengths.ts";
import { PASSWORD_LONGEST } from "../../../../protocol/limits.ts";
import type { Problem } from "../../../../protocol/problem.ts";
import { err, ok, type Result } from "../../../../protocol/result.ts";
import { signedForm } from "../../../../protocol/signing/canonical.ts";
import type { JsonObject } from "../../../../protocol/signing/json.ts";
import { kindProblems } from "../../../../protocol/signing/message-kind.ts";
import { isAbsent, password, signedTime, textField } from "../../validation/fields.ts";
import { validationProblems } from "../../validation/problems.ts";
import type { EpochMs } from "../../../../protocol/time/units.ts";

const posId = textField(POS_ID_LENGTH);

export const passwordLogin = z.object({ posId, password: password(1, PASSWORD_LONGEST) });

export const signedLogin = z.object({
  posId,
  datetime: signedTime,
  nonce: textField(NONCE_LENGTH),
  signature: textField(SIGNATURE_LENGTH),
});

export type PasswordLogin = z.infer<typeof passwordLogin>;

interface SignedLoginMessage {
  posId: string;
  datetime: EpochMs;
  signature: string;
  /** The signed text: the canonical form of the body without `signature`. */
  form: string;
}

export type Login = ({ kind: "password" } & PasswordLogin) | ({ kind: "signed" } & SignedLoginMessage);

const NEITHER: Problem = {
  path: "password",
  message: "Send the account's password, or sign the login with datetime, nonce and signature.",
};

const BOTH: Problem = {
  path: "password",
  message: "A signed login has no password. Remove it and sign again.",
};

/**
 * The numbers of a signed login must be plain, as in every signed message. Null and the empty text count as missing.
 */
export function isSignedLogin(body: JsonObject): boolean {
  return !isAbsent(body["signature"]);
}

/** The problems name every invalid field. */
export function readLogin(body: JsonObject): Result<Login, Problem[]> {
  return isSignedLogin(body) ? readSigned(body) : readWithPassword(body);
}

function readWithPassword(body: JsonObject): Result<Login, Problem[]> {
  const parsed = passwordLogin.safeParse(body);
  if (parsed.success) return ok({ kind: "password", ...parsed.data });
  const problems = validationProblems(parsed.error);
  if (!isAbsent(body["password"])) return err(problems);
  return err(problems.map((problem) => (problem.path === NEITHER.path ? NEITHER : problem)));
}

function readSigned(body: JsonObject): Result<Login, Problem[]> {
  const parsed = signedLogin.safeParse(body);
  const known = Object.keys(signedLogin.shape);
  const problems = [
    // The schema reports missing members. This reports only members that mark another kind of message.
    ...kindProblems(body, "session login").filter(({ path }) => !known.includes(path)),
    ...(isAbsent(body["password"]) ? [] : [BOTH]),
    ...(parsed.success ? [] : validationProblems(parsed.error)),
  ];
  if (!parsed.success || problems.length > 0) return err(problems);
  const { datetime, signature } = parsed.data;
  return ok({ kind: "signed", posId: parsed.data.posId, datetime, signature, form: signedForm(body) });
}
