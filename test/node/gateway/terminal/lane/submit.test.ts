/** A request that arrives: its row, its first answer, and every reason not to send it. */
import { describe, it } from "vitest";
import { busyWith, GATEWAY_CODES, TOO_MANY_PENDING } from "../../../../../src/protocol/gateway-codes.ts";
import { QUEUE_LENGTH, REPLAY_LIFE, PENDING_TRANSACTIONS } from "../../../../../src/protocol/limits.ts";
import { FORGOTTEN_REFERENCE, NOT_BOUND, usedLongAgo, usedOtherwise } from "../../../../../src/protocol/refusals.ts";
import { gatewayAnswer } from "../../../../../src/protocol/transactions.ts";
import type { LaneEvent, LaneTransaction } from "../../../../../src/gateway/terminal/lane/index.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import {
  accepted,
  ARRIVAL,
  CONNECTION,
  ID,
  KNOWN_DATA,
  laneOf,
  LIFE,
  linkOf,
  MEMORY,
  NOW,
  OFFLINE,
  pending,
  queued,
  RECEIVED,
  reported,
  sent,
  completed,
  completedWith,
  take,
  TERMS,
  VERSIONS,
} from "../../../../support/gateway/terminal/lane/bench.ts";

const QUEUED = { stage: "queued", at: NOW };
const WAITS = { kind: "waiting", forMilliseconds: LIFE + 5 * SECOND };

function submit(members: Partial<LaneEvent<"submit">> = {}): LaneEvent<"submit"> {
  return {
    ...ARRIVAL,
    kind: "submit",
    requestId: ID,
    transType: "sale",
    terms: TERMS,
    details: {},
    known: null,
    stopped: false,
    greeting: false,
    target: null,
    otherVoids: [],
    ...members,
  };
}

/** As many other rows as are asked for, with numbers below that of the request. */
function others(count: number, row: (members: Partial<LaneTransaction>) => LaneTransaction): LaneTransaction[] {
  return Array.from({ length: count }, (_, index) => row({ requestId: ID - count + index, referenceId: `o${index}` }));
}

/** An answer of the gateway about the sale, with what is known about it. */
function answer(code: keyof typeof GATEWAY_CODES) {
  return { ...gatewayAnswer(code, VERSIONS), transData: KNOWN_DATA };
}

const lives = (arrivedAt: number) => {
  const { receivedAt, endsAt } = take(laneOf([]), submit({ arrivedAt })).changes[ID] ?? {};
  return [receivedAt, endsAt];
};

const behind = (count: number) => [accepted({ requestId: ID - 100 }), ...others(count, queued)];

const pendingLane = (count: number) => laneOf(others(count, pending));

const voids = (members: Partial<LaneEvent<"submit">>) =>
  take(laneOf([]), submit({ transType: "void", terms: { transId: "5" }, ...members }));

const otherVoid = (members: Partial<LaneTransaction>) =>
  completed("11", { requestId: 6, transType: "void", ...members });

const due = (members: Partial<LaneTransaction> = {}) =>
  sent({ cancel: "wished", undelivered: { at: NOW, responseCode: "CANCELLED" }, ...members });

