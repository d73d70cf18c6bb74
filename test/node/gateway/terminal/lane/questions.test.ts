/** Cancels, inquiries, and what ends a request from outside: a POS that hangs up, a suspended account, the operator. */
import { describe, it } from "vitest";
import { FORGOTTEN_REFERENCE, NOT_BOUND, UNKNOWN_TRANS_ID } from "../../../../../src/protocol/refusals.ts";
import { gatewayAnswer } from "../../../../../src/protocol/transactions.ts";
import type { LaneEvent } from "../../../../../src/gateway/terminal/lane/index.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import {
  accepted,
  ARRIVAL,
  ID,
  KNOWN_DATA,
  laneOf,
  LIFE,
  NOW,
  OFFLINE,
  pending,
  queued,
  reported,
  sent,
  completed,
  completedWith,
  take,
  VERSIONS,
} from "../../../../support/gateway/terminal/lane/bench.ts";

const PROBLEM = { path: "p", message: "m" };
const QUESTION = { ...ARRIVAL, requestId: ID + 1, hasTransactions: true };

function cancel(members: Partial<LaneEvent<"cancel">> = {}): LaneEvent<"cancel"> {
  return { ...QUESTION, kind: "cancel", known: null, ...members };
}

function inquire(members: Partial<LaneEvent<"inquire">> = {}): LaneEvent<"inquire"> {
  const named = { namedTransId: 1_000_000_007, namedReferenceId: null };
  return { ...QUESTION, kind: "inquire", transType: "inquiry", ...named, target: null, ...members };
}

/** A reference that must never be sent. */
const TOMBSTONE = {
  ...queued({
    requestId: ID + 1,
    transType: null,
    terms: {},
    frozen: { merchantId: "M", currency: "MYR", timezone: "UTC" },
  }),
  ...completedWith(queued(), "CANCELLED"),
  revision: 0,
};

describe("a cancel", () => {
  it("completes a queued request, which is never sent", ({ expect }) => {
    const known = queued();
    const { changes, effects, reply } = take(laneOf([known], OFFLINE), cancel({ known }));
    expect(changes).toEqual({ [ID]: { ...completedWith(known, "CANCELLED"), cancel: "answered" } });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
    expect(reply).toMatchObject({
      kind: "answered",
      outcome: { ...gatewayAnswer("CANCELLED", VERSIONS), transData: KNOWN_DATA },
      replayed: false,
    });
  });

  it("is stored, sent and awaited for a sent request", ({ expect }) => {
    const known = sent({ attempt: 2 });
    const { changes, effects, reply } = take(laneOf([known]), cancel({ known }));
    expect(changes).toEqual({ [ID]: { cancel: "wished", askedAt: NOW } });
    expect(effects).toEqual([{ kind: "send-cancel", requestId: ID, attempt: 2 }]);
    expect(reply).toMatchObject({ kind: "waiting", forMilliseconds: 10 * SECOND });
  });

  it("is stored, and sent with the next hello of a disconnected terminal", ({ expect }) => {
    const known = accepted();
    const { changes, effects } = take(laneOf([known], OFFLINE), cancel({ known }));
    expect(changes).toEqual({ [ID]: { cancel: "wished", askedAt: NOW } });
    expect(effects).toEqual([]);
  });

  it.for([
    ["the terminal was asked", { askedAt: NOW - 1 }, 1],
    ["the gateway's own cancel was sent", { cancel: "wished" }, 1],
    ["the last one was sent", { cancel: "wished", askedAt: NOW - 1 }, 0],
    ["the last one was answered", { cancel: "answered", askedAt: NOW - 1 }, 1],
  ] as const)("is sent at most every five seconds: just before, %s", ([_what, members, sendings], { expect }) => {
    const known = accepted(members);
    expect(take(laneOf([known]), cancel({ known })).effects).toHaveLength(sendings);
  });

  it("gets the answer of a completed transaction", ({ expect }) => {
    const known = completed("00");
    const { changes, effects, reply } = take(laneOf([]), cancel({ known }));
    expect([changes, effects]).toEqual([{}, []]);
    expect(reply).toEqual({ kind: "answered", transaction: known, outcome: known.outcome, replayed: true });
  });
});

