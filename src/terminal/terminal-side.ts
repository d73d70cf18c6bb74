/** The parts of the object that the terminal's side of the protocol uses, and the end of its connections. */
import { log } from "../outcomes/log.ts";
import type { Connections, TerminalConnection } from "./connections.ts";
import type { LaneShell } from "./lane-shell.ts";
import type { Numbers } from "./numbers.ts";
import type { Untold } from "../objects/storage/untold.ts";
import type { KeptReports } from "./storage/kept-reports.ts";
import type { TerminalRecordStore } from "./storage/record.ts";

export interface TerminalSide {
  connections: Connections;
  records: TerminalRecordStore;
  lane: LaneShell;
  reports: KeptReports;
  numbers: Numbers;
  untold: Untold;
  /** The terminal's secret; null once it is retired. */
  secret: () => string | null;
}

/** Why the gateway closes a connection. */
export interface Closing {
  code: number;
  reason: string;
}

/** The gateway closes a connection. Frames that still arrive on it are ignored. */
export function hangUp(
  side: TerminalSide,
  connection: TerminalConnection,
  { code, reason }: Closing,
  now: number,
): void {
  const { connections, records, lane } = side;
  connections.close(connection.socket, code, reason);
  lane.take({ kind: "lost", connection: connection.attachment.number }, now);
  // After what may write: a turn that begins lightly would log it twice.
  log("warning", "connection-closed", { terminal: records.terminalId, code, detail: reason });
}

/** A connection has ended, closed by either side. */
export function noticeEnd(
  { connections, records, lane }: TerminalSide,
  { socket, attachment }: TerminalConnection,
  now: number,
): void {
  const { record } = records;
  const isLatest = record !== null && (record.currentConnection ?? attachment.number) === attachment.number;
  // The platform may list the socket no more.
  const heardAt = connections.lastHeard(socket);
  if (attachment.saidHello && isLatest && heardAt > (record.heardAt ?? 0)) records.update({ heardAt });
  if (attachment.shown !== undefined) lane.recall(attachment.shown);
  if (!attachment.closed) connections.update(socket, { closed: true });
  lane.take({ kind: "lost", connection: attachment.number }, now);
}

/** The gateway closes every connection, because the secret that they were opened with is no longer valid. */
export function hangUpAll({ connections, lane }: TerminalSide, code: number, reason: string, now: number): void {
  const current = lane.currentConnection;
  connections.closeAllTerminals(code, reason);
  if (current !== null) lane.take({ kind: "lost", connection: current }, now);
}
