/** The end of a binding. The terminal's object decides; the prebind lists are kept in step. */
import { inParallel } from "../parallel.ts";
import type { Account } from "../storage/accounts.ts";
import { putBackOnList, takeOffList } from "../storage/prebinding.ts";
import { type Terminal, terminalsOf } from "../storage/terminals.ts";
import type { UnbindOutcome } from "../terminal/calls.ts";
import { terminalStub } from "../terminal/stub.ts";
import { bindingOf } from "./account-changes.ts";
import { STATUS_CONCURRENCY } from "./limits.ts";

/**
 * Unbinds a terminal, from a certain account where `posId` is given, and takes it off the prebind list of the account
 * it was bound to. Off the list first: a terminal that connects in between would be bound again.
 *
 * @param actor who wants it, for the audit log
 */
export async function unbindTerminal(
  env: Env,
  terminal: Terminal,
  posId: string | null,
  actor: string,
): Promise<UnbindOutcome> {
  const { terminalId, boundPosId } = terminal;
  const position = boundPosId === null ? null : await takeOffList(env.DATABASE, boundPosId, terminalId);
  const outcome = await terminalStub(env, terminalId).unbind(posId, actor);
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
