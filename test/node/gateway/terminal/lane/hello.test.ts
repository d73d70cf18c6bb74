/** What a terminal's hello proves about every request (I1, I2). */
import { describe, it } from "vitest";
import {
  sortOpenRequests,
  type LaneEvent,
  type LaneTransaction,
} from "../../../../../src/gateway/terminal/lane/index.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import {
  ACCEPTED,
  accepted,
  CONNECTION,
  ID,
  laneOf,
  MEMORY,
  NOW,
  OFFLINE,
  pending,
  queued,
  RECEIVED,
  sent,
  completed,
  completedWith,
  SENT,
  take,
  VERSIONS,
} from "../../../../support/gateway/terminal/lane/bench.ts";

const NEXT = CONNECTION + 1;
/** The moment from which a lagging terminal can no longer start what was sent now. */
const CERTAIN = NOW + 25 * SECOND;
const ERROR = { kind: "log", level: "error", requestId: ID, detail: undefined };
const FORGOTTEN = { ...ERROR, event: "accepted_request_forgotten" };
const CANCEL = { kind: "send-cancel", requestId: ID, attempt: 1 };

function hello(members: Partial<LaneEvent<"hello">> = {}): LaneEvent<"hello"> {
  const lists = { listed: new Set<number>(), listedButCompleted11: [] };
  return { kind: "hello", connection: NEXT, roundTrip: 0, memory: MEMORY, ...lists, ...VERSIONS, ...members };
}

/** What the hello of its own memory, which does not list the request, changes. */
function unlisted(row: LaneTransaction, now = NOW) {
  const { changes, effects } = take(laneOf([row], OFFLINE), hello(), now);
  return { change: changes[ID], effects };
}

const listed = hello({ listed: new Set([ID]) });
const stranger = hello({ memory: "another" });

describe("a hello", () => {
  it("makes its connection the current one, with the terminal's details", ({ expect }) => {
    const { lane } = take(
      laneOf([], { ...OFFLINE, lostAt: NOW - SECOND }),
      hello({ softwareVersion: "3", terminalSn: "4" }),
    );
    expect(lane.link).toEqual({
      current: { number: NEXT, memory: MEMORY, heardAt: NOW, roundTrip: 0, probedAt: null, pingedAt: null },
      lostAt: NOW - SECOND,
      softwareVersion: "3",
      terminalSn: "4",
    });
  });

  it("sends what is queued", ({ expect }) => {
    const { effects, changes } = take(laneOf([queued()], OFFLINE), listed);
    expect(effects).toEqual([{ kind: "send-request", requestId: ID }]);
    expect(changes[ID]).toMatchObject({ state: "sent", attempt: 1 });
    expect(changes[ID]).not.toHaveProperty("acceptanceProved");
  });

  it("changes nothing for a transaction that is completed at the same moment", ({ expect }) => {
    const undelivered = { at: NOW, responseCode: "CANCELLED" } as const;
    const { changes } = take(laneOf([sent({ undelivered, cancel: "wished" })], OFFLINE), hello());
    expect(changes[ID]).toMatchObject({ state: "completed", outcome: { responseCode: "CANCELLED" } });
  });
});

