import type { Connections } from "./connections.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { RecordedMark } from "./unrecorded.ts";

/** The mark on the current connection. Without a connection, or on a new one, nothing is known. */
export function recordedMark(connections: Connections, records: TerminalRecordStore): RecordedMark {
  const current = () => {
    const number = records.record?.currentConnection ?? null;
    const socket = number === null ? null : connections.byNumber(number);
    const attachment = socket === null ? null : connections.attachmentOf(socket);
    return socket === null || attachment?.role !== "terminal" ? null : { socket, attachment };
  };
  return {
    read: () => current()?.attachment.recorded ?? false,
    write: (everything) => {
      const connection = current();
      if (connection === null || connection.attachment.recorded === everything) return;
      connections.update(connection.socket, { recorded: everything });
    },
  };
}
