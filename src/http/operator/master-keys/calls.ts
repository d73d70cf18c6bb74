/** Encrypts everything under a new master key that is encrypted with an older one. */
import * as answers from "./responses.ts";
import { ACCOUNTS, resealAll, TERMINALS } from "./reseal.ts";
import { audit } from "../../../storage/audit.ts";
import { entryBy } from "../audit/entry.ts";
import { countByMasterKey } from "../../../storage/master-keys.ts";
import { noQuery } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { forAdmins } from "../roles.ts";
import type { ResealAnswer } from "./responses.ts";
import type { Family } from "../../openapi/operation.ts";

export const masterKeys = operatorFactory.createApp();

masterKeys.post("/operator/master-keys/reseal", forAdmins, noQuery, async (c) => {
  const { all, current } = c.get("keys");
  const { kid } = current;
  const accounts = await resealAll(ACCOUNTS, c.env, kid);
  const terminals = await resealAll(TERMINALS, c.env, kid);
  const resealed = { accounts: accounts.done, terminals: terminals.done };
  if (accounts.done + terminals.done > 0) {
    await audit(c.env.DATABASE, entryBy(c.get("operator"), "master-keys.reseal", kid, { details: resealed })).run();
  }
  const left = (await countByMasterKey(c.env.DATABASE, Date.now())).filter((older) => older.kid !== kid);
  const needed = new Set([kid, ...left.map((older) => older.kid)]);
  return c.json({
    current: kid,
    resealed,
    failed: { accounts: accounts.failed, terminals: terminals.failed },
    // What still needs an older key, by its kid. Bind keys are not encrypted again, because they expire.
    left,
    // Older keys that nothing in D1 needs any more. Tokens under them end by the next midnight.
    droppable: [...all.keys()].filter((older) => !needed.has(older)),
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
