/** Lets objects write their state to D1 again, when somebody doubts a list. */
import { noSuch } from "../contract.ts";
import * as z from "zod";
import * as answers from "./responses.ts";
import { TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";
import { identifier, optional } from "../../../validation/fields.ts";
import { accountStub } from "../../../rpc/account.ts";
import { keeperStub } from "../../../rpc/keeper.ts";
import { audit } from "../../../storage/audit.ts";
import { entryBy } from "../audit/entry.ts";
import { accountObject, terminalObject } from "../../../storage/untold.ts";
import { terminalStub } from "../../../rpc/terminal.ts";
import { refuse } from "../../errors.ts";
import { inTime } from "../../time-limit.ts";
import { noQuery, optionalBody } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { forAdmins } from "../roles.ts";
import type { RetoldAnswer } from "./responses.ts";
import { requestSchema } from "../../../contracts/json-schema.ts";
import type { Family } from "../../openapi/operation.ts";

export const retelling = z.object({ id: optional(identifier(TERMINAL_ID_LENGTH)) });

export const retell = operatorFactory.createApp();

retell.post("/operator/retell", forAdmins, noQuery, optionalBody(retelling), async (c) => {
  const { id } = c.req.valid("json");
  const objects = id === undefined ? null : await retellOne(c.env, id);
  if (objects?.length === 0) return refuse(c, { kind: "not_found", message: "No account or terminal has this id." });
  if (objects === null) await inTime(keeperStub(c.env).retell(null));
  await inTime(audit(c.env.DATABASE, entryBy(c.get("operator"), "retell", id ?? "all")).run());
  return c.json({ objects } satisfies RetoldAnswer);
});

/** An account and a terminal may have the same id. D1 is not asked: it may lack both. */
async function retellOne(env: Env, id: string): Promise<string[]> {
  const [account, terminal] = await Promise.all([
    accountStub(env, id).retell(null),
    terminalStub(env, id).retell(null),
  ]);
  return [...(account ? [accountObject(id)] : []), ...(terminal ? [terminalObject(id)] : [])];
}

/** What the contract says about the calls: only the build of the site calls it. */
export function retellContract(): Family {
  return {
    tag: "Operator",
    caller: "operator",
    requests: {
      Retelling: requestSchema(
        retelling,
        {
          id: {
            description: "An account's posId or a terminal's id. Without it, all of them.",
            examples: ["POS-1001"],
          },
        },
        { description: "Whose state D1 gets again.", examples: [{ id: "POS-1001" }] },
      ),
    },
    responses: { Retold: answers.retold },
    operations: {
      "POST /operator/retell": {
        operationId: "retell",
        summary: "Write objects' state to D1 again",
        description:
          "For lists that are wrong although nothing is reported as behind. Accounts and terminals write to D1 what they know: an " +
          "account or terminal at once, all of them at 50 a second. The gateway does this by itself after a restore of D1.",
        body: { description: "Optional.", schema: "Retelling", optional: true },
        answers: { 200: { description: "Which objects.", schema: "Retold" } },
        refusals: { 404: noSuch("account or terminal") },
      },
    },
  };
}
