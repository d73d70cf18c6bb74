import { verifyPassword } from "../../keys/passwords.ts";
import { newPair, tokenPair } from "../../keys/token-pair.ts";
import { REFRESH_REPEAT } from "../../protocol/limits/keys.ts";
import { findAccountWithPassword } from "../../storage/accounts.ts";
import { insertSession, revokeSession, rotateSession } from "../../storage/sessions.ts";
import { requireSession, unauthorized } from "../authentication.ts";
import { factory } from "../context.ts";
import { refuse } from "../errors.ts";
import type { Done } from "../openapi/fields.ts";
import { loginChecks, withinRates } from "../rate-limit.ts";
import { body, noQuery } from "../validation/validators.ts";
import { loginRequest } from "./requests.ts";

export const sessions = factory.createApp();

sessions.post("/auth/login", noQuery, body(loginRequest), async (c) => {
  const { posId, password: given } = c.req.valid("json");
  const tooMany = await withinRates(loginChecks(c, "account", posId));
  if (tooMany !== null) return refuse(c, tooMany);

  // Twice at most: the second time only when account or password changed while the first password was hashed.
  for (let attempt = 0; attempt < 2; attempt++) {
    const account = await findAccountWithPassword(c.env.DATABASE, posId);
    if (account !== null) c.get("facts").account = posId;
    // Also without an account: the time that it takes must not tell which accounts exist.
    const right = await verifyPassword(given, account?.passwordHash ?? null);
    if (account === null || !right) {
      c.get("facts").reason = account === null ? "no such account" : "wrong password";
      return refuse(c, unauthorized("posId or password is wrong."));
    }
    if (account.status !== "active")
      return refuse(c, { kind: "forbidden", message: `The account is ${account.status}.` });

    const now = Date.now();
    const sessionId = crypto.randomUUID();
    const pair = newPair(c.get("keys").current.kid, account.timezone, now);
    const { passwordHash } = account;
    if (await insertSession(c.env.DATABASE, { sessionId, posId, passwordHash, pair, now })) {
      return c.json(await tokenPair(c.get("keys"), posId, sessionId, pair));
    }
  }
  return refuse(c, unauthorized("The account is being changed; log in again."));
});

sessions.post("/auth/refresh", requireSession("refresh"), noQuery, async (c) => {
  const { account, claims } = c.var;
  const now = Date.now();
  const pair = newPair(c.get("keys").current.kid, account.timezone, now);
  const rotation = await rotateSession(c.env.DATABASE, claims.sid, claims.jti, pair, now, REFRESH_REPEAT);
  if (rotation.kind === "revoked") {
    c.get("facts").reason = "refresh token used again: session revoked";
    return refuse(c, unauthorized("This refresh token was used before, so the session has ended; log in again."));
  }
  return c.json(await tokenPair(c.get("keys"), account.posId, claims.sid, rotation.pair));
});

sessions.post("/auth/logout", requireSession(["access", "refresh"]), noQuery, async (c) => {
  await revokeSession(c.env.DATABASE, c.get("claims").sid, Date.now());
  return c.json({ code: 20000, message: "The session has ended." } satisfies Done);
});
