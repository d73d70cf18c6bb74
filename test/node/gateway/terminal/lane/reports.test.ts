/** The terminal's reports about one request: what they change, what is kept, and what is acknowledged (I2, I4). */
import { describe, it } from "vitest";
import { STAGES } from "../../../../../src/protocol/limits.ts";
import type { GatewayCode } from "../../../../../src/protocol/gateway-codes.ts";
import type { StoredReports, LaneEvent, LaneTransaction } from "../../../../../src/gateway/terminal/lane/index.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import {
  ACCEPTED,
  accepted,
  CONNECTION,
  ID,
  laneOf,
  linkOf,
  NOW,
  OFFLINE,
  pending,
  queued,
  RECEIVED,
  reported,
  SENT,
  sent,
  completed,
  completedWith,
  take,
} from "../../../../support/gateway/terminal/lane/bench.ts";

const LATER = NOW + SECOND;
const UNKNOWN = { kind: "send-unknown", requestId: ID };
const CONCLUDE = { kind: "conclude", requestId: ID };
const CANCEL = { kind: "send-cancel", requestId: ID, attempt: 1 };
const UNDELIVERED = { at: NOW + 25 * SECOND, responseCode: "CANCELLED" } as const;

function logged(level: string, event: string, detail?: string) {
  return { kind: "log", level, event, requestId: ID, detail };
}

type About = "accepted" | "progress" | "refused" | "result";

/** What a report changes in the row that it is about. */
function on(row: LaneTransaction | null, report: Omit<LaneEvent<About>, "requestId" | "transaction">, link = linkOf()) {
  const event = { requestId: ID, transaction: row, ...report } as LaneEvent<About>;
  const { changes, effects } = take(laneOf(row === null ? [] : [row], link), event, LATER);
  return { change: changes[ID], effects };
}

const acceptedReport = { kind: "accepted" } as const;
const progress = (stage: string) => ({ kind: "progress", stage }) as const;
const refused = (reason: LaneEvent<"refused">["reason"], attempt = 1) =>
  ({ kind: "refused", reason, attempt }) as const;
const ROOM: StoredReports = { as: [], hasRoom: true };
const FULL: StoredReports = { as: [], hasRoom: false };
const result = (
  statusCode: "00" | "11" | "22",
  contradicts = false,
  outcome = reported(statusCode),
  kept: StoredReports = ROOM,
) => ({ kind: "result", report: { statusCode, outcome, contradicts }, kept }) as const;
const ack = (statusCode: string) => ({ kind: "send-ack", requestId: ID, statusCode });

const orphan = (statusCode: "00" | "11" | "22", kept: StoredReports) =>
  take(laneOf([]), { kind: "orphan", requestId: ID, statusCode, kept }).effects;

const KEEP = { kind: "keep", requestId: ID, as: "orphan" };

const hasResult = (statusCode: string) => logged("error", "orphan_result_reported", statusCode);

const manyStages = (count: number) => Array.from({ length: count }, () => ({ stage: "pin", at: NOW }));

const withoutEffect = (reason: string) => logged("warning", "refusal_ignored", reason);

const revisionAfter = (row: LaneTransaction, report: ReturnType<typeof result>) => on(row, report).change?.revision;

const told = (transData: { invNo: string; transDateTime?: string }) => reported("22", transData);

