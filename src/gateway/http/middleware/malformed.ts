/**
 * Malformed calls of the logins, which anybody may send: each counts as a failure of its address. Of an address that
 * has sent too many, only what may be a right login is read, so that strangers behind a shop's address do not lock the
 * shop out.
 */
import { factory } from "./context.ts";
import { refuse } from "./errors.ts";
import { readClientAddress, countFailure, isUsedUp, TOO_MANY } from "./rate-limit.ts";

/** A login with every field at its longest fits, even with every character escaped (`\ud83d\ude00`). */
const LOGIN_BYTES = 2_048;

/** The first check of a login's route: it comes before query and body are read. */
export function countMalformed(subject: "account" | "terminal") {
  return factory.createMiddleware(async (c, next) => {
    const key = `malformed ${subject} ${readClientAddress(c)}`;
    const check = { limiter: c.env.LOGIN_PER_ACCOUNT_AND_ADDRESS, key };
    if (isUsedUp(check)) {
      if (!mayBeLogin(c.req.raw)) return refuse(c, TOO_MANY);
      c.set("bodyBytes", LOGIN_BYTES);
    }
    await next();
    if (c.res.status === 400) await countFailure([check]);
    return undefined;
  });
}

/** Without a Content-Length, as many HTTP clients send JSON, the body is counted while it arrives. */
function mayBeLogin({ url, headers }: Request): boolean {
  return !url.includes("?") && Number(headers.get("Content-Length") ?? 0) <= LOGIN_BYTES;
}
