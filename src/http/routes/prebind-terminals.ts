/** The list of terminals that an account waits for. */
import { listPrebound, replacePrebound } from "../../storage/prebinding.ts";
import type { PrebindList } from "../answers/account.ts";
import type { Done } from "../answers/fields.ts";
import { requireAccount } from "../authentication.ts";
import { applyPrebinding } from "../bindings.ts";
import { readBody } from "../body.ts";
import { factory } from "../context.ts";
import { refuse } from "../errors.ts";
import { prebindRequest } from "../messages/account.ts";

export const prebindTerminals = factory.createApp();

prebindTerminals.post("/api/prebind-terminals", requireAccount, async (c) => {
  const body = await readBody(c, prebindRequest);
  if (!body.ok) return refuse(c, body.refusal);
  const { uniqueIds } = body.value;
  const before = await replacePrebound(c.env.DATABASE, c.get("account").posId, uniqueIds);
  // Those that left the list count, too: they may now be on exactly one.
  await applyPrebinding(c.env, [...new Set([...uniqueIds, ...before])]);
  return c.json({ code: 20000, message: "The prebind list is replaced." } satisfies Done);
});

prebindTerminals.get("/api/prebind-terminals", requireAccount, async (c) => {
  return c.json({ data: await listPrebound(c.env.DATABASE, c.get("account").posId) } satisfies PrebindList);
});