describe("a request for a connected terminal that is free", () => {
  it("is stored and sent in one step, and its POS waits", ({ expect }) => {
    const { changes, effects, reply } = take(laneOf([]), submit());
    expect(changes).toEqual({ [ID]: sent() });
    expect(changes[ID]?.sending).toEqual({
      connection: CONNECTION,
      memory: MEMORY,
      at: NOW,
      deliverBy: NOW + 10 * SECOND,
    });
    expect(effects).toEqual([{ kind: "send-request", requestId: ID }]);
    expect(reply).toEqual({ ...WAITS, transaction: sent(), standing: answer("IN_PROGRESS") });
  });

  it("is stored with every member", ({ expect }) => {
    expect(take(laneOf([], OFFLINE), submit({ greeting: true })).changes[ID]).toStrictEqual({
      requestId: ID,
      posId: "P",
      referenceId: "a",
      transType: "sale",
      terms: TERMS,
      details: {},
      frozen: queued().frozen,
      receivedAt: NOW,
      endsAt: NOW + LIFE,
      state: "queued",
      attempt: 0,
      sending: null,
      acceptanceProved: false,
      reached: false,
      cancel: "none",
      undelivered: null,
      ended: false,
      detached: false,
      askedAt: null,
      pendingReason: null,
      outcome: null,
      completedBy: null,
      resolvedBy: null,
      completedAt: null,
      revision: 0,
      stages: [RECEIVED, QUEUED],
    });
  });

  it("continues without its POS if the POS chooses so", ({ expect }) => {
    expect(take(laneOf([]), submit({ detached: true })).changes[ID]?.detached).toBe(true);
  });

  it("lives from its arrival at the Worker, within the object's own clock", ({ expect }) => {
    expect(lives(NOW - 20 * SECOND)).toEqual([NOW - 20 * SECOND, NOW + 70 * SECOND]);
    expect(lives(NOW + 20 * SECOND)).toEqual([NOW, NOW + LIFE]);
    expect(lives(NOW - 2 * LIFE)).toEqual([NOW - LIFE, NOW]);
  });

  it("keeps its POS waiting until the margin after its end", ({ expect }) => {
    const { reply } = take(laneOf([sent()]), submit({ known: sent() }), NOW + LIFE - 1);
    expect(reply).toMatchObject({ kind: "waiting", forMilliseconds: 5 * SECOND + 1 });
  });
});

describe("a request that is not sent at once", () => {
  it("waits behind the current one, and is shown as queued", ({ expect }) => {
    const { changes, effects, reply } = take(laneOf([accepted({ requestId: ID - 1 })]), submit());
    expect(changes).toEqual({ [ID]: queued({ stages: [RECEIVED, QUEUED] }) });
    expect(effects).toEqual([]);
    expect(reply).toMatchObject(WAITS);
  });

  it("waits for a connected terminal that has not sent its hello", ({ expect }) => {
    expect(take(laneOf([], OFFLINE), submit({ greeting: true })).changes[ID]).toMatchObject({ state: "queued" });
  });

  it.for([
    [0, "queued"],
    [15 * SECOND - 1, "queued"],
    [15 * SECOND, "completed"],
  ] as const)("waits for a terminal that disconnected %i ms ago, %s", ([ago, state], { expect }) => {
    const { changes } = take(laneOf([], { ...OFFLINE, lostAt: NOW - ago }), submit());
    expect(changes[ID]?.state).toBe(state);
  });

  it("is completed as offline if no terminal is connected", ({ expect }) => {
    const { changes, effects, reply } = take(laneOf([], OFFLINE), submit());
    const row = { ...queued(), ...completedWith(queued(), "TERMINAL_OFFLINE") };
    expect(changes).toEqual({ [ID]: row });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
    expect(reply).toEqual({
      kind: "answered",
      transaction: row,
      outcome: answer("TERMINAL_OFFLINE"),
      replayed: false,
    });
  });

  it("is completed as busy if the queue is full", ({ expect }) => {
    expect(take(laneOf(behind(QUEUE_LENGTH - 1)), submit()).changes[ID]?.state).toBe("queued");
    expect(take(laneOf(behind(QUEUE_LENGTH)), submit()).changes[ID]).toMatchObject({
      ...completedWith(queued(), "TERMINAL_BUSY"),
      outcome: { ...gatewayAnswer("TERMINAL_BUSY", VERSIONS), responseText: busyWith("a"), openReferenceId: "a" },
    });
  });

  it("is completed as busy if the terminal has too many pending transactions", ({ expect }) => {
    expect(take(pendingLane(PENDING_TRANSACTIONS - 1), submit()).changes[ID]?.state).toBe("sent");
    const { changes, reply } = take(pendingLane(PENDING_TRANSACTIONS), submit());
    expect(changes[ID]).toEqual({
      ...queued(),
      ...completedWith(queued(), "TERMINAL_BUSY"),
      outcome: { ...gatewayAnswer("TERMINAL_BUSY", VERSIONS), responseText: TOO_MANY_PENDING },
    });
    expect(reply).toMatchObject({ kind: "answered", outcome: { responseText: TOO_MANY_PENDING } });
  });

  it("is completed at once if its channel is inactive", ({ expect }) => {
    const { changes } = take(laneOf([]), submit({ channel: "inactive" }));
    expect(changes[ID]).toMatchObject(completedWith(queued(), "CHANNEL_INACTIVE"));
  });
});

