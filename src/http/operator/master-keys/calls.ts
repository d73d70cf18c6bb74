/** Encrypts everything under a new master key that is encrypted with an older one. */
import * as answers from "./responses.ts";
import { STATUS_CONCURRENCY } from "../../../binding/limits.ts";
import { RESEAL_ROWS } from "../../../keys/limits.ts";
import { resealAccounts, resealTerminals } from "./reseal.ts";
import { audit } from "../../../storage/audit.ts";
import { countByMasterKey } from "../../../storage/master-keys.ts";
import { noQuery } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import type { ResealAnswer } from "./responses.ts";
import type { Family } from "../../openapi/operation.ts";

export const masterKeys = operatorFactory.createApp();

masterKeys.post("/operator/master-keys/reseal", noQuery, async (c) => {
  const keys = c.get("keys");
  const accounts = await resealAccounts(c.env, keys, RESEAL_ROWS, STATUS_CONCURRENCY);
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
    // What still needs an older key, by its kid. Bind keys are not encrypted again, because they expire.
    left,
    // Older keys that nothing in D1 needs any more. Tokens under them end by the next midnight.
    droppable: [...keys.all.keys()].filter((kid) => kid !== keys.current.kid && !needed.has(kid)),
  } satisfies ResealAnswer);
});

/** What the contract says about the calls: only the build of the site calls it. */
export function masterKeysContract(): Family {
  return {
    tag: "Operator",
    caller: "operator",
    responses: {
      Reseal: answers.reseal,
    },
    operations: {
      "POST /operator/master-keys/reseal": {
        operationId: "resealSecrets",
        summary: "Re-encrypt with the current master key",
        description:
          "Encrypts signing keys and terminals' secrets with the first key of `MASTER_KEYS`, a bounded number per call: repeat " +
          "it until nothing is left. Returns the older keys that encrypt nothing any more. Keep such a key for a day after the " +
          "change: tokens that it signed end with their account's next midnight.",
        answers: { 200: { description: "The result, and what is left.", schema: "Reseal" } },
      },
    },
  };
}
