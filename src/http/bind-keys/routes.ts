import { bindKeyDigest, drawBindKey } from "../../keys/bind-keys.ts";
import { BIND_KEY_DRAWS } from "../../keys/limits.ts";
import { BIND_KEY_LIFE, OPEN_BIND_KEYS } from "../../protocol/limits/keys.ts";
import { insertBindKey } from "../../storage/bind-keys.ts";
import { isoWithOffset } from "../../time/zone.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import { query } from "../validation/validators.ts";
import { qrPng } from "./qr-png.ts";
import { bindKeyQuery } from "./requests.ts";
import type { BindKey } from "../../protocol/accounts.ts";

export const bindKeys = factory.createApp();

bindKeys.get("/api/bind-terminal-key", requireAccount, query(bindKeyQuery), async (c) => {
  const { posId, timezone } = c.get("account");
  const now = Date.now();
  const expires = now + BIND_KEY_LIFE;
  const masterKey = c.get("keys").current;
  let key: string | null = null;
  for (let draw = 0; draw < BIND_KEY_DRAWS && key === null; draw++) {
    const drawn = drawBindKey();
    const row = { digest: bindKeyDigest(masterKey, drawn), kid: masterKey.kid, posId, expiresAt: expires };
    if (await insertBindKey(c.env.DATABASE, row, now, OPEN_BIND_KEYS)) key = drawn;
  }
  if (key === null) throw new Error("Could not create an unused bind key.");

  const expiresAt = isoWithOffset(expires, timezone);
  if (c.req.valid("query").option !== "image") return c.json({ key, expiresAt } satisfies BindKey);
  return c.body(await qrPng(key), 200, { "Content-Type": "image/png", "X-Bind-Key-Expires-At": expiresAt });
});
