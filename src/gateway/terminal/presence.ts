import { sealedUnder } from "../secrets/sealing.ts";
import { CONNECTED_WITHIN } from "../../protocol/limits.ts";
import type { Presence, TerminalRowState } from "../d1/terminals.ts";
import { enqueueTerminalState, STATE } from "./outbox-entries.ts";
import { lastHeard, offlineSince, type TerminalRecord, type TerminalRecordStore } from "./storage/record.ts";
import type { Outbox } from "../durable/storage/outbox.ts";
import type { Connections } from "./connections.ts";
import type { LaneRunner } from "./lane-runner.ts";
import type { TerminalStatus } from "./rpc.ts";
import type { ConnectionLink } from "./lane/index.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";

/** D1 gets a disconnect after this delay, unless the terminal is back by then, as most are. */
export const PRESENCE_DELAY = 10 * SECOND;

interface PresenceParts {
  records: TerminalRecordStore;
  lane: Pick<LaneRunner, "currentConnection">;
  connections: Pick<Connections, "anyOpen" | "isHeardSince">;
  outbox: Outbox;
}

/**
 * Enqueues the presence for D1 if it has changed. An open connection counts before its hello. D1 learns late of an end,
 * because most terminals are back at once: of those it never does.
 *
 * @param isAsked see `judgePresence`
 */
export function enqueuePresence(parts: PresenceParts, now: EpochMs, isAsked = false): void {
  const { records, outbox } = parts;
  const { record } = records;
  if (record === null) return;
  const presence = judgePresence(parts, record.presence, isAsked, now);
  if (presence === record.presence) return;
  records.update({ presence });
  const waiting = outbox.find(STATE);
  if (presence === "absent" && record.presence === "connected" && waiting === null) {
    outbox.enqueue({ ...STATE, payload: ONLY_LEFT, notBefore: now + PRESENCE_DELAY }, now);
  } else if (waiting?.payload === ONLY_LEFT && now < waiting.nextAt && waiting.attempts === 0) outbox.remove(STATE);
  else enqueueTerminalState(outbox, now);
}

/** Nothing but the presence has changed, so D1 needs nothing if the terminal is back in time. */
const ONLY_LEFT = "left";

/**
 * @param known what D1 has, or will have
 * @param isAsked somebody asks, so a connected terminal may turn out to be silent: otherwise payments would pay for
 * writing it
 */
function judgePresence(
  { lane, connections }: PresenceParts,
  known: Presence,
  isAsked: boolean,
  now: EpochMs,
): Presence {
  if (lane.currentConnection === null && !connections.anyOpen) return "absent";
  if (known === "connected" && !isAsked) return "connected";
  return connections.isHeardSince(now - CONNECTED_WITHIN) ? "connected" : "silent";
}

/** @param heardAt the last activity of the current connection; null: there is none */
export function toRowState(record: TerminalRecord, heardAt: EpochMs | null): TerminalRowState {
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
  { current }: Pick<ConnectionLink, "current">,
  now: EpochMs,
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
