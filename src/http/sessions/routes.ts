import { accountStub } from "../../account/stub.ts";
import { verifyPassword } from "../../keys/passwords.ts";
import { tokenPair } from "../../keys/token-pair.ts";
import { accountExists } from "../../storage/accounts.ts";
import { refusalOf, refuseStanding, requireAccountToken, unauthorized } from "../authentication.ts";
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

  // D1 knows who exists: a posId that somebody made up must not make an object.
  const exists = await accountExists(c.env.DATABASE, posId);
  const keys = c.get("keys");
  // Twice at most: the second time only when the password changed while the first one was hashed.
  for (let attempt = 0; attempt < 2; attempt++) {
    const credentials = exists ? await accountStub(c.env, posId).credentials() : null;
    const known = credentials?.kind === "known" ? credentials : null;
    if (known !== null) c.get("facts").account = posId;
    // Also without an account: the time that it takes must not tell which accounts exist.
    const right = await verifyPassword(given, known?.passwordHash ?? null);
    if (known === null || !right) {
      c.get("facts").reason = known === null ? "no such account" : "wrong password";
      return refuse(c, unauthorized("posId or password is wrong."));
    }
    const opened = await accountStub(c.env, posId).openSession(known.passwordVersion, keys.current.kid);
    if (opened.kind === "opened") return c.json(await tokenPair(keys, posId, opened.sessionId, opened.pair));
    if (opened.kind !== "stale") return refuse(c, refusalOf(opened).refusal);
  }
  return refuse(c, unauthorized("The account is being changed; log in again."));
});

sessions.post("/auth/refresh", requireAccountToken("refresh"), noQuery, async (c) => {
  const { sub: posId, sid, jti } = c.get("claims");
  const keys = c.get("keys");
  const refreshed = await accountStub(c.env, posId).refresh(sid, jti, keys.current.kid);
  if (refreshed.kind === "refreshed") return c.json(await tokenPair(keys, posId, sid, refreshed.pair));
  if (refreshed.kind !== "used") return refuseStanding(c, refreshed);
  c.get("facts").reason = "refresh token used again: session revoked";
  return refuse(c, unauthorized("This refresh token was used before, so the session has ended; log in again."));
});

sessions.post("/auth/logout", requireAccountToken(["access", "refresh"]), noQuery, async (c) => {
  const { sub: posId, sid } = c.get("claims");
  const standing = await accountStub(c.env, posId).endSession(sid);
  if (standing.kind !== "good") return refuseStanding(c, standing);
  return c.json({ code: 20000, message: "The session has ended." } satisfies Done);
});