describe("a report about a request that was never sent", () => {
  it.for([
    ["accepted", acceptedReport],
    ["progress", progress("pin")],
    ["a result", result("00")],
  ] as const)("changes nothing, and the terminal keeps it: %s", ([_what, report], { expect }) => {
    const effects = [logged("warning", "unknown_request_reported")];
    expect(on(null, report)).toEqual({ change: undefined, effects });
    expect(on(queued({ stages: [RECEIVED, { stage: "queued", at: NOW }] }), report, OFFLINE)).toEqual({
      change: undefined,
      effects,
    });
  });

  it("is stored, if a signed result, before the terminal may delete it", ({ expect }) => {
    expect(orphan("00", ROOM)).toEqual([hasResult("00"), KEEP, UNKNOWN]);
    expect(orphan("11", { as: ["evidence"], hasRoom: true })).toEqual([hasResult("11"), KEEP, UNKNOWN]);
    // Its answer was lost.
    expect(orphan("11", { as: ["orphan"], hasRoom: false })).toEqual([hasResult("11"), UNKNOWN]);
  });

  it("stays at the terminal after a signed 22, whose outcome follows", ({ expect }) => {
    expect(orphan("22", ROOM)).toEqual([hasResult("22"), KEEP, ack("22")]);
  });

  it("stays at the terminal if there is no room for it", ({ expect }) => {
    for (const status of ["00", "22"] as const) {
      expect(orphan(status, FULL)).toEqual([hasResult(status), logged("error", "report_not_stored", "orphan")]);
    }
  });

  it("is only logged if it is a refusal", ({ expect }) => {
    expect(on(null, refused("busy"))).toEqual({
      change: undefined,
      effects: [logged("warning", "unknown_request_reported")],
    });
  });
});

describe("`accepted`", () => {
  it("is stored with its time", ({ expect }) => {
    expect(on(sent(), acceptedReport)).toEqual({
      change: { state: "accepted", acceptanceProved: true, stages: [RECEIVED, SENT, { stage: "accepted", at: LATER }] },
      effects: [],
    });
    expect(on(accepted({ cancel: "wished" }), acceptedReport)).toEqual({ change: undefined, effects: [] });
  });

  it("sends the cancel of a seemingly undelivered request again", ({ expect }) => {
    const { change, effects } = on(sent({ cancel: "wished", undelivered: UNDELIVERED }), acceptedReport);
    expect(change).toMatchObject({ state: "accepted", undelivered: null });
    expect(effects).toEqual([CANCEL]);
  });

  it("does not repeat a cancel that the terminal got with its hello", ({ expect }) => {
    expect(on(sent({ cancel: "wished" }), acceptedReport).effects).toEqual([]);
  });

  it("stops a request completed as 11, and leaves an approved one", ({ expect }) => {
    expect(on(completed("11", { attempt: 1 }), acceptedReport)).toEqual({
      change: undefined,
      effects: [logged("error", "completed_request_held"), CANCEL],
    });
    expect(on(completed("00"), acceptedReport)).toEqual({ change: undefined, effects: [] });
  });
});

describe("`progress`", () => {
  it("adds a stage, and proves acceptance", ({ expect }) => {
    const pin = { stage: "pin", at: LATER };
    expect(on(accepted(), progress("pin")).change).toEqual({ stages: [RECEIVED, SENT, ACCEPTED, pin] });
    expect(on(sent(), progress("pin")).change).toEqual({
      state: "accepted",
      acceptanceProved: true,
      stages: [RECEIVED, SENT, { stage: "accepted", at: LATER }, pin],
    });
  });

  it("adds nothing for the same stage again, but for an earlier one", ({ expect }) => {
    const stages = [RECEIVED, { stage: "pin", at: NOW }, { stage: "present", at: NOW }];
    expect(on(accepted({ stages }), progress("present")).change).toBeUndefined();
    expect(on(accepted({ stages }), progress("pin")).change?.stages).toHaveLength(4);
  });

  it("adds a limited number of stages", ({ expect }) => {
    expect(on(accepted({ stages: manyStages(STAGES - 1) }), progress("scan")).change?.stages).toHaveLength(STAGES);
    expect(on(accepted({ stages: manyStages(STAGES) }), progress("scan")).change).toBeUndefined();
  });

  it("adds nothing to a completed transaction", ({ expect }) => {
    expect(on(completed("00"), progress("scan"))).toEqual({ change: undefined, effects: [] });
  });

  it("adds a stage to a pending transaction", ({ expect }) => {
    expect(on(pending(), progress("scan")).change?.stages).toHaveLength(4);
  });
});