describe("a reference that is cancelled or asked about before its request arrives", () => {
  it.for([
    ["cancelled", cancel()],
    ["asked about", inquire({ namedReferenceId: "a" })],
  ] as const)("is written down and never sent: %s", ([_what, event], { expect }) => {
    const { changes, effects, reply } = take(laneOf([]), event);
    expect(changes).toEqual({ [ID + 1]: TOMBSTONE });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID + 1 }]);
    expect(reply).toEqual({
      kind: "answered",
      transaction: TOMBSTONE,
      outcome: gatewayAnswer("CANCELLED", VERSIONS),
      replayed: false,
    });
  });

  it.for([
    [
      "the account has neither the terminal nor a transaction",
      { bound: false, hasTransactions: false },
      40000,
      NOT_BOUND,
    ],
    ["the message has a problem", { problems: [PROBLEM] }, 40000, PROBLEM],
  ] as const)("is refused if %s", ([_why, given, code, problem], { expect }) => {
    const members = { ...given, problems: "problems" in given ? [...given.problems] : [] };
    for (const event of [cancel(members), inquire({ ...members, namedReferenceId: "a" })]) {
      const { changes, reply } = take(laneOf([]), event);
      expect(reply).toEqual({ kind: "refused", code, problems: [problem] });
      expect(changes).toEqual({});
    }
  });

  it.for([
    { bound: true, hasTransactions: false },
    { bound: false, hasTransactions: true },
  ])("needs a binding or a transaction on the device: %o", (members, { expect }) => {
    expect(take(laneOf([]), cancel(members)).reply).toMatchObject({ kind: "answered" });
    expect(take(laneOf([]), inquire({ ...members, namedReferenceId: "a" })).reply).toMatchObject({ kind: "answered" });
  });
});

