import * as z from "zod";
import { mapConcurrently } from "../../../../protocol/map-concurrently.ts";
import { logError } from "../../../lib/log.ts";
import { TERMINAL_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { accountStub } from "../../../account/rpc.ts";
import { coordinatorStub, type ResyncProgress } from "../../../coordinator/rpc.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import { accountsNotSealedUnder } from "../../../d1/accounts.ts";
import { auditAlways, entryBy } from "../../../d1/audit.ts";
import { countByMasterKey } from "../../../d1/binding.ts";
import { noteSealedUnder, terminalsNotSealedUnder } from "../../../d1/terminals.ts";
import { accountObject, terminalObject } from "../../../d1/objects.ts";
import { identifier, optionalField } from "../../validation/fields.ts";
import { refuse } from "../../middleware/errors.ts";
import { inTime } from "../../middleware/time-limit.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import { noQuery, optionalBody } from "../../validation/validators.ts";
import { forAdmins, forViewers, operatorFactory } from "../authentication.ts";
import { noSuch } from "../words.ts";
import type { ResealAnswer, ResyncAnswer } from "../../../../protocol/schemas/operator.ts";
import { describeCall, describeMessages } from "../../middleware/describe.ts";
import { STATUS_CONCURRENCY } from "../../../binding/binding.ts";

/** One call seals at most this many accounts, and this many terminals, because each costs a call to its object. */
const RESEAL_ROWS = 100;

export const maintenanceCalls = operatorFactory.createApp();

describeMessages(({ said, requestSchema }) => ({
  ResyncRequest: requestSchema(
    resync,
    {
      id: said("An account's posId or a terminal's id. Without it, all of them.", "POS-1001"),
    },
    said("Who writes its state to D1 again.", { id: "POS-1001" }),
  ),
}));

maintenanceCalls.post("/operator/master-keys/reseal", forAdmins, noQuery, async (c) => {
  const { all, current } = c.get("keys");
  const { kid } = current;
  const accounts = await resealAll(ACCOUNTS, c.env, kid);
  const terminals = await resealAll(TERMINALS, c.env, kid);
  const resealed = { accounts: accounts.done, terminals: terminals.done };
  if (accounts.done + terminals.done > 0) {
    await auditAlways(
      c.env.DATABASE,
      entryBy(c.get("operator"), "master-keys.reseal", kid, { details: resealed }),
    ).run();
  }
  const left = (await countByMasterKey(c.env.DATABASE, Date.now())).filter((older) => older.kid !== kid);
  const needed = new Set([kid, ...left.map((older) => older.kid)]);
  return c.json({
    current: kid,
    resealed,
    failed: { accounts: accounts.failed, terminals: terminals.failed },
    // Rows that still need an older key, by kid. Bind keys are not encrypted again, because they expire.
    left,
    // Older keys that nothing in D1 needs. Tokens under them end by the next midnight.
    droppable: [...all.keys()].filter((older) => !needed.has(older)),
  } satisfies ResealAnswer);
});

describeCall(maintenanceCalls, () => ({
  tag: "Operator",
  operationId: "resealSecrets",
  summary: "Re-encrypt with the current master key",
  description:
    "Encrypts signing keys and terminals' secrets with the first key of `MASTER_KEYS`, a bounded number per call: repeat " +
    "it until nothing is left. Returns the older keys that encrypt nothing any more. Keep such a key for a day after the " +
    "change: tokens that it signed end with their account's next midnight.",
  answers: { 200: ["The result, and what is left.", "Reseal"] },
}));

interface Owners {
  find: (db: D1Database, kid: string, rows: number) => Promise<string[]>;
  /**
   * Returns the kid that the object has sealed with, once D1 knows it. During a deployment, an object may have older
   * keys than the Worker.
   */
  reseal: (env: Env, id: string) => Promise<string | null>;
  logFailure: (id: string, error: unknown) => void;
}

const ACCOUNTS: Owners = {
  find: accountsNotSealedUnder,
  reseal: (env, posId) => accountStub(env, posId).reseal(),
  logFailure: (account, error) => logError("account_keys_not_resealed", error, { account }),
};

const TERMINALS: Owners = {
  find: terminalsNotSealedUnder,
  reseal: async (env, terminalId) => {
    const kid = await terminalStub(env, terminalId).reseal();
    if (kid !== null) await noteSealedUnder(env.DATABASE, terminalId, kid);
    return kid;
  },
  logFailure: (terminal, error) => logError("terminal_secret_not_resealed", error, { terminal }),
};

async function resealAll({ find, reseal, logFailure }: Owners, env: Env, current: string) {
  const result = { done: 0, failed: 0 };
  await mapConcurrently(await find(env.DATABASE, current, RESEAL_ROWS), STATUS_CONCURRENCY, async (id) => {
    try {
      if ((await reseal(env, id)) === current) result.done++;
      else result.failed++;
    } catch (error) {
      result.failed++;
      logFailure(id, error);
    }
  });
  return result;
}

const resync = z.object({ id: optionalField(identifier(TERMINAL_ID_LENGTH)) });

maintenanceCalls.post("/operator/resync", forAdmins, noQuery, optionalBody(resync), async (c) => {
  const { id } = c.req.valid("json");
  const objects = id === undefined ? null : await resyncOne(c.env, id);
  if (objects?.length === 0) return refuse(c, { kind: "not_found", message: "No account or terminal has this id." });
  const coordinator = coordinatorStub(c.env);
  const progress = await inTime(objects === null ? coordinator.startResync() : coordinator.resyncProgress());
  await inTime(auditAlways(c.env.DATABASE, entryBy(c.get("operator"), "resync", id ?? "all")).run());
  return c.json({ objects, ...progressView(progress) } satisfies ResyncAnswer);
});

describeCall(maintenanceCalls, () => ({
  tag: "Operator",
  operationId: "resync",
  summary: "Write objects' state to D1 again",
  description:
    "Run it after a restore of D1. Accounts and terminals write to D1 again what they know, with their audit rows of the " +
    "last 35 days: an account or terminal immediately, all of them at 50 a second. Rows of D1 that no object confirms become " +
    "`retired` or `deleted`. You may repeat the call: a resync of all objects that is running then starts anew.",
  body: "Optional.",
  answers: {
    200: ["Which objects, and how far the resync of all is.", "Resync"],
    404: noSuch("account or terminal"),
  },
}));

maintenanceCalls.get("/operator/resync", forViewers, noQuery, async (c) =>
  c.json({
    objects: null,
    ...progressView(await inTime(coordinatorStub(c.env).resyncProgress())),
  } satisfies ResyncAnswer),
);

describeCall(maintenanceCalls, () => ({
  tag: "Operator",
  operationId: "getResync",
  summary: "Read the progress of a resync",
  description: "How far the resync of all objects is, or how the last one ended.",
  answers: { 200: ["The progress.", "Resync"] },
}));

maintenanceCalls.delete("/operator/resync", forAdmins, noQuery, async (c) => {
  const progress = await inTime(coordinatorStub(c.env).stopResync());
  await inTime(auditAlways(c.env.DATABASE, entryBy(c.get("operator"), "resync.stop", "all")).run());
  return c.json({ objects: null, ...progressView(progress) } satisfies ResyncAnswer);
});

describeCall(maintenanceCalls, () => ({
  tag: "Operator",
  operationId: "stopResync",
  summary: "Stop a resync",
  description: "Calls no further object. What objects have written stays.",
  answers: { 200: ["How far it came.", "Resync"] },
}));

function progressView({ phase, after, startedAt, endedAt, ...counts }: ResyncProgress) {
  return { running: phase, after, startedAt: timeOrNull(startedAt), endedAt: timeOrNull(endedAt), ...counts };
}

function timeOrNull(time: number | null): string | null {
  return time === null ? null : utc(time);
}

/** An account and a terminal may have the same id. D1 is not asked: it may lack both. */
async function resyncOne(env: Env, id: string): Promise<string[]> {
  const [account, terminal] = await Promise.all([accountStub(env, id).resync(), terminalStub(env, id).resync()]);
  return [...(account ? [accountObject(id)] : []), ...(terminal ? [terminalObject(id)] : [])];
}
