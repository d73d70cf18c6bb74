import { sealedUnder } from "../keys/sealing.ts";
import { isOwed, D1 } from "../objects/untold/teller.ts";
import { CONNECTED_WITHIN } from "../protocol/limits/connections.ts";
import type { Presence, TerminalState } from "../storage/terminals.ts";
import { PRESENCE_DELAY } from "./limits.ts";
import { lastHeard, offlineSince, type TerminalRecord } from "./storage/record.ts";
import type { TerminalSide } from "./terminal-socket.ts";
import type { TerminalStatus } from "../rpc/terminal.ts";
import type { Link } from "./lane/index.ts";

type Side = Pick<TerminalSide, "records" | "lane" | "connections" | "untold">;

/**
 * Owes D1 the presence if it has changed. An open connection counts before its hello. D1 is told late of an end,
 * because most terminals are back at once: it is never told of those.
 *
 * @param isAsked see `presenceOf`
 */
export function owePresence(side: Side, now: number, isAsked = false): void {
  const { records, untold } = side;
  const { record, owing } = records;
  if (record === null) return;
  const presence = presenceOf(side, record.presence, isAsked, now);
  if (presence === record.presence) return;
  records.update({ presence });
  if (presence === "absent" && record.presence === "connected") {
    const isIdle = !isOwed(owing) && untold.of(D1).length === 0;
    records.update({ leftVersion: untold.owe(now, isIdle ? now + PRESENCE_DELAY : 0) });
  } else if (owing.owed === record.leftVersion && now < owing.notBefore) untold.withdraw();
  else untold.owe(now);
}

/**
 * @param known what D1 has, or is owed
 * @param isAsked somebody asks, so a connected terminal may turn out to be silent: otherwise payments would pay for
 * telling D1
 */
function presenceOf({ lane, connections }: Side, known: Presence, isAsked: boolean, now: number): Presence {
  if (lane.currentConnection === null && !connections.anyOpen) return "absent";
  if (known === "connected" && !isAsked) return "connected";
  return connections.isHeardSince(now - CONNECTED_WITHIN) ? "connected" : "silent";
}

/** @param heardAt the last activity of the current connection; null: there is none */
export function stateOf(record: TerminalRecord, heardAt: number | null): TerminalState {
  const { binding, presence, sealedSecret, isVT, assignedMerchantId, name, createdAt } = record;
  return {
    isVT,
    merchantId: assignedMerchantId,
    name,
    createdAt,
    posId: binding?.posId ?? null,
    presence,
    offlineSince: presence === "connected" ? null : (heardAt ?? offlineSince(record)),
    lastHeartbeat: heardAt ?? lastHeard(record),
    retired: sealedSecret === null,
    sealedUnder: sealedSecret === null ? null : sealedUnder(sealedSecret),
  };
}

export function terminalStatus(
  record: TerminalRecord | null,
  { current }: Pick<Link, "current">,
  now: number,
): Omit<TerminalStatus, "contested"> {
  const connected = current !== null && now - current.heardAt < CONNECTED_WITHIN;
  const last = current?.heardAt ?? (record === null ? null : lastHeard(record));
  return {
    connected,
    connectedSince: connected ? (record?.connectedAt ?? null) : null,
    lastHeartbeat: connected ? current.heardAt : null,
    lastHeard: last,
    // A connection that has been silent too long has not ended yet for the object.
    offlineSince: connected ? null : current === null && record !== null ? offlineSince(record) : last,
    softwareVersion: record?.softwareVersion ?? null,
    terminalSn: record?.terminalSn ?? null,
    posId: record?.binding?.posId ?? null,
  };
}
