import { CONNECTED_WITHIN } from "../protocol/limits/connections.ts";
import type { TerminalStatus } from "../rpc/terminal.ts";
import type { Link } from "./lane/index.ts";
import type { TerminalRecord } from "./storage/record.ts";

/** Whether the terminal is connected now, and what it last reported about itself. */
export function terminalStatus(record: TerminalRecord | null, { current }: Link): TerminalStatus {
  const connected = current !== null && Date.now() - current.heardAt < CONNECTED_WITHIN;
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

/**
 * When a terminal without a connection was heard last. If that was lost with the object's previous instance: when the object
 * found the connection gone.
 */
export function offlineSince({ heardAt, connectedAt, lostAt }: TerminalRecord): number | null {
  return heardAt !== null && heardAt >= (connectedAt ?? 0) ? heardAt : lostAt;
}

/** The last known activity before the last end of a connection. A hello counts as activity. */
export function lastHeard({ heardAt, connectedAt }: TerminalRecord): number | null {
  return heardAt === null || (connectedAt !== null && connectedAt > heardAt) ? connectedAt : heardAt;
}