describe("a refusal of the newest attempt", () => {
  it.for([
    ["busy", "TERMINAL_BUSY"],
    ["expired", "TERMINAL_REFUSED"],
    ["unsupported", "TERMINAL_REFUSED"],
    ["unbound", "TERMINAL_REFUSED"],
    ["unknown", "NOT_DELIVERED"],
  ] as const)("completes it, for %s, as %s", ([reason, code], { expect }) => {
    expect(on(sent(), refused(reason))).toEqual({
      change: { ...completedWith(sent(), code as GatewayCode, LATER), reached: false },
      effects: [CONCLUDE],
    });
  });

  it("completes it as cancelled if unknown because its cancel came first", ({ expect }) => {
    const row = sent({ cancel: "wished" });
    expect(on(row, refused("unknown")).change).toEqual({
      ...completedWith(row, "CANCELLED", LATER),
      reached: false,
      cancel: "answered",
    });
  });
});

describe("a refusal that does not concern the newest attempt", () => {
  it.for([
    ["of an earlier attempt", sent({ attempt: 2 }), linkOf()],
    ["of a later attempt", sent({ attempt: 0 }), linkOf()],
    ["on another connection", sent(), linkOf({ number: CONNECTION + 1 })],
    ["of an accepted request", accepted(), linkOf()],
    ["of a completed request", completed("11"), linkOf()],
    ["of a pending request", pending(), linkOf()],
  ] as const)("changes nothing: %s", ([_what, row, link], { expect }) => {
    expect(on(row, refused("busy"), link)).toEqual({ change: undefined, effects: [withoutEffect("busy")] });
  });

  it("makes an accepted request pending if it is unknown now", ({ expect }) => {
    const row = accepted({ cancel: "wished" });
    expect(on(row, refused("unknown"))).toEqual({
      change: {
        state: "pending",
        pendingReason: "forgotten",
        cancel: "answered",
        revision: 1,
        stages: [...row.stages, { stage: "pending", at: LATER }],
      },
      effects: [logged("error", "accepted_request_forgotten"), CONCLUDE],
    });
    expect(on(accepted(), refused("unknown")).change).not.toHaveProperty("cancel");
  });

  it.for([
    ["a pending request", pending(), linkOf(), 1],
    ["one that is past its end", sent({ ended: true, cancel: "wished" }), linkOf({ number: CONNECTION + 1 }), 1],
    ["one in progress, whose own POS waits", sent(), linkOf({ number: CONNECTION + 1 }), 0],
    ["a completed one", completed("11", { ended: true }), linkOf(), 0],
  ] as const)("answers, if unknown, those who asked about %s", ([_what, row, link, answers], { expect }) => {
    const { change, effects } = on(row, refused("unknown"), link);
    expect(effects).toEqual([withoutEffect("unknown"), ...Array.from({ length: answers }, () => CONCLUDE)]);
    expect(change).toBeUndefined();
  });
});

describe("a result", () => {
  it.for(["00", "11"] as const)("completes the transaction as %s, and is acknowledged", (statusCode, { expect }) => {
    const row = sent({ cancel: "wished", undelivered: UNDELIVERED, reached: false });
    expect(on(row, result(statusCode))).toEqual({
      change: {
        state: "completed",
        outcome: reported(statusCode),
        completedBy: "terminal",
        completedAt: LATER,
        acceptanceProved: true,
        reached: true,
        cancel: "answered",
        undelivered: null,
        revision: 1,
        stages: [...row.stages, { stage: "completed", at: LATER }],
      },
      effects: [CONCLUDE, ack(statusCode)],
    });
  });

  it("completes a pending transaction, and clears its reason", ({ expect }) => {
    expect(on(pending(), result("00")).change).toMatchObject({ pendingReason: null, revision: 2 });
  });

  it("leaves it pending as a 22, with the terminal's details", ({ expect }) => {
    const row = sent({ cancel: "wished", undelivered: UNDELIVERED, reached: false });
    expect(on(row, result("22"))).toEqual({
      change: {
        state: "pending",
        pendingReason: "reported",
        outcome: reported("22"),
        acceptanceProved: true,
        reached: true,
        cancel: "answered",
        undelivered: null,
        revision: 1,
        stages: [...row.stages, { stage: "pending", at: LATER }],
      },
      effects: [CONCLUDE, ack("22")],
    });
    expect(on(accepted(), result("22")).change).not.toHaveProperty("cancel");
  });

  it("only answers those who asked if a repeated 22", ({ expect }) => {
    expect(on(pending(), result("22"))).toEqual({ change: {}, effects: [CONCLUDE, ack("22")] });
  });

  it("wins over a deadline of the same moment", ({ expect }) => {
    const due = sent({ cancel: "wished", undelivered: { ...UNDELIVERED, at: LATER } });
    const { change, effects } = on(due, result("00"));
    expect(effects).toEqual([CONCLUDE, ack("00")]);
    expect(change).toMatchObject({ outcome: reported("00"), completedBy: "terminal" });
  });

  it.for(["00", "11", "22"] as const)("is kept for the operator if %s for another amount", (statusCode, { expect }) => {
    const row = sent({ cancel: "wished", undelivered: UNDELIVERED, reached: false });
    expect(on(row, result(statusCode, true))).toEqual({
      change: {
        state: "pending",
        pendingReason: "mismatch",
        acceptanceProved: true,
        reached: true,
        cancel: "answered",
        undelivered: null,
        revision: 1,
        stages: [...row.stages, { stage: "pending", at: LATER }],
      },
      effects: [
        logged("error", "mismatched_result_reported"),
        { kind: "keep", requestId: ID, as: "evidence" },
        CONCLUDE,
        ack(statusCode),
      ],
    });
  });
});

