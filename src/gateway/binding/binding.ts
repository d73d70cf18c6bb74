/** The terminal's object decides; the prebind lists follow. */
import {
  claimBindKey,
  completeBindKey,
  type Digests,
  findBindKey,
  type FoundBindKey,
  giveBackBindKey,
  type ListEntry,
  putBackOnList,
  takeOffList,
  listPrebound,
  matchPrebound,
} from "../d1/binding.ts";
import type { TerminalRow } from "../d1/terminals.ts";
import { terminalStub, type UnbindOutcome, type TerminalStatus } from "../terminal/rpc.ts";
import type { CallOrigin } from "../account/rpc.ts";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { logError } from "../lib/log.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";

/** One listing calls at most this many objects at the same time. */
export const STATUS_CONCURRENCY = 50;

/** A listing waits this long for an object. Without an answer, the terminal counts as not connected. */
export const STATUS_WAIT = 5 * SECOND;

/** A completed change waits this long for D1 to check the prebind lists. */
const AFTERWARDS_WAIT = 10 * SECOND;

type BindByKeyOutcome =
  | { kind: "bound"; posId: string; merchantId: string }
  /** The key is unknown, used by another terminal or expired, or its account is not active. */
  | { kind: "not-valid" }
  | { kind: "other-merchant" }
  /** The terminal has a payment in progress, so the key was released. */
  | { kind: "busy" }
  | { kind: "not-enrolled" };

/**
 * Claims the key, binds the terminal through its object, and records that it did. A terminal that repeats its key
 * within the key's life gets the same answer: if it was bound, without binding again; if the Worker died in between, by
 * continuing.
 */
export async function bindByKey(env: Env, terminal: TerminalRow, digests: Digests): Promise<BindByKeyOutcome> {
  const { terminalId } = terminal;
  // A second attempt follows only if another request was faster: it may have been this terminal's own, sent twice.
  for (let look = 0; look < 2; look++) {
    const now = Date.now();
    const key = await findBindKey(env.DATABASE, digests);
    const verdict = judgeKey(key, terminal, now);
    if (verdict !== null) return verdict;
    if (key !== null && (key.usedBy === terminalId || (await claimBindKey(env.DATABASE, key.id, terminalId, now)))) {
      return bindWith(env, terminal, key, now);
    }
  }
  return NOT_VALID;
}

const NOT_VALID: BindByKeyOutcome = { kind: "not-valid" };

/**
 * Returns null if the terminal may claim the key, or has claimed it. This is checked before the claim, so that a
 * refusal does not use up the key.
 */
function judgeKey(key: FoundBindKey | null, terminal: TerminalRow, now: EpochMs): BindByKeyOutcome | null {
  if (key === null || key.expiresAt <= now) return NOT_VALID;
  if (key.usedBy !== null && key.usedBy !== terminal.terminalId) return NOT_VALID;
  const { posId, merchantId } = key;
  if (key.completedAt !== null) return { kind: "bound", posId, merchantId };
  if (key.status !== "active") return NOT_VALID;
  return terminal.merchantId === null || terminal.merchantId === merchantId ? null : { kind: "other-merchant" };
}

async function bindWith(env: Env, terminal: TerminalRow, key: FoundBindKey, now: EpochMs): Promise<BindByKeyOutcome> {
  const { terminalId, boundPosId } = terminal;
  const { id, posId, merchantId, currency, timezone } = key;
  const outcome = await terminalStub(env, terminalId).bind({ posId, merchantId, currency, timezone }, "move");
  switch (outcome.kind) {
    case "busy":
    case "bound-otherwise":
      await giveBackBindKey(env.DATABASE, id, terminalId);
      return { kind: "busy" };
    case "not-enrolled":
      await giveBackBindKey(env.DATABASE, id, terminalId);
      return { kind: "not-enrolled" };
    case "account-deleted":
      return NOT_VALID;
    case "bound": {
      if (await completeBindKey(env.DATABASE, { id, posId }, { terminalId, previousPosId: boundPosId }, now)) {
        return { kind: "bound", posId, merchantId };
      }
      // The account was deleted between claim and bind, and a deleted account has no terminals.
      await terminalStub(env, terminalId).unbind(posId, `account:${posId}`);
      return NOT_VALID;
    }
    default:
      return outcome satisfies never;
  }
}