describe("a request that the terminal lists", () => {
  it("becomes accepted at hello", ({ expect }) => {
    const { changes, effects } = take(laneOf([sent()], OFFLINE), listed);
    expect(changes).toEqual({
      [ID]: { state: "accepted", acceptanceProved: true, stages: [RECEIVED, SENT, ACCEPTED] },
    });
    expect(effects).toEqual([]);
  });

  it("is accepted regardless of earlier decisions, and cancelled again", ({ expect }) => {
    const undelivered = { at: CERTAIN, responseCode: "CANCELLED" } as const;
    const { changes, effects } = take(laneOf([sent({ cancel: "wished", undelivered, reached: false })]), listed);
    expect(changes[ID]).toMatchObject({ state: "accepted", undelivered: null, reached: true });
    expect(effects).toEqual([CANCEL]);
  });

  it("needs nothing if already accepted, except an unanswered cancel", ({ expect }) => {
    expect(take(laneOf([accepted()], OFFLINE), listed)).toMatchObject({ changes: {}, effects: [] });
    const cancelled = accepted({ cancel: "wished", attempt: 3 });
    expect(take(laneOf([cancelled], OFFLINE), listed)).toMatchObject({
      changes: {},
      effects: [{ ...CANCEL, attempt: 3 }],
    });
    const answered = accepted({ cancel: "answered" });
    expect(take(laneOf([answered], OFFLINE), listed)).toMatchObject({ changes: {}, effects: [] });
  });

  it("stays pending, with proof of acceptance", ({ expect }) => {
    const unproved = pending({ acceptanceProved: false, pendingReason: "other-memory" });
    expect(take(laneOf([unproved], OFFLINE), listed).changes).toEqual({ [ID]: { acceptanceProved: true } });
    const decided = pending({ undelivered: { at: CERTAIN, responseCode: "NOT_DELIVERED" } });
    expect(take(laneOf([decided], OFFLINE), listed).changes).toEqual({ [ID]: { undelivered: null } });
    expect(take(laneOf([pending()], OFFLINE), listed).changes).toEqual({});
  });

  it("is stopped if it is completed as 11", ({ expect }) => {
    const { effects } = take(laneOf([], OFFLINE), hello({ listedButCompleted11: [{ requestId: ID, attempt: 2 }] }));
    expect(effects).toEqual([
      { ...ERROR, event: "completed_request_held" },
      { ...CANCEL, attempt: 2 },
    ]);
  });
});

describe("the list of a hello", () => {
  const rows: Record<number, LaneTransaction> = {
    1: accepted({ requestId: 1 }),
    2: completed("11", { requestId: 2, completedBy: "gateway", attempt: 4 }),
    3: completed("11", { requestId: 3 }),
    4: completed("00", { requestId: 4, completedBy: "operator" }),
    5: queued({ requestId: 5 }),
    7: completed("11", { requestId: 7, completedBy: "operator" }),
  };

  it("is sorted by the journal's rows", ({ expect }) => {
    expect(sortOpenRequests([1, 2, 3, 4, 5, 6, 7, 1, 6], (requestId) => rows[requestId] ?? null)).toEqual({
      listed: new Set([1]),
      listedButCompleted11: [
        { requestId: 2, attempt: 4 },
        { requestId: 7, attempt: 1 },
      ],
      unknown: [5, 6],
    });
  });
});

describe("a request that was sent, and that its own terminal does not list", () => {
  it("is sent again, as the next attempt", ({ expect }) => {
    const { change, effects } = unlisted(sent(), NOW + SECOND);
    const at = NOW + SECOND;
    expect(change).toEqual({
      attempt: 2,
      sending: { connection: NEXT, memory: MEMORY, at, deliverBy: at + 10 * SECOND },
      stages: [RECEIVED, SENT, { stage: "sent", at }],
    });
    expect(effects).toEqual([{ kind: "send-request", requestId: ID }]);
  });

  it("is sent again with thirty seconds left, and not with less", ({ expect }) => {
    expect(unlisted(sent({ endsAt: NOW + 30 * SECOND })).change).toMatchObject({ attempt: 2 });
    expect(unlisted(sent({ endsAt: NOW + 30 * SECOND - 1 })).change).toEqual({
      undelivered: { at: CERTAIN, responseCode: "NOT_DELIVERED" },
    });
  });

  it.for(["wished", "answered"] as const)("is not sent again once it is cancelled: %s", (cancel, { expect }) => {
    const { change, effects } = unlisted(sent({ cancel }));
    expect(change).toEqual({ undelivered: { at: CERTAIN, responseCode: "CANCELLED" } });
    expect(effects).toEqual([]);
  });

  it("is completed if a lagging terminal can no longer start it", ({ expect }) => {
    const cancelled = sent({ cancel: "wished" });
    expect(unlisted(cancelled, CERTAIN - 1).change).toHaveProperty("undelivered");
    expect(unlisted(cancelled, CERTAIN)).toEqual({
      change: { ...completedWith(cancelled, "CANCELLED", CERTAIN), cancel: "answered", reached: false },
      effects: [{ kind: "conclude", requestId: ID }],
    });
    const late = sent({ endsAt: CERTAIN + 20 * SECOND });
    expect(unlisted(late, CERTAIN).change).toEqual({
      ...completedWith(late, "NOT_DELIVERED", CERTAIN),
      reached: false,
    });
  });

  it("is not decided again", ({ expect }) => {
    const undelivered = { at: NOW + SECOND, responseCode: "CANCELLED" } as const;
    const row = sent({ undelivered, cancel: "wished" });
    expect(unlisted(row)).toEqual({ change: undefined, effects: [] });
    expect(take(laneOf([row], OFFLINE), stranger).changes).toEqual({});
  });
});

