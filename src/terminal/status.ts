import { CONNECTED_WITHIN } from "../protocol/limits/connections.ts";
import type { TerminalStatus } from "./calls.ts";
import type { Link } from "./lane/index.ts";
import type { TerminalRecord } from "./storage/record.ts";

/** Whether the terminal is there now, and what it last said of itself. */
export function terminalStatus(record: TerminalRecord | null, { current }: Link): TerminalStatus {
  const connected = current !== null && Date.now() - current.heardAt < CONNECTED_WITHIN;
  return {
    connected,
    connectedSince: connected ? (record?.connectedAt ?? null) : null,
    lastHeartbeat: connected ? current.heardAt : null,
    softwareVersion: record?.softwareVersion ?? null,
    terminalSn: record?.terminalSn ?? null,
    posId: record?.binding?.posId ?? null,
  };
}