describe("an inquiry", () => {
  it("gets a completed transaction's answer, not marked as replayed", ({ expect }) => {
    const target = completed("11");
    const { changes, reply } = take(laneOf([]), inquire({ target }));
    expect(changes).toEqual({});
    expect(reply).toEqual({ kind: "answered", transaction: target, outcome: target.outcome, replayed: false });
  });

  it("is answered immediately during a payment, without asking the terminal", ({ expect }) => {
    const target = accepted();
    const { changes, effects, reply } = take(laneOf([target]), inquire({ target }));
    expect([changes, effects]).toEqual([{}, []]);
    expect(reply).toMatchObject({ kind: "answered", outcome: { responseCode: "IN_PROGRESS" }, replayed: false });
  });

  it("asks the terminal about a pending transaction", ({ expect }) => {
    const target = pending();
    expect(take(laneOf([target]), inquire({ target })).effects).toEqual([
      { kind: "send-ask", requestId: ID, attempt: 1 },
    ]);
  });

  it("gets the terminal's details, or else the gateway's own", ({ expect }) => {
    for (const row of [pending(), completed("11"), completed("11", { transType: "cashOut" })]) {
      const { transData, ...without } = reported(row.outcome?.statusCode ?? "22");
      expect(take(laneOf([row], OFFLINE), inquire({ target: row })).reply).toMatchObject({ outcome: { transData } });
      const bare = { ...row, outcome: without };
      const { reply } = take(laneOf([bare], OFFLINE), inquire({ target: bare }));
      expect(reply).toMatchObject({ outcome: { ...without, transData: KNOWN_DATA } });
      // A void's number would be that of a payment that is not voided.
      const voiding = { ...bare, transType: "void" as const };
      const ofVoid = take(laneOf([voiding], OFFLINE), inquire({ target: voiding })).reply;
      expect(ofVoid).not.toHaveProperty("outcome.transData");
    }
  });

  it("gets the voided payment's number for a void the operator approved", ({ expect }) => {
    const { transData: _none, ...outcome } = reported("00");
    const target = completed("00", { transType: "void", terms: { transId: "5" }, completedBy: "operator", outcome });
    const { reply } = take(laneOf([target], OFFLINE), inquire({ target }));
    expect(reply).toMatchObject({ outcome: { statusCode: "00", transData: { transId: "5" } } });
  });

  it("leaves no row if it names no reference and finds nothing", ({ expect }) => {
    const { changes, reply } = take(laneOf([]), inquire());
    expect(changes).toEqual({});
    expect(reply).toEqual({ kind: "refused", code: 40004, problems: [UNKNOWN_TRANS_ID] });
  });

  it("is refused as forgotten if only the account has the reference", ({ expect }) => {
    for (const namedReferenceId of [null, "a"]) {
      const { changes, reply } = take(laneOf([]), inquire({ recorded: true, namedReferenceId }));
      expect(reply).toEqual({ kind: "refused", code: 40010, problems: [FORGOTTEN_REFERENCE] });
      expect(changes).toEqual({});
    }
  });

  it("follows a cancel that is refused because the reference was used", ({ expect }) => {
    const { changes, reply } = take(laneOf([]), cancel({ recorded: true }));
    expect(reply).toEqual({ kind: "refused", code: 40009, problems: [FORGOTTEN_REFERENCE] });
    expect(changes).toEqual({});
  });

  it("names its problems before a missing transaction", ({ expect }) => {
    const { reply } = take(laneOf([]), inquire({ problems: [PROBLEM] }));
    expect(reply).toEqual({ kind: "refused", code: 40000, problems: [PROBLEM] });
  });

  it("is refused without a binding or a transaction on the device", ({ expect }) => {
    const { reply } = take(laneOf([]), inquire({ bound: false, hasTransactions: false }));
    expect(reply).toEqual({ kind: "refused", code: 40000, problems: [NOT_BOUND] });
    expect(take(laneOf([]), inquire({ bound: false })).reply).toMatchObject({ code: 40004 });
    expect(take(laneOf([]), inquire({ hasTransactions: false })).reply).toMatchObject({ code: 40004 });
  });
});

describe("a POS that hangs up", () => {
  const gone = { kind: "caller-gone", requestId: ID } as const;

  it("cancels its queued request", ({ expect }) => {
    const { changes, effects } = take(laneOf([queued()], OFFLINE), gone);
    expect(changes).toEqual({ [ID]: completedWith(queued(), "CANCELLED") });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
  });

  it.for([
    ["was sent", sent()],
    ["another POS has left to itself", queued({ detached: true, stages: [{ stage: "queued", at: NOW }] })],
  ] as const)("does not end a request that %s", ([_what, row], { expect }) => {
    expect(take(laneOf([row], OFFLINE), gone)).toMatchObject({ changes: {}, effects: [] });
  });

  it("changes nothing after its request was completed", ({ expect }) => {
    expect(take(laneOf([]), gone)).toMatchObject({ changes: {}, effects: [] });
  });
});

describe("a POS that does not wait until the end", () => {
  const detached = { kind: "caller-detached", requestId: ID } as const;
  const waiting = queued({ stages: [{ stage: "queued", at: NOW }] });

  it("leaves its queued request to itself", ({ expect }) => {
    expect(take(laneOf([waiting], OFFLINE), detached).changes).toEqual({ [ID]: { detached: true } });
  });

  it.for([
    ["is left to itself", [queued({ detached: true, stages: waiting.stages })]],
    ["was sent", [sent()]],
    ["is completed", []],
  ] as const)("changes nothing if its request %s", ([_what, rows], { expect }) => {
    expect(take(laneOf(rows, OFFLINE), detached).changes).toEqual({});
  });
});