describe("a request that was admitted before its account was suspended or deleted", () => {
  it.for([true, false])("is completed as cancelled and never sent; the terminal bound: %s", (bound, { expect }) => {
    const { changes, effects, reply } = take(laneOf([]), submit({ stopped: true, bound }));
    expect(changes[ID]).toMatchObject(completedWith(queued(), "CANCELLED"));
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
    expect(reply).toMatchObject({ kind: "answered", outcome: { statusCode: "11", responseCode: "CANCELLED" } });
  });
});

describe("a request that is refused", () => {
  it.for([
    ["because the terminal is not bound", { bound: false }, 40000, [NOT_BOUND]],
    [
      "because its message has problems",
      { problems: [{ path: "p", message: "m" }] },
      40000,
      [{ path: "p", message: "m" }],
    ],
    ["because its reference is used and forgotten", { recorded: true }, 40009, [FORGOTTEN_REFERENCE]],
    ["because nobody knows whether its channel can be used", { channel: "unread" }, 50000, []],
  ] as const)("leaves no row if refused %s", ([_why, members, code, problems], { expect }) => {
    const { changes, effects, reply } = take(
      laneOf([]),
      submit({ ...members, problems: "problems" in members ? [...members.problems] : [] }),
    );
    expect(reply).toEqual({ kind: "refused", code, problems });
    expect([changes, effects]).toEqual([{}, []]);
  });
});

describe("a void", () => {
  const target = completed("00", { requestId: 5 });

  it("is sent for an approved payment", ({ expect }) => {
    const { changes, reply } = voids({ target, otherVoids: [otherVoid({}), otherVoid({ requestId: 7 })] });
    expect(changes[ID]).toMatchObject({ state: "sent", transType: "void" });
    // The answer about a void does not name the payment, which is not voided yet.
    expect(reply).toMatchObject({ standing: gatewayAnswer("IN_PROGRESS", VERSIONS) });
    expect(reply).not.toHaveProperty("standing.transData");
  });

  it.for([
    ["nothing", { target: null }, "TRANSACTION_NOT_FOUND"],
    ["another void", { target: completed("00", { transType: "void" }) }, "TRANSACTION_NOT_FOUND"],
    ["a tombstone", { target: completed("11", { transType: null }) }, "TRANSACTION_NOT_FOUND"],
    ["a declined payment", { target: completed("11") }, "NOT_VOIDABLE"],
    ["an open payment", { target: pending() }, "NOT_VOIDABLE"],
    ["an open payment whose terminal last said 00", { target: pending({ outcome: reported("00") }) }, "NOT_VOIDABLE"],
    ["a payment that is being sent", { target: sent() }, "NOT_VOIDABLE"],
    [
      "a payment that an open void is about",
      { target, otherVoids: [otherVoid({}), pending({ requestId: 7, transType: "void" })] },
      "NOT_VOIDABLE",
    ],
    [
      "a payment that is voided",
      { target, otherVoids: [otherVoid({}), otherVoid({ requestId: 7, outcome: reported("00") })] },
      "ALREADY_VOIDED",
    ],
    [
      "a payment whose void the terminal last reported as 00, in a result that it takes back",
      { target, otherVoids: [pending({ requestId: 7, transType: "void", outcome: reported("00") })] },
      "NOT_VOIDABLE",
    ],
  ] as const)("is not sent for %s", ([_what, members, code], { expect }) => {
    const otherVoids = "otherVoids" in members ? [...members.otherVoids] : [];
    const { changes, reply } = voids({ ...members, otherVoids });
    expect(changes[ID]).toMatchObject({ state: "completed", outcome: { statusCode: "11", responseCode: code } });
    expect(reply).toMatchObject({ kind: "answered", outcome: gatewayAnswer(code, VERSIONS) });
  });
});

