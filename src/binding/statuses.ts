/** The current status of terminals, from their objects, for lists. */
import { logError } from "../outcomes/log.ts";
import { inParallel } from "../bounds/parallel.ts";
import type { Terminal } from "../storage/terminals.ts";
import { type TerminalStatus, terminalStub } from "../rpc/terminal.ts";
import { STATUS_CONCURRENCY, STATUS_WAIT } from "./limits.ts";

export interface Live {
  /** The object's answer; null if it was not called, or did not answer. */
  live: TerminalStatus | null;
}

/** Calls the objects of those terminals that may have a connection, in parallel. */
export function confirmStatuses<Row extends Terminal>(env: Env, terminals: Row[]): Promise<(Row & Live)[]> {
  return inParallel(terminals, STATUS_CONCURRENCY, async (terminal) => ({
    ...terminal,
    live: terminal.connected === 1 || terminal.silent === 1 ? await statusOf(env, terminal.terminalId) : null,
  }));
}

/** The answer of a terminal's object; null if it fails or takes too long. */
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
