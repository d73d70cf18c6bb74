/** Small questions about a transaction, and what its POS programs are told of it. */
import { describe, it } from "vitest";
import {
  currentAnswer,
  isHeld,
  knownData,
  newStages,
  respondBy,
  reportedStages,
} from "../../../../../src/gateway/terminal/lane/index.ts";
import { SECOND } from "../../../../../src/protocol/time/units.ts";
import {
  accepted,
  KNOWN_DATA,
  LIFE,
  linkOf,
  NOW,
  OFFLINE,
  pending,
  queued,
  reported,
  sent,
  completed,
  VERSIONS,
} from "../../../../support/gateway/terminal/lane/bench.ts";

const withStages = (...stages: string[]) => ({ stages: stages.map((stage) => ({ stage, at: NOW })) });

describe("the gateway's own details of a transaction", () => {
  it("have the frozen terms, the account's local time, and mandatory members", ({ expect }) => {
    const frozen = {
      merchantId: "M",
      currency: "MYR",
      timezone: "Asia/Kuala_Lumpur",
      transAmt: "10.00",
      cashAmt: "5.00",
    };
    const row = accepted({ frozen, details: { metadata: "POS 4", note: "for nobody" } });
    expect(knownData(row, NOW)).toEqual({
      ...KNOWN_DATA,
      cashAmt: "5.00",
      transDateTime: "2027-01-15T16:00:00",
      metadata: "POS 4",
    });
  });

  it("omit missing amounts and metadata, and name a void's payment", ({ expect }) => {
    const { transAmt: _none, ...frozen } = queued().frozen;
    const { transAmt: _neither, ...known } = KNOWN_DATA;
    const data = knownData(queued({ frozen, terms: { transId: "5" } }), NOW);
    expect(data).toStrictEqual({ ...known, transId: "5" });
  });
});

describe("the answer about a transaction", () => {
  it("has the time of its request, or of its completion", ({ expect }) => {
    const row = accepted({ receivedAt: NOW - 60 * SECOND });
    expect(currentAnswer(row, linkOf()).transData).toEqual({ ...KNOWN_DATA, transDateTime: "2027-01-15T07:59:00" });
    const outcome = { statusCode: "11", responseCode: "CANCELLED", ...VERSIONS } as const;
    const ended = completed("11", { receivedAt: NOW - 60 * SECOND, completedBy: "gateway", outcome });
    expect(currentAnswer(ended, linkOf())).toEqual({ ...outcome, transData: KNOWN_DATA });
  });

  it("is the terminal's own if it has one", ({ expect }) => {
    expect(currentAnswer(completed("00"), linkOf())).toEqual(reported("00"));
    expect(currentAnswer(pending(), linkOf())).toEqual(reported("22"));
    // The terminal's 22 is no answer any more once something else is why the outcome is unknown.
    expect(currentAnswer(pending({ pendingReason: "mismatch" }), linkOf())).toMatchObject({
      responseCode: "UNCONFIRMED",
    });
  });

  it.for([
    [accepted(), linkOf(), "IN_PROGRESS"],
    [accepted(), OFFLINE, "IN_PROGRESS"],
    [accepted({ ended: true }), linkOf(), "TERMINAL_TIMEOUT"],
    [accepted({ ended: true }), OFFLINE, "TERMINAL_LOST"],
    [pending({ ended: true, pendingReason: "forgotten", outcome: null }), OFFLINE, "UNCONFIRMED"],
  ] as const)("explains why the outcome is not known: %#", ([row, link, code], { expect }) => {
    expect(currentAnswer(row, link)).toMatchObject({ statusCode: "22", responseCode: code });
  });
});

describe("a transaction that blocks a change of the binding", () => {
  it.for([
    ["queued", queued(), true, true],
    ["sent", sent(), true, false],
    ["accepted", accepted(), true, false],
    ["pending", pending(), false, false],
    ["completed", completed("00"), false, false],
  ] as const)("is in progress: %s", ([_state, row, before, after], { expect }) => {
    const lane = { open: new Map([[row.requestId, row]]) };
    expect(isHeld(lane, NOW + LIFE - 1)).toBe(before);
    expect(isHeld(lane, NOW + LIFE)).toBe(after);
  });
});

describe("a terminal's own end of a request", () => {
  it("is fifteen seconds before the gateway's", ({ expect }) => {
    expect(respondBy(sent())).toBe(NOW + LIFE - 15 * SECOND);
  });
});

describe("the stages that a POS sees", () => {
  it("leave out the end, which is in the answer", ({ expect }) => {
    const row = withStages("received", "queued", "sent", "accepted", "pin", "pending", "completed");
    expect(reportedStages(row).map(({ stage }) => stage)).toEqual(["received", "queued", "sent", "accepted", "pin"]);
  });

  it("include as new those that were added", ({ expect }) => {
    expect(newStages(withStages("received", "sent"), withStages("received", "sent", "accepted", "pin"))).toEqual(
      withStages("accepted", "pin").stages,
    );
  });
});
