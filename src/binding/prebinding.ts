/** Binding by the accounts' prebind lists. The terminal's object decides. */
import { inParallel } from "../bounds/parallel.ts";
import { logError } from "../outcomes/log.ts";
import { listPrebound, matchPrebound, takeOffList } from "../storage/prebinding.ts";
import { terminalStub } from "../rpc/terminal.ts";
import { within } from "../bounds/within.ts";
import { AFTERWARDS_WAIT, STATUS_CONCURRENCY } from "./limits.ts";

/**
 * Binds the terminals that their prebind lists make due. A terminal that cannot be reached, or that is bound already, is
 * left for its next connection: prebinding never fails the call that triggered it.
 */
export async function applyPrebinding(env: Env, terminalIds: string[]): Promise<void> {
  if (terminalIds.length === 0) return;
  const matches = await afterwards(matchPrebound(env.DATABASE, terminalIds));
  await inParallel(matches ?? [], STATUS_CONCURRENCY, async ({ terminalId, ...binding }) => {
    try {
      await terminalStub(env, terminalId).bind(binding, "only-unbound");
    } catch (error) {
      logError("prebinding failed", error, { terminal: terminalId, account: binding.posId });
    }
  });
}

/** Does the same for every terminal on an account's list, after the account has changed. */
export async function applyPrebindingOf(env: Env, posId: string): Promise<void> {
  await applyPrebinding(env, (await afterwards(listPrebound(env.DATABASE, posId))) ?? []);
}

/** Removes a retired terminal from its account's list. */
export async function forgetPrebinding(env: Env, posId: string, terminalId: string): Promise<void> {
  await afterwards(takeOffList(env.DATABASE, posId, terminalId));
}

/** Work after a completed change. If D1 fails or does not answer, the change stays, and this returns null. */
async function afterwards<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await within(AFTERWARDS_WAIT, work);
  } catch (error) {
    logError("prebinding failed", error);
    return null;
  }
}
