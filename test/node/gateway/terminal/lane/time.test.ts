/** What the passing of time does to the lane, when the object must wake up for it, and what is sent when. */
import { describe, it } from "vitest";
import { CLOSE } from "../../../../../src/protocol/close-codes.ts";
import { busyWith } from "../../../../../src/protocol/gateway-codes.ts";
import { ACCEPT_WITHIN, QUEUE_WAIT } from "../../../../../src/protocol/limits.ts";
import {
  isPrewarmUseful,
  nextDeadline,
  type ConnectionLink,
  type LaneTransaction,
  withActivity,
} from "../../../../../src/gateway/terminal/lane/index.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import {
  accepted,
  CONNECTION,
  ID,
  laneOf,
  LIFE,
  linkOf,
  MEMORY,
  NOW,
  OFFLINE,
  pending,
  queued,
  RECEIVED,
  sent,
  completedWith,
  take,
} from "../../../../support/gateway/terminal/lane/bench.ts";

const ALARM = { kind: "deadline" } as const;
const QUEUED = { stage: "queued", at: NOW };
const END = NOW + LIFE;

/** Its terminal accepted it, and its customer takes long. */
const atWork = (members: Partial<LaneTransaction> = {}) => accepted({ requestId: ID - 1, ...members });
const waiting = (members: Partial<LaneTransaction> = {}) => queued({ stages: [RECEIVED, QUEUED], ...members });

/** A lane without a transaction, with this about its connection. */
function idle(current: Partial<NonNullable<ConnectionLink["current"]>> = {}) {
  return laneOf([], linkOf(current));
}

function next(rows: LaneTransaction[], link = linkOf(), now = NOW) {
  return nextDeadline(laneOf(rows, link), now);
}

const late = (left: number) => {
  const row = waiting({ endsAt: NOW + left });
  return take(laneOf([row]), ALARM).changes[ID]?.state;
};

describe("a queued request", () => {
  it.for([
    ["busy", linkOf(), "TERMINAL_BUSY", { responseText: busyWith("a"), openReferenceId: "a" }],
    ["not connected", OFFLINE, "TERMINAL_OFFLINE", {}],
  ] as const)("is completed after ten seconds if the terminal is %s", ([_what, link, code, open], { expect }) => {
    const lane = laneOf([atWork(), waiting()], link);
    expect(take(lane, ALARM, NOW + QUEUE_WAIT - 1).changes).toEqual({});
    const { changes, effects } = take(lane, ALARM, NOW + QUEUE_WAIT);
    const completed = completedWith(waiting(), code, NOW + QUEUE_WAIT);
    expect(changes).toEqual({ [ID]: { ...completed, outcome: { ...completed.outcome, ...open } } });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
  });

  it("waits for ten seconds from its arrival, while enough time is left", ({ expect }) => {
    const received = (at: number, endsAt = END) =>
      nextDeadline(laneOf([waiting({ stages: [{ stage: "received", at }], endsAt })], OFFLINE), NOW);
    expect(received(NOW + 3 * SECOND)).toBe(NOW + 13 * SECOND);
    expect(received(NOW, NOW + 35 * SECOND)).toBe(NOW + 5 * SECOND + 1);
    expect(nextDeadline(laneOf([waiting({ stages: [] })], OFFLINE), NOW)).toBe(NOW + QUEUE_WAIT);
  });

  it("is sent with thirty seconds left, and completed with less", ({ expect }) => {
    expect(late(30 * SECOND)).toBe("sent");
    expect(late(30 * SECOND - 1)).toBe("completed");
  });

  it("is sent when the lane is free, ten seconds after the end", ({ expect }) => {
    const over = atWork({ endsAt: NOW - 10 * SECOND + 1, ended: true, cancel: "wished" });
    const lane = laneOf([over, waiting()]);
    expect(take(lane, ALARM).changes).toEqual({});
    expect(take(lane, ALARM, NOW + 1).effects).toEqual([{ kind: "send-request", requestId: ID }]);
    // A pending transaction does not hold the lane.
    expect(take(laneOf([pending({ requestId: ID - 1 }), waiting()]), ALARM).effects).toHaveLength(1);
  });

  it("is sent first with the lowest number, while others are queued", ({ expect }) => {
    const second = queued({ requestId: ID + 1 });
    const { changes, effects } = take(laneOf([second, waiting()]), ALARM);
    expect(effects).toEqual([{ kind: "send-request", requestId: ID }]);
    expect(changes).toEqual({
      [ID]: {
        state: "sent",
        attempt: 1,
        reached: true,
        sending: { connection: CONNECTION, memory: MEMORY, at: NOW, deliverBy: NOW + 10 * SECOND },
        stages: [RECEIVED, QUEUED, { stage: "sent", at: NOW }],
      },
      [ID + 1]: { stages: [RECEIVED, QUEUED] },
    });
    const inOrder = take(laneOf([waiting(), waiting({ requestId: ID + 1 })]), ALARM);
    expect(inOrder.effects).toEqual([{ kind: "send-request", requestId: ID }]);
    expect(Object.keys(inOrder.changes)).toEqual([String(ID)]);
  });
});

