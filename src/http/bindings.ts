/**
 * Which terminal works for which account. The terminal's object decides; this file asks it, and keeps the prebind lists
 * in step.
 */
import { OBJECT_CALL_TRIES, STATUS_CONCURRENCY, STATUS_WAIT } from "../limits.ts";
import type { Account } from "../storage/accounts.ts";
import { matchPrebound, putBackOnList, takeOffList } from "../storage/prebinding.ts";
import { type Terminal, terminalsOf } from "../storage/terminals.ts";
import type { Binding, TerminalManagement, TerminalStatus, UnbindOutcome } from "../terminal/calls.ts";
import { terminalStub } from "../terminal/stub.ts";
import { logError } from "./log.ts";
import { inParallel } from "./parallel.ts";

/** What a terminal needs to know of an account. */
export function bindingOf({ posId, merchantId, currency, timezone }: Account): Binding {
  return { posId, merchantId, currency, timezone };
}

/**
 * Binds every one of these terminals that is due by prebinding. A terminal that cannot be reached, or that its object
 * knows to be bound, is left for its next connection: prebinding never fails the call that set it off.
 */
export async function applyPrebinding(env: Env, terminalIds: string[]): Promise<void> {
  if (terminalIds.length === 0) return;
  const matches = await matchPrebound(env.DATABASE, terminalIds);
  await inParallel(matches, STATUS_CONCURRENCY, async ({ terminalId, ...binding }) => {
    try {
      await terminalStub(env, terminalId).bind(binding, "only-unbound");
    } catch (error) {
      logError("prebinding failed", error, { terminal: terminalId, account: binding.posId });
    }
  });
}

/**
 * Unbinds a terminal, from a certain account where `posId` is given, and takes it off the prebind list of the account
 * it was bound to. Off the list first: a terminal that connects in between would be bound again.
 */
export async function unbindTerminal(env: Env, terminal: Terminal, posId: string | null): Promise<UnbindOutcome> {
  const { terminalId, boundPosId } = terminal;
  const position = boundPosId === null ? null : await takeOffList(env.DATABASE, boundPosId, terminalId);
  const outcome = await terminalStub(env, terminalId).unbind(posId);
  if (outcome.kind === "busy" && boundPosId !== null && position !== null) {
    await putBackOnList(env.DATABASE, boundPosId, terminalId, position);
  }
  return outcome;
}

export type UnbindAllOutcome = { kind: "unbound"; terminalIds: string[] } | { kind: "busy"; terminalId: string };

/**
 * Unbinds all terminals of an account. Where one is busy, those that were unbound are bound again: an account is not
 * left with half of its terminals.
 */
export async function unbindAll(env: Env, account: Account): Promise<UnbindAllOutcome> {
  const terminalIds: string[] = [];
  for (const { terminalId } of await terminalsOf(env.DATABASE, account.posId)) {
    const outcome = await terminalStub(env, terminalId).unbind(account.posId);
    if (outcome.kind === "unbound") terminalIds.push(terminalId);
    if (outcome.kind === "busy") {
      const binding = bindingOf(account);
      await inParallel(terminalIds, STATUS_CONCURRENCY, (id) => terminalStub(env, id).bind(binding, "only-unbound"));
      return { kind: "busy", terminalId };
    }
  }
  return { kind: "unbound", terminalIds };
}

/** Tells every terminal of an account that the account's details have changed. */
export async function refreshBindings(env: Env, account: Account): Promise<void> {
  const binding = bindingOf(account);
  await tellTerminals(env, account.posId, (object) => object.refreshBinding(binding));
}

/** Tells every terminal of an account that the account is suspended: what is queued for it is settled as cancelled. */
export async function announceSuspension(env: Env, posId: string): Promise<void> {
  await tellTerminals(env, posId, (object) => object.accountSuspended(posId));
}

/** D1 has the change already, so an object that cannot be told must not undo it: tried again, then logged. */
async function tellTerminals(
  env: Env,
  posId: string,
  tell: (object: TerminalManagement) => Promise<void>,
): Promise<void> {
  await inParallel(await terminalsOf(env.DATABASE, posId), STATUS_CONCURRENCY, async ({ terminalId }) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await tell(terminalStub(env, terminalId));
        return;
      } catch (error) {
        if (attempt < OBJECT_CALL_TRIES) continue;
        logError("a terminal could not be told of its account's change", error, {
          terminal: terminalId,
          account: posId,
        });
        return;
      }
    }
  });
}

export interface TerminalWithStatus extends Terminal {
  /** What its object says; null where it was not asked, or did not answer. */
  live: TerminalStatus | null;
}

/** Asks the objects of those terminals that may be connected, in parallel. */
export function confirmStatuses(env: Env, terminals: Terminal[]): Promise<TerminalWithStatus[]> {
  return inParallel(terminals, STATUS_CONCURRENCY, async (terminal) => ({
    ...terminal,
    live: terminal.connected === 1 ? await statusOf(env, terminal.terminalId) : null,
  }));
}

/** What a terminal's object says of itself; null where it fails or takes too long. */
export async function statusOf(env: Env, terminalId: string): Promise<TerminalStatus | null> {
  const tooLate = new AbortController();
  try {
    return await Promise.race([
      terminalStub(env, terminalId).status(),
      scheduler.wait(STATUS_WAIT, { signal: tooLate.signal }).then(() => null),
    ]);
  } catch (error) {
    logError("a terminal's object did not answer", error, { terminal: terminalId });
    return null;
  } finally {
    tooLate.abort();
  }
}
