/** Binding by the accounts' prebind lists. The terminal's object decides. */
import { inParallel } from "../parallel.ts";
import { logError } from "../log.ts";
import { listPrebound, matchPrebound, takeOffList } from "../storage/prebinding.ts";
import { terminalStub } from "../terminal/stub.ts";
import { within } from "../within.ts";
import { AFTERWARDS_WAIT, STATUS_CONCURRENCY } from "./limits.ts";

/**
 * Binds every one of these terminals that is due by prebinding. A terminal that cannot be reached, or that its object
 * knows to be bound, is left for its next connection: prebinding never fails the call that set it off.
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

/** The same for every terminal on an account's list: the account has become another one. */
export async function applyPrebindingOf(env: Env, posId: string): Promise<void> {
  await applyPrebinding(env, (await afterwards(listPrebound(env.DATABASE, posId))) ?? []);
}

/** Takes a terminal that was retired off the list of its account, where it does nothing any more. */
export async function forgetPrebinding(env: Env, posId: string, terminalId: string): Promise<void> {
  await afterwards(takeOffList(env.DATABASE, posId, terminalId));
}

/** What follows a change that is made. A D1 that fails or does not answer does not undo the change: null. */
async function afterwards<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await within(AFTERWARDS_WAIT, work);
  } catch (error) {
    logError("prebinding failed", error);
    return null;
  }
}
