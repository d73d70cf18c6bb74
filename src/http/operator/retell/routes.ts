/** Lets objects write their state to D1 again, when somebody doubts a list. */
import { accountStub } from "../../../account/stub.ts";
import { keeperStub } from "../../../keeper/stub.ts";
import { audit } from "../../../storage/audit.ts";
import { accountObject, terminalObject } from "../../../storage/untold.ts";
import { terminalStub } from "../../../terminal/stub.ts";
import { refuse } from "../../errors.ts";
import { inTime } from "../../time-limit.ts";
import { noQuery, optionalBody } from "../../validation/validators.ts";
import { operatorFactory } from "../authentication.ts";
import { retelling } from "./requests.ts";
import type { RetoldAnswer } from "./responses.ts";

export const retell = operatorFactory.createApp();

retell.post("/operator/retell", noQuery, optionalBody(retelling), async (c) => {
  const { id } = c.req.valid("json");
  const objects = id === undefined ? null : await retellOne(c.env, id);
  if (objects?.length === 0) return refuse(c, { kind: "not_found", message: "No account or terminal has this id." });
  if (objects === null) await inTime(keeperStub(c.env).retell(null));
  const entry = { actor: c.get("operator"), action: "retell", target: id ?? "all", details: {} } as const;
  await inTime(audit(c.env.DATABASE, { at: Date.now(), ...entry }).run());
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
