/** What D1 shows of the terminal, and whether it is connected. */
import { sealedUnder } from "../keys/sealing.ts";
import { isOwed } from "../objects/untold/decisions.ts";
import { D1 } from "../objects/untold/decisions.ts";
import type { TerminalState } from "../storage/terminals.ts";
import { PRESENCE_DELAY } from "./limits.ts";
import { lastHeard, offlineSince } from "./status.ts";
import type { TerminalRecord } from "./storage/record.ts";
import type { TerminalSide } from "./terminal-side.ts";

/**
 * Owes D1 the presence if the turn has changed it. An open connection counts before its hello. Its end is told late, because
 * most terminals are back at once: one that is back by then is not told.
 */
export function owePresence(
  { records, lane, connections, untold }: Pick<TerminalSide, "records" | "lane" | "connections" | "untold">,
  now: number,
): void {
  const { record, owing } = records;
  if (record === null) return;
  const present = lane.currentConnection !== null || connections.anyOpen;
  if (present === record.present) return;
  records.update({ present });
  if (!present) {
    const isIdle = !isOwed(owing) && untold.of(D1).length === 0;
    records.update({ leftVersion: untold.owe(now, isIdle ? now + PRESENCE_DELAY : 0) });
  } else if (owing.owed === record.leftVersion && now < owing.notBefore) untold.withdraw();
  else untold.owe(now);
}

export function stateOf(record: TerminalRecord): TerminalState {
  const { binding, present, sealedSecret, secretVersion } = record;
  return {
    posId: binding?.posId ?? null,
    connected: present,
    offlineSince: present ? null : offlineSince(record),
    lastHeartbeat: lastHeard(record),
    retired: sealedSecret === null,
    secretVersion,
    sealedUnder: sealedSecret === null ? null : sealedUnder(sealedSecret),
  };
}
