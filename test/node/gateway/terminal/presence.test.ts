/** What is enqueued for D1 of a terminal's presence: decisions on what the object has. */
import { describe, it } from "vitest";
import { enqueueTerminalState, STATE } from "../../../../src/gateway/terminal/outbox-entries.ts";
import { enqueuePresence, stateOf, PRESENCE_DELAY } from "../../../../src/gateway/terminal/presence.ts";
import type { TerminalRecord } from "../../../../src/gateway/terminal/storage/record.ts";
import { newOutbox } from "../durable/still-outbox.ts";

const NOW = 1_800_000_000_000;

/** A terminal that is connected and was heard just now, as D1 has it. */
function connected() {
  let record = { presence: "connected" } as TerminalRecord;
  const outbox = newOutbox();
  const side = {
    records: {
      get record() {
        return record;
      },
      update: (members: Partial<TerminalRecord>) => (record = { ...record, ...members }),
    },
    lane: { currentConnection: null as number | null },
    connections: { anyOpen: true, isHeardSince: () => true },
    outbox,
  };
  const notice = (anyOpen: boolean, now = NOW): void => {
    side.connections.anyOpen = anyOpen;
    enqueuePresence(side as unknown as Parameters<typeof enqueuePresence>[0], now);
  };
  /** In how many milliseconds D1 is updated; undefined: it lacks nothing. */
  const due = () => {
    const entry = outbox.find(STATE);
    return entry === null ? undefined : entry.nextAt - NOW;
  };
  return { presence: () => record.presence, outbox, side, notice, due };
}

describe("the end of a terminal's last connection", () => {
  it("reaches D1 ten seconds late if D1 lacks nothing else of it", ({ expect }) => {
    const { presence, notice, due } = connected();
    notice(false);
    expect([presence(), due()]).toEqual(["absent", PRESENCE_DELAY]);
  });

  it("reaches D1 at once if D1 lacks the object's state", ({ expect }) => {
    const { outbox, notice, due } = connected();
    enqueueTerminalState(outbox, NOW - 1);
    notice(false);
    expect(due()).toBe(0);
  });
});

describe("a terminal that is back", () => {
  it("leaves nothing to deliver if its end was not delivered yet", ({ expect }) => {
    const { presence, notice, due } = connected();
    notice(false);
    notice(true, NOW + PRESENCE_DELAY - 1);
    expect([presence(), due()]).toEqual(["connected", undefined]);
  });

  it("is delivered if its end may have reached D1", ({ expect }) => {
    const { notice, due } = connected();
    notice(false);
    notice(true, NOW + PRESENCE_DELAY);
    expect(due()).toBe(PRESENCE_DELAY);
  });

  it("is delivered if anything else has changed meanwhile", ({ expect }) => {
    const { outbox, notice, due } = connected();
    notice(false);
    enqueueTerminalState(outbox, NOW + 1);
    notice(true, NOW + 2);
    expect(due()).toBe(2);
  });
});

describe("a connected terminal", () => {
  it("is present while it has a current or an open connection", ({ expect }) => {
    const { side, notice, due } = connected();
    notice(true);
    side.lane.currentConnection = 1;
    notice(false);
    expect(due()).toBeUndefined();
  });

  it("has its connection's last message as heartbeat, or else the record's", ({ expect }) => {
    const record = { heardAt: 50, connectedAt: 40, sealedSecret: null } as TerminalRecord;
    expect([stateOf(record, 70).lastHeartbeat, stateOf(record, null).lastHeartbeat]).toEqual([70, 50]);
  });
});