describe("an account that is suspended", () => {
  it("loses only its queued requests, not its sent ones", ({ expect }) => {
    const stages = [{ stage: "queued", at: NOW }];
    const rows = [
      sent(),
      queued({ requestId: ID + 1, stages }),
      queued({ requestId: ID + 2, posId: "Q", stages }),
      queued({ requestId: ID + 3, stages }),
    ];
    const { changes } = take(laneOf(rows), { kind: "suspended", posId: "P" });
    expect(Object.keys(changes)).toEqual([String(ID + 1), String(ID + 3)]);
    expect(changes[ID + 1]).toEqual(completedWith(queued({ stages }), "CANCELLED"));
  });
});

describe("the operator", () => {
  const resolve = {
    kind: "resolve",
    requestId: ID,
    statusCode: "00",
    reason: "seen in the bank's list",
    operator: "ann",
  } as const;

  it("completes a pending transaction, with name and reason", ({ expect }) => {
    const row = pending({ cancel: "wished" });
    const { changes, effects, reply, lane } = take(laneOf([row]), resolve);
    const outcome = { statusCode: "00", responseCode: "RESOLVED", responseText: resolve.reason, ...VERSIONS };
    const changed = {
      state: "completed",
      outcome,
      completedBy: "operator",
      resolvedBy: "ann",
      completedAt: NOW,
      pendingReason: null,
      stages: [...row.stages, { stage: "completed", at: NOW }],
      revision: 2,
    };
    expect(changes).toEqual({ [ID]: changed });
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
    expect(reply).toEqual({ kind: "resolved", transaction: { ...row, ...changed } });
    expect(lane.open.size).toBe(0);
  });

  it("completes a transaction past its end, as of that end", ({ expect }) => {
    const row = accepted({ cancel: "wished" });
    expect(take(laneOf([row]), resolve, NOW + LIFE).reply).toMatchObject({ kind: "resolved" });
    expect(take(laneOf([row]), resolve, NOW + LIFE - 1).reply).toEqual({ kind: "not-open" });
  });

  it.for([
    ["is queued", [queued({ endsAt: NOW - 1 })]],
    ["is completed", []],
  ] as const)("completes nothing that %s", ([_what, rows], { expect }) => {
    expect(take(laneOf(rows), resolve).reply).toEqual({ kind: "not-open" });
  });

  it("has its own answer for everybody who asks", ({ expect }) => {
    const completedByOperator = take(laneOf([pending()]), resolve).reply;
    if (completedByOperator.kind !== "resolved") throw new Error("it is not resolved");
    const { reply } = take(laneOf([]), inquire({ target: completedByOperator.transaction }));
    expect(reply).toMatchObject({ outcome: { statusCode: "00", responseCode: "RESOLVED", transData: KNOWN_DATA } });
  });
});

describe("a row that was looked up before its time passed in the same step", () => {
  const due = sent({ cancel: "wished", undelivered: { at: NOW, responseCode: "CANCELLED" } });

  it.for([
    ["cancel", cancel({ known: due })],
    ["inquiry", inquire({ target: due })],
  ] as const)("is completed before its %s is answered", ([_what, event], { expect }) => {
    const { effects, reply } = take(laneOf([due]), event);
    expect(effects).toEqual([{ kind: "conclude", requestId: ID }]);
    expect(reply).toMatchObject({ kind: "answered", outcome: { responseCode: "CANCELLED" } });
  });

  it("is replaced by the lane's row, which is newer", ({ expect }) => {
    expect(take(laneOf([accepted()]), cancel({ known: sent() })).lane.open.get(ID)).toMatchObject({
      state: "accepted",
      cancel: "wished",
    });
    expect(take(laneOf([pending()]), inquire({ target: sent() })).effects).toMatchObject([{ kind: "send-ask" }]);
  });
});
