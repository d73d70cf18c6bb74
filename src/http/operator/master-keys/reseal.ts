/** Has the objects seal their secrets again with the current master key, a bounded number per call. */
import { accountStub } from "../../../rpc/account.ts";
import type { MasterKeys } from "../../../keys/master-keys.ts";
import { accountsNotSealedUnder } from "../../../storage/accounts.ts";
import { noteSealedUnder, terminalsNotSealedUnder } from "../../../storage/terminals.ts";
import { terminalStub } from "../../../rpc/terminal.ts";
import { logError } from "../../../outcomes/log.ts";
import { inParallel } from "../../../bounds/parallel.ts";

export interface Resealed {
  done: number;
  failed: number;
}

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

const ACCOUNTS: Owners = {
  find: accountsNotSealedUnder,
  reseal: (env, posId) => accountStub(env, posId).reseal(),
  logFailure: (account, error) => logError("account-keys-not-resealed", error, { account }),
};

const TERMINALS: Owners = {
  find: terminalsNotSealedUnder,
  reseal: async (env, terminalId) => {
    const kid = await terminalStub(env, terminalId).reseal();
    if (kid !== null) await noteSealedUnder(env.DATABASE, terminalId, kid);
    return kid;
  },
  logFailure: (terminal, error) => logError("terminal-secret-not-resealed", error, { terminal }),
};

export function resealAccounts(env: Env, keys: MasterKeys, rows: number, bound: number): Promise<Resealed> {
  return resealAll(ACCOUNTS, env, keys, rows, bound);
}

export function resealTerminals(env: Env, keys: MasterKeys, rows: number, bound: number): Promise<Resealed> {
  return resealAll(TERMINALS, env, keys, rows, bound);
}

async function resealAll(
  { find, reseal, logFailure }: Owners,
  env: Env,
  keys: MasterKeys,
  rows: number,
  bound: number,
): Promise<Resealed> {
  const result = { done: 0, failed: 0 };
  await inParallel(await find(env.DATABASE, keys.current.kid, rows), bound, async (id) => {
    try {
      if ((await reseal(env, id)) === keys.current.kid) result.done++;
      else result.failed++;
    } catch (error) {
      result.failed++;
      logFailure(id, error);
    }
  });
  return result;
}
