/**
 * A hello that comes after a later connection's. A connection that is superseded is closed, and nothing of it is read any
 * more; this is the second line of defence, for a socket that was missed.
 */
import { describe, it } from "vitest";
import { CLOSE } from "../../../../src/protocol/close-codes.ts";
import { withSignature } from "../../../../src/protocol/signing/signature.ts";
import type { TerminalAttachment, TerminalConnection } from "../../../../src/gateway/terminal/connections.ts";
import type { HelloFrame } from "../../../../src/protocol/terminal-frames.ts";
import type { TerminalContext } from "../../../../src/gateway/terminal/context.ts";
import { chargeFrame, acceptHello } from "../../../../src/gateway/terminal/terminal-socket.ts";

const SECRET = "the terminal's secret";

/** Says a valid hello on connection 4 where connection `current` is the current one: what became of it. */
function helloOnFour(current: number | null): unknown[] {
  const happened: unknown[] = [];
  const context = {
    connections: {
      close: (_socket: WebSocket, code: number) => void happened.push({ closed: code }),
      closeEarlierThan: () => undefined,
      send: () => undefined,
      terminals: () => [],
      update: () => undefined,
    },
    records: { terminalId: "T", update: () => undefined },
    lane: {
      currentConnection: current,
      find: () => null,
      take: ({ kind, connection }: { kind: string; connection: number }) => void happened.push({ kind, connection }),
    },
    numbers: { keep: () => undefined },
    secretStore: { find: () => ({ secret: SECRET, version: 1, changedAt: 0 }) },
  } as unknown as TerminalContext;
  const attachment = { number: 4, nonce: "n", openedAt: 0, saidHello: false } as TerminalAttachment;
  const connection: TerminalConnection = { socket: { send: () => undefined } as unknown as WebSocket, attachment };
  const versions = { softwareVersion: "1", terminalSn: "2" };
  const signed = withSignature({ type: "hello", nonce: "n", memory: "m", open: [], ...versions }, SECRET);
  const frame: HelloFrame = { type: "hello", nonce: "n", memory: "m", open: [], ...versions, signature: "" };
  acceptHello(context, connection, { frame, signed }, 1_000);
  return happened;
}

describe("a valid hello", () => {
  it("is never accepted on an earlier connection than the current one", ({ expect }) => {
    expect(helloOnFour(5)).toEqual([{ closed: CLOSE.superseded }, { kind: "lost", connection: 4 }]);
  });

  it("makes a later connection the current one", ({ expect }) => {
    for (const current of [3, null]) expect(helloOnFour(current)).toEqual([{ kind: "hello", connection: 4 }]);
  });
});

describe("a message", () => {
  it("shows on the current connection that the terminal is there", ({ expect }) => {
    const shown = { heardAt: 1_000, probedAt: null };
    for (const [current, members] of [
      [4, shown],
      [5, {}],
      [null, {}],
    ] as const) {
      const updates: object[] = [];
      const connections = {
        noteArrival: (_socket: WebSocket, some: object) => void updates.push(some),
      };
      const context = { connections, lane: { currentConnection: current } } as unknown as TerminalContext;
      const attachment = { number: 4, saidHello: true, allowance: { frames: 5, at: 1_000 } } as TerminalAttachment;
      expect(chargeFrame(context, { socket: {} as WebSocket, attachment }, "ping", 1_000)).toBe(true);
      expect(updates).toEqual([{ allowance: { frames: 4, at: 1_000 }, ...members }]);
    }
  });
});
