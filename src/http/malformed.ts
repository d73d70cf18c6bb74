/**
 * Malformed calls of the logins, which anybody may send: each counts as a failure of its address. Of an address that
 * has sent too many, only what may be a right login is read, so that strangers behind a shop's address do not lock the
 * shop out.
 */
import { factory } from "./context.ts";
import { refuse } from "./errors.ts";
import { addressOf, countFailure, isUsedUp, TOO_MANY } from "./rate-limit.ts";

/** A login with every field at its longest fits. */
const LOGIN_BYTES = 1_024;

/** The first check of a login's route: it comes before query and body are read. */
export function countMalformed(subject: "account" | "terminal") {
  return factory.createMiddleware(async (c, next) => {
    const key = `malformed ${subject} ${addressOf(c)}`;
    const check = { limiter: c.env.LOGIN_PER_ACCOUNT_AND_ADDRESS, key };
    if (isUsedUp(check) && !mayBeLogin(c.req.raw)) return refuse(c, TOO_MANY);
    await next();
    if (c.res.status === 400) await countFailure([check]);
    return undefined;
  });
}

function mayBeLogin({ url, headers }: Request): boolean {
  const length = headers.get("Content-Length");
  return !url.includes("?") && length !== null && Number(length) <= LOGIN_BYTES;
}
