/** Has the objects seal their secrets again with the current master key, a bounded number per call. */
import { STATUS_CONCURRENCY } from "../../../binding/limits.ts";
import { inParallel } from "../../../bounds/parallel.ts";
import { RESEAL_ROWS } from "../../../keys/limits.ts";
import { logError } from "../../../outcomes/log.ts";
import { accountStub } from "../../../rpc/account.ts";
import { terminalStub } from "../../../rpc/terminal.ts";
import { accountsNotSealedUnder } from "../../../storage/accounts.ts";
import { noteSealedUnder, terminalsNotSealedUnder } from "../../../storage/terminals.ts";

/** The owners of the secrets. */
interface Owners {
  find: (db: D1Database, kid: string, rows: number) => Promise<string[]>;
  /**
   * Returns the kid that the object has sealed with, once D1 knows it. During a deployment, an object may have older keys
   * than the Worker.
   */
  reseal: (env: Env, id: string) => Promise<string | null>;
  logFailure: (id: string, error: unknown) => void;
}

export const ACCOUNTS: Owners = {
  find: accountsNotSealedUnder,
  reseal: (env, posId) => accountStub(env, posId).reseal(),
  logFailure: (account, error) => logError("account-keys-not-resealed", error, { account }),
};

export const TERMINALS: Owners = {
  find: terminalsNotSealedUnder,
  reseal: async (env, terminalId) => {
    const kid = await terminalStub(env, terminalId).reseal();
    if (kid !== null) await noteSealedUnder(env.DATABASE, terminalId, kid);
    return kid;
  },
  logFailure: (terminal, error) => logError("terminal-secret-not-resealed", error, { terminal }),
};

/** @param current the kid of the current master key */
export async function resealAll({ find, reseal, logFailure }: Owners, env: Env, current: string) {
  const result = { done: 0, failed: 0 };
  await inParallel(await find(env.DATABASE, current, RESEAL_ROWS), STATUS_CONCURRENCY, async (id) => {
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