/**
 * Also removes the terminal from the prebind list of the account that it was bound to. The list comes first: a terminal
 * that connects in between would be bound again.
 *
 * @param posId unbinds only from this account; null: from any
 * @param by for the audit log
 */
export async function unbindTerminal(
  env: Env,
  terminal: TerminalRow,
  posId: string | null,
  by: { actor: string; origin?: CallOrigin },
): Promise<UnbindOutcome> {
  const { terminalId, boundPosId } = terminal;
  const taken = boundPosId === null ? null : await takeOffList(env.DATABASE, boundPosId, terminalId);
  try {
    const outcome = await terminalStub(env, terminalId).unbind(posId, by.actor, by.origin);
    if (outcome.kind === "busy" && taken !== null) await putBackOnList(env.DATABASE, taken);
    return outcome;
  } catch (error) {
    if (taken !== null) await putBackUnlessUnbound(env, taken);
    throw error;
  }
}

/**
 * A call that broke may have unbound the terminal all the same: then its entry stays away, or the terminal would be
 * bound again when it connects. If the terminal's object does not answer, the list stays as it was before the call.
 */
async function putBackUnlessUnbound(env: Env, taken: ListEntry): Promise<void> {
  const live = await askStatus(env, taken.terminalId);
  if (live !== null && live.posId !== taken.posId) return;
  await afterwards(putBackOnList(env.DATABASE, taken));
}

/**
 * Binds the terminals that their prebind lists make due. A terminal that cannot be reached, or that is bound already,
 * is left for its next connection: prebinding never fails the call that triggered it.
 */
export async function applyPrebinding(env: Env, terminalIds: string[]): Promise<void> {
  if (terminalIds.length === 0) return;
  const matches = await afterwards(matchPrebound(env.DATABASE, terminalIds));
  await mapConcurrently(matches ?? [], STATUS_CONCURRENCY, async ({ terminalId, ...binding }) => {
    try {
      await terminalStub(env, terminalId).bind(binding, "only-unbound");
    } catch (error) {
      logError("prebinding_failed", error, { terminal: terminalId, account: binding.posId });
    }
  });
}

/** Applies prebinding for every terminal on an account's list, after the account has changed. */
export async function applyAccountPrebinding(env: Env, posId: string): Promise<void> {
  await applyPrebinding(env, (await afterwards(listPrebound(env.DATABASE, posId))) ?? []);
}

/** Removes a retired terminal from the list. */
export async function forgetPrebinding(env: Env, posId: string, terminalId: string): Promise<void> {
  await afterwards(takeOffList(env.DATABASE, posId, terminalId));
}

/**
 * Runs work that follows a completed change. If D1 fails or does not answer, the change stays, and this returns null.
 */
async function afterwards<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(AFTERWARDS_WAIT, work);
  } catch (error) {
    logError("prebinding_failed", error);
    return null;
  }
}

export interface Live {
  /** It is null if the object was not called, or did not answer. */
  live: TerminalStatus | null;
}

/** Whether the terminal may have a connection, according to D1. */
export function isConnectionOpen({ connected, silent }: Pick<TerminalRow, "connected" | "silent">): boolean {
  return connected === 1 || silent === 1;
}

/** Calls only the objects of terminals that may have a connection, in parallel. */
export function confirmStatuses<Row extends TerminalRow>(env: Env, terminals: Row[]): Promise<(Row & Live)[]> {
  return mapConcurrently(terminals, STATUS_CONCURRENCY, async (terminal) => ({
    ...terminal,
    live: isConnectionOpen(terminal) ? await askStatus(env, terminal.terminalId) : null,
  }));
}

/** Returns null if the terminal's object fails or takes too long. */
export async function askStatus(env: Env, terminalId: string): Promise<TerminalStatus | null> {
  const tooLate = new AbortController();
  try {
    return await Promise.race([
      terminalStub(env, terminalId).status(),
      scheduler.wait(STATUS_WAIT, { signal: tooLate.signal }).then(() => null),
    ]);
  } catch (error) {
    logError("object_not_called", error, { terminal: terminalId });
    return null;
  } finally {
    tooLate.abort();
  }
}
