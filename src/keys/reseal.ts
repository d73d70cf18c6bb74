/** Seals secrets anew under the current master key, a bounded number at a time. */
import type { MasterKeys } from "./master-keys.ts";
import { seal, type SecretKind, unseal } from "./sealing.ts";
import { accountsNotSealedUnder, replaceSealedKeys } from "../storage/accounts.ts";
import { noteSealedUnder, terminalsNotSealedUnder } from "../storage/terminals.ts";
import { terminalStub } from "../terminal/stub.ts";
import { logError } from "../log.ts";
import { inParallel } from "../parallel.ts";

export interface Resealed {
  done: number;
  failed: number;
}

export async function resealAccounts(db: D1Database, keys: MasterKeys, rows: number): Promise<Resealed> {
  const result = { done: 0, failed: 0 };
  const sealAnew = (sealed: string, kind: SecretKind, posId: string): string => {
    const opened = unseal(keys, sealed, kind, posId);
    if (!opened.ok) throw new Error(`A signing key cannot be opened: ${opened.error}.`);
    return seal(keys, opened.value, kind, posId);
  };
  for (const { posId, ...before } of await accountsNotSealedUnder(db, keys.current.kid, rows)) {
    try {
      const { signingKey, previousSigningKey, previousSigningKeyUntil } = before;
      const replaced = await replaceSealedKeys(db, posId, before, {
        signingKey: sealAnew(signingKey, "account-signing-key", posId),
        previousSigningKey:
          previousSigningKey === null ? null : sealAnew(previousSigningKey, "account-previous-signing-key", posId),
        previousSigningKeyUntil,
        sealedUnder: keys.current.kid,
      });
      // Not replaced: the keys were rotated in between, which sealed them under the current master key, too.
      if (replaced) result.done++;
    } catch (error) {
      result.failed++;
      logError("an account's keys could not be sealed anew", error, { account: posId });
    }
  }
  return result;
}

/** D1 notes what the object says it has done, not what it was asked for: during a deploy it may have older keys. */
export async function resealTerminals(env: Env, keys: MasterKeys, rows: number, bound: number): Promise<Resealed> {
  const result = { done: 0, failed: 0 };
  const terminalIds = await terminalsNotSealedUnder(env.DATABASE, keys.current.kid, rows);
  await inParallel(terminalIds, bound, async (terminalId) => {
    try {
      const kid = await terminalStub(env, terminalId).reseal();
      if (kid !== null) await noteSealedUnder(env.DATABASE, terminalId, kid);
      if (kid === keys.current.kid) result.done++;
      else result.failed++;
    } catch (error) {
      result.failed++;
      logError("a terminal's secret could not be sealed anew", error, { terminal: terminalId });
    }
  });
  return result;
}