describe("a terminal that has been silent for ten seconds", () => {
  const silent = linkOf({ heardAt: NOW - 10 * SECOND });

  it("is probed before anything is sent, without queueing the request visibly", ({ expect }) => {
    const { changes, effects, lane } = take(laneOf([queued(), queued({ requestId: ID + 1 })], silent), ALARM);
    expect(effects).toEqual([{ kind: "probe", ping: true }]);
    expect(lane.link).toEqual(linkOf({ heardAt: NOW - 10 * SECOND, probedAt: NOW }));
    expect(changes).toEqual({ [ID + 1]: { stages: [RECEIVED, QUEUED] } });
    const again = take(lane, ALARM, NOW + 1);
    expect([again.changes, again.effects]).toEqual([{}, []]);
  });

  it("is not probed early, without a request, or while busy", ({ expect }) => {
    expect(take(laneOf([queued()], linkOf({ heardAt: NOW - 10 * SECOND + 1 })), ALARM).effects).toMatchObject([
      { kind: "send-request" },
    ]);
    expect(take(laneOf([], silent), ALARM).effects).toEqual([]);
    const { changes, effects } = take(laneOf([atWork(), queued()], silent), ALARM);
    expect(effects).toEqual([]);
    expect(changes).toEqual({ [ID]: { stages: [RECEIVED, QUEUED] } });
  });

  it("is disconnected two seconds after a probe that it did not answer", ({ expect }) => {
    const lane = laneOf([waiting()], linkOf({ heardAt: NOW - 10 * SECOND, probedAt: NOW }));
    expect(nextDeadline(lane, NOW)).toBe(NOW + 2 * SECOND);
    expect(take(lane, ALARM, NOW + 2 * SECOND - 1).effects).toEqual([]);
    const { changes, effects, lane: after } = take(lane, ALARM, NOW + 2 * SECOND);
    expect(effects).toEqual([
      { kind: "close", connection: CONNECTION, code: CLOSE.silent, reason: "no answer to ping" },
    ]);
    expect(after.link).toEqual({ ...OFFLINE, lostAt: NOW + 2 * SECOND });
    expect(changes).toEqual({});
  });
});

describe("the time of a terminal's last message", () => {
  it("counts if it is newer", ({ expect }) => {
    expect(withActivity(linkOf(), NOW + 1)).toEqual(linkOf({ heardAt: NOW + 1 }));
    const link = linkOf();
    expect(withActivity(link, NOW)).toBe(link);
    expect(withActivity(link, NOW - 1)).toBe(link);
    expect(withActivity(OFFLINE, NOW)).toBe(OFFLINE);
  });

  it("answers a probe that was sent before it", ({ expect }) => {
    expect(withActivity(linkOf({ probedAt: NOW + 2 }), NOW + 2)).toEqual(linkOf({ heardAt: NOW + 2 }));
    expect(withActivity(linkOf({ probedAt: NOW + 2 }), NOW + 1)).toEqual(
      linkOf({ heardAt: NOW + 1, probedAt: NOW + 2 }),
    );
    expect(withActivity(linkOf({ pingedAt: NOW + 2 }), NOW + 2)).toEqual(linkOf({ heardAt: NOW + 2 }));
    expect(withActivity(linkOf({ pingedAt: NOW + 2 }), NOW + 1)).toEqual(
      linkOf({ heardAt: NOW + 1, pingedAt: NOW + 2 }),
    );
  });
});