describe("a request that the terminal does not list though it accepted it", () => {
  it("becomes pending, since the terminal violates its duty", ({ expect }) => {
    const row = accepted({ cancel: "wished" });
    expect(unlisted(row)).toEqual({
      change: {
        state: "pending",
        pendingReason: "forgotten",
        revision: 1,
        stages: [...row.stages, { stage: "pending", at: NOW }],
      },
      effects: [FORGOTTEN, { kind: "conclude", requestId: ID }],
    });
  });

  it("stays pending if it was, and its cancel is sent again", ({ expect }) => {
    for (const pendingReason of ["reported", "forgotten", "mismatch"] as const) {
      expect(unlisted(pending({ pendingReason, acceptanceProved: false }))).toEqual({ change: undefined, effects: [] });
    }
    expect(unlisted(pending({ pendingReason: "other-memory", cancel: "wished" }))).toEqual({
      change: undefined,
      effects: [CANCEL],
    });
  });
});

describe("the hello of another memory", () => {
  it.for([
    ["was sent", sent()],
    ["was accepted", accepted()],
  ] as const)("leaves a request that %s pending, as it proves nothing", ([_what, row], { expect }) => {
    const { changes, effects } = take(laneOf([row], OFFLINE), stranger);
    expect(changes).toEqual({
      [ID]: {
        state: "pending",
        pendingReason: "other-memory",
        revision: 1,
        stages: [...row.stages, { stage: "pending", at: NOW }],
      },
    });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
  });

  it("leaves a pending request as it is", ({ expect }) => {
    const row = pending({ pendingReason: "other-memory", acceptanceProved: false, outcome: null });
    expect(take(laneOf([row], OFFLINE), stranger)).toMatchObject({ changes: {}, effects: [] });
  });

  it("is superseded by the original memory's hello, which lacks the request", ({ expect }) => {
    const row = pending({ pendingReason: "other-memory", acceptanceProved: false, outcome: null });
    expect(unlisted(row).change).toEqual({ undelivered: { at: CERTAIN, responseCode: "NOT_DELIVERED" } });
    const { change } = unlisted(row, CERTAIN);
    expect(change).toMatchObject({ state: "completed", pendingReason: null, reached: false });
  });
});

describe("a connection that ends", () => {
  it("leaves the terminal if it was the current one", ({ expect }) => {
    expect(take(laneOf([]), { kind: "lost", connection: CONNECTION }).lane.link).toEqual({ ...OFFLINE, lostAt: NOW });
    const lane = laneOf([]);
    expect(take(lane, { kind: "lost", connection: CONNECTION - 1 }).lane.link).toEqual(lane.link);
    expect(take(laneOf([], OFFLINE), { kind: "lost", connection: CONNECTION }).lane.link).toEqual(OFFLINE);
  });
});
