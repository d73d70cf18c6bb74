/** What D1 is owed of a terminal's presence: decisions on what the object knows. */
import { describe, it } from "vitest";
import { owePresence, stateOf } from "../../src/terminal/presence.ts";
import type { TerminalRecord } from "../../src/terminal/storage/record.ts";

const NOW = 1_800_000_000_000;

interface Known {
  presence: TerminalRecord["presence"];
  currentConnection?: number | null;
  anyOpen?: boolean;
  /** When D1 is told of the end of the last connection. */
  notBefore?: number;
  leftVersion?: number;
}

/** What a turn does whose terminal was heard just now. */
function doneFor({ presence, currentConnection = null, anyOpen = true, notBefore = 0, leftVersion = 8 }: Known) {
  const done: string[] = [];
  const side = {
    records: {
      record: { presence, leftVersion },
      owing: { owed: 8, told: 7, notBefore },
      update: (members: Partial<TerminalRecord>) => void done.push(members.presence ?? "left"),
    },
    lane: { currentConnection },
    connections: { anyOpen, isHeardSince: () => true },
    untold: { of: () => [], owe: () => done.push("owe"), withdraw: () => done.push("withdraw") },
  };
  owePresence(side as unknown as Parameters<typeof owePresence>[0], NOW);
  return done;
}

describe("a terminal that is back", () => {
  it("is owed to D1, unless D1 was to be told of its end later, and of nothing else", ({ expect }) => {
    expect(doneFor({ presence: "absent", notBefore: NOW + 1 })).toEqual(["connected", "withdraw"]);
    expect(doneFor({ presence: "absent", notBefore: NOW })).toEqual(["connected", "owe"]);
    expect(doneFor({ presence: "absent", notBefore: NOW + 1, leftVersion: 7 })).toEqual(["connected", "owe"]);
  });
});

describe("a connected terminal", () => {
  it("is not absent while it has a current connection, or one that is open", ({ expect }) => {
    expect(doneFor({ presence: "connected" })).toEqual([]);
    expect(doneFor({ presence: "connected", currentConnection: 1, anyOpen: false })).toEqual([]);
    expect(doneFor({ presence: "connected", anyOpen: false })).toEqual(["absent", "owe", "left"]);
  });

  it("was heard on its connection last, and without one when the last connection was", ({ expect }) => {
    const record = { heardAt: 50, connectedAt: 40, sealedSecret: null } as TerminalRecord;
    expect([stateOf(record, 70).lastHeartbeat, stateOf(record, null).lastHeartbeat]).toEqual([70, 50]);
  });
});
