/** Login, refresh, logout. */
import { verifyPassword } from "../../keys/passwords.ts";
import { REFRESH_REPEAT } from "../../limits.ts";
import { findAccountWithPassword } from "../../storage/accounts.ts";
import { insertSession, revokeSession, rotateSession } from "../../storage/sessions.ts";
import type { Done } from "../answers/fields.ts";
import { authenticate, unauthorized } from "../authentication.ts";
import { readBody } from "../body.ts";
import { factory } from "../context.ts";
import { refuse } from "../errors.ts";
import { loginRequest } from "../messages/account.ts";
import { loginChecks, withinRates } from "../rate-limit.ts";
import { newPair, tokenPair } from "../token-pair.ts";

export const auth = factory.createApp();

auth.post("/auth/login", async (c) => {
  const body = await readBody(c, loginRequest);
  if (!body.ok) return refuse(c, body.refusal);
  const { posId, password: given } = body.value;
  const tooMany = await withinRates(loginChecks(c, "account", posId));
  if (tooMany !== null) return refuse(c, tooMany);

  // Twice at most: the second time only when account or password were changed while the first password was hashed.
  for (let attempt = 0; attempt < 2; attempt++) {
    const account = await findAccountWithPassword(c.env.DATABASE, posId);
    if (account !== null) c.get("facts").account = posId;
    // Hashed also where there is no account: the time must not tell which ones exist.
    const right = await verifyPassword(given, account?.passwordHash ?? null);
    if (account === null || !right) {
      c.get("facts").reason = account === null ? "no such account" : "wrong password";
      return refuse(c, unauthorized("posId or password is wrong."));
    }
    if (account.status !== "active")
      return refuse(c, { kind: "forbidden", message: `The account is ${account.status}.` });

    const now = Date.now();
    const sessionId = crypto.randomUUID();
    const pair = newPair(c.get("keys"), account.timezone, now);
    const { passwordHash } = account;
    if (await insertSession(c.env.DATABASE, { sessionId, posId, passwordHash, pair, now })) {
      return c.json(await tokenPair(c.get("keys"), posId, sessionId, pair));
    }
  }
  return refuse(c, unauthorized("The account is being changed; log in again."));
});

auth.post("/auth/refresh", async (c) => {
  const authentication = await authenticate(c, "refresh");
  if (!authentication.ok) return refuse(c, authentication.refusal);
  const { account, claims } = authentication;
  const now = Date.now();
  const pair = newPair(c.get("keys"), account.timezone, now);
  const rotation = await rotateSession(c.env.DATABASE, claims.sid, claims.jti, pair, now, REFRESH_REPEAT);
  if (rotation.kind === "revoked") {
    c.get("facts").reason = "refresh token used again: session revoked";
    return refuse(c, unauthorized("This refresh token was used before, so the session has ended; log in again."));
  }
  return c.json(await tokenPair(c.get("keys"), account.posId, claims.sid, rotation.pair));
});

auth.post("/auth/logout", async (c) => {
  const authentication = await authenticate(c, ["access", "refresh"]);
  if (!authentication.ok) return refuse(c, authentication.refusal);
  await revokeSession(c.env.DATABASE, authentication.claims.sid, Date.now());
  return c.json({ code: 20000, message: "The session has ended." } satisfies Done);
});
