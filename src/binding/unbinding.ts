/** The end of a binding. The terminal's object decides; the prebind lists follow. */
import type { CallOrigin } from "../rpc/signed-call.ts";
import { putBackOnList, takeOffList } from "../storage/prebinding.ts";
import type { Terminal } from "../storage/terminals.ts";
import { terminalStub, type UnbindOutcome } from "../rpc/terminal.ts";

/**
 * Unbinds a terminal, from a specific account if `posId` is given, and removes it from the prebind list of the account that
 * it was bound to. The list comes first: a terminal that connects in between would be bound again.
 *
 * @param by for the audit log
 */
export async function unbindTerminal(
  env: Env,
  terminal: Terminal,
  posId: string | null,
  by: { actor: string; origin?: CallOrigin },
): Promise<UnbindOutcome> {
  const { terminalId, boundPosId } = terminal;
  const position = boundPosId === null ? null : await takeOffList(env.DATABASE, boundPosId, terminalId);
  const outcome = await terminalStub(env, terminalId).unbind(posId, by.actor, by.origin);
  if (outcome.kind === "busy" && boundPosId !== null && position !== null) {
    await putBackOnList(env.DATABASE, boundPosId, terminalId, position);
  }
  return outcome;
}
