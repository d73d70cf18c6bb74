import { accountStub } from "../../account/stub.ts";
import { tokenPair } from "../../keys/token-pair.ts";
import { refuseStanding, requireAccountToken, unauthorized } from "../authentication.ts";
import { factory } from "../context.ts";
import { invalid, refuse } from "../errors.ts";
import type { Done } from "../openapi/fields.ts";
import { countForAccount } from "../rate-limit.ts";
import { readJsonObject } from "../validation/json-body.ts";
import { noQuery } from "../validation/validators.ts";
import { openByLogin } from "./login.ts";
import { isSignedLogin, readLogin } from "./requests.ts";

export const sessions = factory.createApp();

sessions.post("/auth/login", noQuery, async (c) => {
  // Without a signature, unknown members may have any number.
  const body = await readJsonObject(c, isSignedLogin);
  if (!body.ok) return refuse(c, body.error);
  const login = readLogin(body.value);
  if (!login.ok) return refuse(c, invalid(login.error));
  const opened = await openByLogin(c, login.value, Date.now());
  if (!opened.ok) return refuse(c, opened.error);
  const { sessionId, pair } = opened.value;
  return c.json(await tokenPair(c.get("keys"), login.value.posId, sessionId, pair));
});

sessions.post("/auth/refresh", requireAccountToken("refresh"), noQuery, async (c) => {
  const { sub: posId, sid, jti } = c.get("claims");
  const keys = c.get("keys");
  const refreshed = await accountStub(c.env, posId).refresh(sid, jti, keys.current.kid);
  if (refreshed.kind === "refreshed") {
    await countForAccount(c, posId);
    return c.json(await tokenPair(keys, posId, sid, refreshed.pair));
  }
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
