/** What the end of a connection writes, whatever the platform and the record still know of it. */
import { describe, it } from "vitest";
import type { TerminalAttachment } from "../../../../src/gateway/terminal/connections.ts";
import type { TerminalRecord } from "../../../../src/gateway/terminal/storage/record.ts";
import type { TerminalContext } from "../../../../src/gateway/terminal/context.ts";
import { noticeEnd } from "../../../../src/gateway/terminal/terminal-socket.ts";

interface Known {
  attachment?: Partial<TerminalAttachment>;
  /** null: the terminal is not enrolled. */
  record?: Partial<TerminalRecord> | null;
}

/** Connection 4 ends, on which something was heard last at 50. */
function writtenAtEnd({ attachment = {}, record = {} }: Known): unknown[] {
  const written: unknown[] = [];
  const context = {
    connections: { lastHeard: () => 50, update: (_socket: WebSocket, members: object) => void written.push(members) },
    records: {
      record: record === null ? null : { currentConnection: 4, heardAt: null, ...record },
      update: (members: object) => void written.push(members),
    },
    lane: { take: (event: object) => void written.push(event) },
  } as unknown as TerminalContext;
  const connection = { number: 4, saidHello: true, closed: true, ...attachment } as TerminalAttachment;
  noticeEnd(context, { socket: {} as WebSocket, attachment: connection }, 60);
  return written;
}

const LOST = { kind: "lost", connection: 4 };

describe("the end of a connection", () => {
  it.for([
    ["the current one", {}],
    ["one whose end was noted before its time was known", { record: { currentConnection: null, heardAt: 49 } }],
  ] as const)("says when the terminal was heard last: of %s", ([_what, known], { expect }) => {
    expect(writtenAtEnd(known)).toEqual([{ heardAt: 50 }, LOST]);
  });

  it.for([
    ["of another than the current one", { record: { currentConnection: 5 } }],
    ["of one that said no hello", { attachment: { saidHello: false } }],
    ["if that is known", { record: { heardAt: 50 } }],
    ["of a terminal that is not enrolled", { record: null }],
  ] as const)("says nothing of it %s", ([_what, known], { expect }) => {
    expect(writtenAtEnd(known)).toEqual([LOST]);
  });

  it("is remembered by the socket, which the platform may still list", ({ expect }) => {
    const known = { attachment: { closed: false }, record: { heardAt: 50 } };
    expect(writtenAtEnd(known)).toEqual([{ closed: true }, LOST]);
  });
});