const isUseful = (link: ConnectionLink): boolean => isPrewarmUseful(link, NOW);

describe("a ping ahead of a request that may come", () => {
  const silent = { heardAt: NOW - 10 * SECOND };

  it("is useful only for silent terminals, once every ten seconds", ({ expect }) => {
    expect(isUseful(linkOf(silent))).toBe(true);
    expect(isUseful(linkOf({ heardAt: NOW - 10 * SECOND + 1 }))).toBe(false);
    expect(isUseful(OFFLINE)).toBe(false);
    expect(isUseful(linkOf({ ...silent, probedAt: NOW - 1 }))).toBe(false);
    const pingedAt = NOW - 10 * SECOND;
    expect(isUseful(linkOf({ ...silent, pingedAt: pingedAt + 1 }))).toBe(false);
    expect(isUseful(linkOf({ ...silent, pingedAt }))).toBe(true);
  });

  it("serves as the probe of a request within ten seconds", ({ expect }) => {
    const link = linkOf({ heardAt: NOW - 60 * SECOND, pingedAt: NOW - 10 * SECOND + 1 });
    const { effects, lane } = take(laneOf([queued()], link), ALARM);
    expect(effects).toEqual([{ kind: "probe", ping: false }]);
    expect(nextDeadline(lane, NOW)).toBe(NOW + 2 * SECOND);
    const tooOld = linkOf({ heardAt: NOW - 60 * SECOND, pingedAt: NOW - 10 * SECOND });
    expect(take(laneOf([queued()], tooOld), ALARM).effects).toEqual([{ kind: "probe", ping: true }]);
  });

  it("has no deadline, and ends no connection if unanswered", ({ expect }) => {
    const lane = idle({ ...silent, pingedAt: NOW });
    expect(nextDeadline(lane, NOW)).toBeNull();
    const { changes, effects, lane: after } = take(lane, ALARM, NOW + 60 * SECOND);
    expect([changes, effects, after]).toEqual([{}, [], lane]);
  });
});

