/** The operator settles what no terminal can: it looks into the terminal's book and asks the acquirer. */
import type { Wire } from "../journal.ts";
import type { World } from "../world.ts";

/** Settles up to `most` of those whose outcome can be known. */
export async function resolveSome(world: World, most: number, isQuiet: boolean): Promise<void> {
  const rows = await world.operator.list("/unsettled");
  let left = most;
  for (const row of rows ?? []) {
    if (left <= 0) return;
    const statusCode = outcomeOf(world, row, isQuiet);
    if (statusCode === null) continue;
    left--;
    const requestId = String(row["requestId"]);
    const target = String(row["terminalId"]);
    const path = `/terminals/${target}/transactions/${requestId}/resolve`;
    const reason = "The acquirer's list says so.";
    await world.operator.act({ action: "resolve", target, requestId, statusCode }, "POST", path, {
      statusCode,
      reason,
    });
  }
}

/** Null: it is not for the operator to decide, or not yet. */
function outcomeOf(world: World, { requestId, terminalId }: Wire, isQuiet: boolean): "00" | "11" | null {
  const terminal = world.terminals.find((one) => one.terminalId === terminalId);
  if (terminal === undefined) return null;
  const known = terminal.knows(String(requestId));
  if (known === "open") return null;
  if (known !== null) return known.statusCode;
  const decided = world.host.decided(String(requestId));
  if (decided !== null) return decided.statusCode;
  // The terminal has not got it, and the host has never heard of it. It might still be on its way.
  return isQuiet && (terminal.hasForgotten || world.retired.has(terminal)) ? "11" : null;
}