describe("a result that must be kept, and for which there is no room", () => {
  it.for([
    ["evidence", sent(), result("00", true, reported("00"), FULL)],
    ["conflict", completed("11"), result("00", false, reported("00"), FULL)],
  ] as const)("is not acknowledged as %s, so the terminal keeps it", ([as, row, report], { expect }) => {
    const { effects } = on(row, report);
    expect(effects).toContainEqual(logged("error", "report_not_stored", as));
    expect(effects.filter(({ kind }) => ["keep", "contradict", "send-ack"].includes(kind))).toEqual([]);
    for (const hasRoom of [false, true]) {
      const again = on(row, result("00", as === "evidence", reported("00"), { as: [as], hasRoom })).effects;
      expect(again).toContainEqual(ack("00"));
      expect(again.filter(({ kind }) => kind === "keep" || kind === "contradict")).toEqual([]);
    }
  });
});

describe("a result for a completed transaction", () => {
  const conflict = [logged("error", "conflicting_result_reported"), { kind: "keep", requestId: ID, as: "conflict" }];
  // Operators and the account are told.
  const [alerted, kept] = conflict;
  const newConflict = [alerted, { kind: "contradict", requestId: ID }, kept];

  it.for([
    ["repeats its status", completed("00"), result("00"), []],
    ["is a late 22 of the terminal's own 00", completed("00"), result("22"), []],
    ["is another final status", completed("11"), result("00"), newConflict],
    ["names other money", completed("00"), result("00", true), newConflict],
    ["is a 22 of what the operator resolved", completed("00", { completedBy: "operator" }), result("22"), conflict],
    ["is a 00 of what the gateway completed", completed("11", { completedBy: "gateway" }), result("00"), newConflict],
  ] as const)("changes nothing and is acknowledged; it %s", ([_what, row, report, effects], { expect }) => {
    expect(on(row, report)).toEqual({ change: undefined, effects: [...effects, ack(report.report.statusCode)] });
  });
});

describe("a status that the account must record", () => {
  it("is a 22 with new data, not only a new time", ({ expect }) => {
    const row = pending({ outcome: told({ invNo: "1", transDateTime: "a" }) });
    expect(revisionAfter(row, result("22", false, told({ invNo: "1", transDateTime: "b" })))).toBeUndefined();
    expect(revisionAfter(row, result("22", false, told({ invNo: "2", transDateTime: "a" })))).toBe(2);
    const { transData: _none, ...without } = reported("22");
    expect(revisionAfter(row, result("22", false, without))).toBe(2);
    const other = { ...told({ invNo: "1" }), responseText: "wait" };
    expect(revisionAfter(row, result("22", false, other))).toBe(2);
  });

  it("is a new pending reason, and a request's end only once", ({ expect }) => {
    expect(revisionAfter(pending({ pendingReason: "forgotten" }), result("22"))).toBe(2);
    const { change } = on(sent({ ended: true, revision: 1, cancel: "wished" }), refused("unknown"), OFFLINE);
    expect(change).toBeUndefined();
  });
});
