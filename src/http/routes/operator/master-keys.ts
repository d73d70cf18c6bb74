/** Moving to a new master key: everything that is sealed under an older one is sealed anew. */
import { createFactory } from "hono/factory";
import { RESEAL_ROWS, STATUS_CONCURRENCY } from "../../../limits.ts";
import { audit } from "../../../storage/audit.ts";
import { countByMasterKey } from "../../../storage/master-keys.ts";
import type { ResealAnswer } from "../../answers/operator.ts";
import type { OperatorEnvironment } from "../../operator.ts";
import { resealAccounts, resealTerminals } from "../../reseal.ts";

export const masterKeys = createFactory<OperatorEnvironment>().createApp();

masterKeys.post("/operator/master-keys/reseal", async (c) => {
  const keys = c.get("keys");
  const accounts = await resealAccounts(c.env.DATABASE, keys, RESEAL_ROWS);
  const terminals = await resealTerminals(c.env, keys, RESEAL_ROWS, STATUS_CONCURRENCY);
  const now = Date.now();
  if (accounts.done + terminals.done > 0) {
    await audit(c.env.DATABASE, {
      at: now,
      actor: c.get("operator"),
      action: "master-keys.reseal",
      target: keys.current.kid,
      details: { accounts: accounts.done, terminals: terminals.done },
    }).run();
  }
  const left = (await countByMasterKey(c.env.DATABASE, now)).filter(({ kid }) => kid !== keys.current.kid);
  const needed = new Set(left.map(({ kid }) => kid));
  return c.json({
    current: keys.current.kid,
    resealed: { accounts: accounts.done, terminals: terminals.done },
    failed: { accounts: accounts.failed, terminals: terminals.failed },
    // What still needs an older key, by its kid. Sessions and bind keys are not sealed anew: they expire.
    left,
    // Older keys that nothing needs any more: they can be taken out of MASTER_KEYS.
    droppable: [...keys.all.keys()].filter((kid) => kid !== keys.current.kid && !needed.has(kid)),
  } satisfies ResealAnswer);
});