describe("a request that was sent", () => {
  it("must be accepted within ten seconds, or its connection is closed", ({ expect }) => {
    const lane = laneOf([sent()]);
    expect(take(lane, ALARM, NOW + ACCEPT_WITHIN - 1).effects).toEqual([]);
    const { changes, effects, lane: after } = take(lane, ALARM, NOW + ACCEPT_WITHIN);
    expect(effects).toEqual([
      { kind: "close", connection: CONNECTION, code: CLOSE.silent, reason: "no accepted in time" },
    ]);
    expect(changes).toEqual({});
    expect(after.link).toEqual({ ...OFFLINE, lostAt: NOW + ACCEPT_WITHIN });
  });

  it("closes nothing if accepted, or on an earlier connection", ({ expect }) => {
    const lane = laneOf([accepted(), sent({ requestId: ID + 1 })], linkOf({ number: CONNECTION + 1 }));
    expect(take(lane, ALARM, NOW + ACCEPT_WITHIN)).toMatchObject({ changes: {}, effects: [] });
    expect(take(laneOf([accepted()]), ALARM, NOW + ACCEPT_WITHIN)).toMatchObject({ changes: {}, effects: [] });
  });

  it("is cancelled ten seconds before its end, once", ({ expect }) => {
    const lane = laneOf([accepted({ attempt: 2 })]);
    expect(take(lane, ALARM, END - 10 * SECOND - 1)).toMatchObject({ changes: {}, effects: [] });
    const { changes, effects, lane: after } = take(lane, ALARM, END - 10 * SECOND);
    expect(changes).toEqual({ [ID]: { cancel: "wished" } });
    expect(effects).toEqual([{ kind: "send-cancel", requestId: ID, attempt: 2 }]);
    expect(take(after, ALARM, END - 1)).toMatchObject({ changes: {}, effects: [] });
  });

  it("is cancelled also without a connection, for the next hello", ({ expect }) => {
    const { changes, effects } = take(laneOf([accepted()], OFFLINE), ALARM, END - 10 * SECOND);
    expect(changes).toEqual({ [ID]: { cancel: "wished" } });
    expect(effects).toEqual([]);
  });

  it("is ended at its end, once, and its POS gets a 22", ({ expect }) => {
    const lane = laneOf([accepted({ cancel: "wished" })]);
    const { changes, effects, lane: after } = take(lane, ALARM, END);
    expect(changes).toEqual({ [ID]: { ended: true, revision: 1 } });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
    expect(take(after, ALARM, END + 1)).toMatchObject({ changes: {}, effects: [] });
  });

  it("is completed, if undelivered, when no late report can come", ({ expect }) => {
    const at = NOW + 25 * SECOND;
    for (const [cancel, responseCode] of [
      ["wished", "CANCELLED"],
      ["none", "NOT_DELIVERED"],
    ] as const) {
      const row = sent({ cancel, undelivered: { at, responseCode } });
      const lane = laneOf([row], linkOf({ number: CONNECTION + 1 }));
      expect(take(lane, ALARM, at - 1).changes).toEqual({});
      expect(take(lane, ALARM, at).changes[ID]).toEqual({
        ...completedWith(row, responseCode, at),
        undelivered: null,
        reached: false,
        ...(cancel === "wished" ? { cancel: "answered" } : {}),
      });
    }
  });
});

describe("the next deadline", () => {
  it("is none for an idle lane, or a wait without limit", ({ expect }) => {
    expect(next([])).toBeNull();
    expect(next([pending()])).toBeNull();
  });

  it("ends the wait of a queued request", ({ expect }) => {
    expect(next([queued()])).toBe(NOW + QUEUE_WAIT);
  });

  it("limits a sent request's acceptance on its connection, then its cancel", ({ expect }) => {
    const cancelAt = END - 10 * SECOND;
    expect(next([sent()])).toBe(NOW + ACCEPT_WITHIN);
    expect(next([sent()], linkOf({ number: CONNECTION + 1 }))).toBe(cancelAt);
    expect(next([sent()], OFFLINE)).toBe(cancelAt);
    expect(next([accepted()])).toBe(cancelAt);
  });

  it("is the end of a cancelled request, and none after it", ({ expect }) => {
    expect(next([accepted({ cancel: "wished" })])).toBe(END);
    expect(next([accepted({ cancel: "wished", ended: true })])).toBeNull();
  });

  it("settles the decision about an undelivered request", ({ expect }) => {
    const undelivered = { at: NOW + 25 * SECOND, responseCode: "NOT_DELIVERED" } as const;
    expect(next([sent({ undelivered })], OFFLINE)).toBe(NOW + 25 * SECOND);
    expect(next([pending({ undelivered })], OFFLINE)).toBe(NOW + 25 * SECOND);
  });

  it("is the end of the lane's use for a waiting request", ({ expect }) => {
    const over = atWork({ endsAt: NOW - 5 * SECOND, ended: true, cancel: "wished" });
    expect(next([over, waiting()])).toBe(NOW + 5 * SECOND);
    expect(next([over])).toBeNull();
    expect(next([over, waiting()], linkOf(), NOW + 5 * SECOND)).toBe(NOW + QUEUE_WAIT);
  });

  it("is the earliest of all transactions", ({ expect }) => {
    const later = accepted({ requestId: ID + 1, endsAt: END + SECOND });
    expect(next([later, accepted(), { ...later, requestId: ID + 2 }])).toBe(END - 10 * SECOND);
  });
});
