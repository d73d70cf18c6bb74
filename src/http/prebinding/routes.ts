import { applyPrebinding } from "../../binding/prebinding.ts";
import { listedTerminals, listPrebound, replacePrebound } from "../../storage/prebinding.ts";
import { requireAccount } from "../authentication.ts";
import { factory } from "../context.ts";
import type { Done } from "../openapi/fields.ts";
import { body, noQuery } from "../validation/validators.ts";
import { prebindMessage } from "./message.ts";
import { prebindRequest } from "./requests.ts";
import type { PrebindList } from "./responses.ts";

export const prebinding = factory.createApp();

prebinding.post("/api/prebind-terminals", requireAccount, noQuery, body(prebindRequest), async (c) => {
  const { listed, leftOut } = c.req.valid("json").uniqueIds;
  const { posId } = c.get("account");
  const before = await replacePrebound(c.env.DATABASE, posId, listed);
  // Also those removed from the list: they may now be on exactly one other list.
  await applyPrebinding(c.env, [...new Set([...listed, ...before])]);
  const message = prebindMessage(await listedTerminals(c.env.DATABASE, posId), posId, leftOut);
  return c.json({ code: 20000, message } satisfies Done);
});

prebinding.get("/api/prebind-terminals", requireAccount, noQuery, async (c) => {
  return c.json({ data: await listPrebound(c.env.DATABASE, c.get("account").posId) } satisfies PrebindList);
});