describe("a request that is sent again", () => {
  it("joins the request in progress, which is stored once", ({ expect }) => {
    const known = accepted();
    const { changes, effects, reply } = take(laneOf([known]), submit({ known }), NOW + SECOND);
    expect([changes, effects]).toEqual([{}, []]);
    expect(reply).toEqual({
      kind: "waiting",
      transaction: known,
      forMilliseconds: LIFE + 4 * SECOND,
      standing: answer("IN_PROGRESS"),
    });
  });

  it("joins a queued request, which can then continue without a POS", ({ expect }) => {
    const known = queued({ stages: [RECEIVED, QUEUED] });
    const lane = laneOf([accepted({ requestId: ID - 1 }), known]);
    expect(take(lane, submit({ known })).changes).toEqual({});
    const { changes, reply } = take(lane, submit({ known, detached: true }));
    expect(changes).toEqual({ [ID]: { detached: true } });
    expect(reply).toMatchObject(WAITS);
  });

  it("gets the stored answer, marked as replayed", ({ expect }) => {
    const known = completed("00");
    const { changes, effects, reply } = take(laneOf([]), submit({ known }));
    expect([changes, effects]).toEqual([{}, []]);
    expect(reply).toEqual({ kind: "answered", transaction: known, outcome: known.outcome, replayed: true });
  });

  it("gets the gateway's own stored answer with the transaction's details", ({ expect }) => {
    const known = { ...queued(), ...completedWith(queued(), "TERMINAL_OFFLINE") };
    expect(take(laneOf([]), submit({ known })).reply).toMatchObject({ outcome: answer("TERMINAL_OFFLINE") });
  });

  it("gets its tombstone's answer for any type and amount, even days later", ({ expect }) => {
    const known = completed("11", { transType: null, terms: {}, receivedAt: NOW - 2 * REPLAY_LIFE });
    const { reply } = take(laneOf([]), submit({ known }));
    expect(reply).toMatchObject({ kind: "answered", transaction: known, replayed: true });
  });

  it.for([
    ["type", { transType: "cashOut" }],
    ["amount", { terms: { ...TERMS, transAmt: "10.01" } }],
    ["cash", { terms: { ...TERMS, cashAmt: "1.00" } }],
    ["method", { terms: { ...TERMS, paymentMethod: "eWallet" } }],
    ["channel", { terms: { ...TERMS, paymentChannel: "X" } }],
    ["target", { terms: { ...TERMS, transId: "5" } }],
  ] as const)("is refused with another %s", ([_what, members], { expect }) => {
    const { changes, reply } = take(laneOf([accepted()]), submit({ known: accepted(), ...members }));
    expect(changes).toEqual({});
    expect(reply).toEqual({ kind: "refused", code: 40009, problems: [usedOtherwise("sale", ID, true)] });
    const ended = take(laneOf([]), submit({ known: completed("11"), ...members })).reply;
    expect(ended).toEqual({ kind: "refused", code: 40009, problems: [usedOtherwise("sale", ID, false)] });
  });

  it("is the same within 24 hours, and refused with its day later", ({ expect }) => {
    for (const known of [completed("00"), pending()]) {
      const lane = laneOf([known]);
      expect(take(lane, submit({ known }), NOW + REPLAY_LIFE).reply).not.toMatchObject({ kind: "refused" });
      expect(take(lane, submit({ known }), NOW + REPLAY_LIFE + 1).reply).toEqual({
        kind: "refused",
        code: 40009,
        problems: [usedLongAgo(NOW, known.state === "pending")],
      });
    }
  });

  it("is joined or replayed regardless of its channel's current state", ({ expect }) => {
    for (const channel of ["inactive", "unread"] as const) {
      const replay = take(laneOf([]), submit({ known: completed("00"), channel })).reply;
      expect(replay).toMatchObject({ kind: "answered", replayed: true });
      const joined = take(laneOf([accepted()]), submit({ known: accepted(), channel })).reply;
      expect(joined).toMatchObject({ kind: "waiting" });
    }
  });

  it("asks the terminal about an open one, at most every five seconds", ({ expect }) => {
    const known = pending({ attempt: 2 });
    const { changes, effects, reply, lane } = take(laneOf([known]), submit({ known }));
    expect(changes).toEqual({ [ID]: { askedAt: NOW } });
    expect(effects).toEqual([{ kind: "send-ask", requestId: ID, attempt: 2 }]);
    expect(reply).toMatchObject({ kind: "waiting", forMilliseconds: 10 * SECOND, standing: known.outcome });
    const asked = lane.open.get(ID) ?? known;
    const again = take(lane, submit({ known: asked }), NOW + 5 * SECOND - 1);
    expect([again.changes, again.effects]).toEqual([{}, []]);
    expect(again.reply).toEqual({ kind: "answered", transaction: asked, outcome: known.outcome, replayed: false });
    expect(take(lane, submit({ known: asked }), NOW + 5 * SECOND).effects).toHaveLength(1);
  });

  it("asks about a transaction that is past its end or pending", ({ expect }) => {
    for (const known of [accepted({ ended: true, cancel: "wished", revision: 1 }), pending({ ended: false })]) {
      expect(take(laneOf([known]), submit({ known })).effects).toMatchObject([{ kind: "send-ask" }]);
    }
  });

  it("gets the 22 of an open transaction while its terminal is offline", ({ expect }) => {
    const known = pending({ pendingReason: "other-memory", outcome: null });
    const { changes, effects, reply } = take(laneOf([known], OFFLINE), submit({ known }));
    expect([changes, effects]).toEqual([{}, []]);
    expect(reply).toEqual({ kind: "answered", transaction: known, outcome: answer("UNCONFIRMED"), replayed: false });
  });

  it("distinguishes a timeout from a lost connection", ({ expect }) => {
    const known = accepted({ ended: true, cancel: "wished", askedAt: NOW });
    const told = (link = linkOf()) => take(laneOf([known], link), submit({ known })).reply;
    expect(told()).toMatchObject({ outcome: { responseCode: "TERMINAL_TIMEOUT" } });
    expect(told(OFFLINE)).toMatchObject({ outcome: { responseCode: "TERMINAL_LOST" } });
  });
});

describe("a row that was looked up before its time passed in the same step", () => {
  /** Its time has come: nobody can report it any more. */

  it("is replayed as it is completed now", ({ expect }) => {
    const { reply, effects } = take(laneOf([due()]), submit({ known: due() }));
    expect(reply).toMatchObject({ kind: "answered", outcome: { responseCode: "CANCELLED" }, replayed: true });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
  });

  it("no longer blocks another void", ({ expect }) => {
    const other = due({ requestId: 7, transType: "void" });
    const event = submit({ transType: "void", target: completed("00", { requestId: 5 }), otherVoids: [other] });
    expect(take(laneOf([other]), event).changes[ID]?.state).toBe("sent");
  });

  it("is replaced by the lane's row, which is newer", ({ expect }) => {
    const { changes } = take(laneOf([accepted({ ended: true, cancel: "wished" })]), submit({ known: sent() }));
    expect(changes).toEqual({ [ID]: { askedAt: NOW } });
  });
});
