/** Rules of the lane that no history of the model needs to keep its promises, each by the shortest way to it. */
import { describe, expect, it } from "vitest";
import { ASK_EVERY } from "../../../../../src/protocol/limits.ts";
import {
  step,
  type Effect,
  type EventKind,
  type Lane,
  type LaneEvent,
} from "../../../../../src/gateway/terminal/lane/index.ts";
import type { ReplyTo, Report, LaneTransaction } from "../../../../../src/gateway/terminal/lane/index.ts";
import { cancelCall, inquiryCall, saleCall } from "../../../../support/transfer-call.ts";

const START = 1_800_000_000_000;
const SECOND = 1_000;
const ID = 1_000_000_000;
const ACCOUNT = { posId: "P", merchantId: "M", currency: "MYR", timezone: "UTC" };
const VERSIONS = { softwareVersion: "1", terminalSn: "2" };

/** A lane in the hands of a test: every event, at any time. */
class Bench {
  lane: Lane = { open: new Map(), link: { current: null, lostAt: null, ...VERSIONS } };
  now = START;
  /** The account has a transaction recorded under the reference. */
  recorded = false;
  /** The account was stopped after it had admitted the request. */
  stopped = false;
  bound = true;
  /** Every row that was ever written, completed ones included. */
  readonly rows = new Map<number, LaneTransaction>();

  take<Kind extends EventKind>(event: LaneEvent<Kind>): { reply: ReplyTo<Kind>; effects: readonly Effect[] } {
    const { lane, changed, effects, reply } = step(this.lane, event, this.now);
    this.lane = lane;
    for (const row of changed) this.rows.set(row.requestId, row);
    return { reply, effects };
  }

  get row(): LaneTransaction {
    const row = this.rows.get(ID);
    if (row === undefined) throw new Error("there is no row");
    return row;
  }

  after(milliseconds: number): this {
    this.now += milliseconds;
    return this;
  }

  hello(connection: number, { memory = "one", listed = [] as number[] } = {}) {
    const sorted = { listed: new Set(listed), listedButCompleted11: [] };
    return this.take({ kind: "hello", connection, roundTrip: 0, memory, ...sorted, ...VERSIONS });
  }

  sale() {
    const terms = { transAmt: "10.00", paymentMethod: "bankCard" };
    return this.take({
      ...saleCall(ACCOUNT, { referenceId: "a", terms }),
      ...this.#lookedUp(),
      greeting: false,
      stopped: this.stopped,
      target: null,
      otherVoids: [],
    });
  }

  cancel() {
    return this.take({ ...cancelCall(ACCOUNT, "a"), ...this.#lookedUp(), hasTransactions: true });
  }

  /** An inquiry about its own reference. */
  inquire() {
    const target = this.rows.get(ID) ?? null;
    const inquiry = inquiryCall(ACCOUNT, { transType: "inquiry", referenceId: "a" });
    return this.take({ ...inquiry, ...this.#lookedUp(), target, hasTransactions: true });
  }

  accepted() {
    return this.take({ kind: "accepted", requestId: ID, transaction: this.row });
  }

  result(statusCode: Report["statusCode"], contradicts = false, transData = {}) {
    const outcome = { statusCode, responseCode: statusCode, ...VERSIONS, transData };
    return this.take({
      kind: "result",
      requestId: ID,
      transaction: this.row,
      report: { statusCode, outcome, contradicts },
      kept: { as: [], hasRoom: true },
    });
  }

  #lookedUp() {
    return {
      requestId: ID,
      bound: this.bound,
      arrivedAt: this.now,
      life: 90 * SECOND,
      recorded: this.recorded,
      known: this.rows.get(ID) ?? null,
    };
  }
}

/** A sale that was sent on connection 1. */
function sent(): Bench {
  const bench = new Bench();
  bench.hello(1);
  bench.sale();
  return bench;
}

function kinds(effects: readonly Effect[]): string[] {
  return effects.map(({ kind }) => kind);
}

describe("an operator's resolution", () => {
  it("comes too late once an undelivered request may be reported", () => {
    const bench = sent();
    bench.cancel();
    bench.hello(2);
    expect(bench.row.undelivered).not.toBeNull();
    // The alarm that would have completed it is late.
    bench.after(90 * SECOND);
    const { reply } = bench.take({
      kind: "resolve",
      requestId: ID,
      statusCode: "00",
      reason: "paid, it seems",
      operator: null,
    });
    expect(reply).toEqual({ kind: "not-open" });
    expect(bench.row).toMatchObject({
      state: "completed",
      outcome: { responseCode: "CANCELLED" },
      completedBy: "gateway",
    });
  });
});

describe("a late `accepted`", () => {
  it("keeps a pending transaction open that the next hello does not list", () => {
    const bench = sent();
    bench.hello(2, { memory: "another" });
    expect(bench.row).toMatchObject({ state: "pending", pendingReason: "other-memory" });
    bench.hello(3);
    expect(bench.row.undelivered).not.toBeNull();
    bench.accepted();
    expect(bench.row).toMatchObject({ state: "pending", acceptanceProved: true, undelivered: null });
    bench.after(60 * SECOND).take({ kind: "deadline" });
    expect(bench.row.state).toBe("pending");
  });
});

describe("a cancel", () => {
  it("is not sent again within five seconds, but later", () => {
    const bench = sent();
    bench.accepted();
    expect(kinds(bench.cancel().effects)).toEqual(["send-cancel"]);
    bench.after(ASK_EVERY - 1);
    const repeated = bench.cancel();
    expect(kinds(repeated.effects)).toEqual([]);
    expect(repeated.reply).toMatchObject({ kind: "waiting" });
    bench.after(1);
    expect(kinds(bench.cancel().effects)).toEqual(["send-cancel"]);
  });

  it("is answered by a 22, and not repeated with the next hello", () => {
    const bench = sent();
    bench.accepted();
    bench.cancel();
    bench.result("22");
    expect(bench.row).toMatchObject({ state: "pending", cancel: "answered" });
    expect(kinds(bench.hello(2, { listed: [ID] }).effects)).not.toContain("send-cancel");
    expect(kinds(bench.hello(3).effects)).not.toContain("send-cancel");
  });
});

describe("a terminal that lacks the transaction it is asked about", () => {
  it.each([
    ["pending", (bench: Bench): unknown => bench.result("22")],
    ["past its end", (bench: Bench): unknown => bench.after(95 * SECOND).take({ kind: "deadline" })],
  ] as const)("answers the waiters for a transaction that is %s", (_state, becomes) => {
    const bench = sent();
    bench.accepted();
    becomes(bench);
    const { attempt } = bench.row;
    const { effects } = bench.take({
      kind: "refused",
      requestId: ID,
      attempt,
      reason: "unknown",
      transaction: bench.row,
    });
    expect(kinds(effects)).toContain("conclude");
    expect(bench.row.state).toBe("pending");
  });
});

describe("a result for a completed transaction", () => {
  it("is kept as conflicting if only the amount differs", () => {
    const bench = sent();
    bench.result("00");
    const { outcome } = bench.row;
    const { effects } = bench.result("00", true);
    expect(effects).toContainEqual({ kind: "keep", requestId: ID, as: "conflict" });
    expect(effects).toContainEqual({ kind: "send-ack", requestId: ID, statusCode: "00" });
    expect(bench.row).toMatchObject({ state: "completed", outcome });
  });
});

describe("a transaction's revision", () => {
  it("is 0 at first, and counts each recorded status once", () => {
    const bench = sent();
    bench.accepted();
    bench.cancel();
    expect(bench.row.revision).toBe(0);
    bench.after(90 * SECOND).take({ kind: "deadline" });
    expect(bench.row).toMatchObject({ ended: true, revision: 1 });
    bench.after(SECOND).take({ kind: "deadline" });
    expect(bench.row.revision).toBe(1);
    bench.result("22");
    expect(bench.row).toMatchObject({ state: "pending", revision: 2 });
    bench.result("00");
    expect(bench.row).toMatchObject({ state: "completed", revision: 3 });
  });

  it("does not count a repeated 22, even with another filled-in time", () => {
    const bench = sent();
    bench.result("22", false, { invNo: "1", transDateTime: "20261122101112" });
    bench.after(SECOND).result("22", false, { invNo: "1", transDateTime: "20261122101113" });
    expect(bench.row.revision).toBe(1);
    bench.result("22", false, { invNo: "2", transDateTime: "20261122101113" });
    expect(bench.row.revision).toBe(2);
    bench.result("00", true);
    expect(bench.row).toMatchObject({ pendingReason: "mismatch", revision: 3 });
    bench.result("00", true);
    expect(bench.row.revision).toBe(3);
  });

  it("does not count an answer about an unknown transaction", () => {
    const bench = sent();
    bench.hello(2, { memory: "another" });
    const { attempt, revision } = bench.row;
    bench.take({ kind: "refused", requestId: ID, attempt, reason: "unknown", transaction: bench.row });
    expect(bench.row).toMatchObject({ state: "pending", revision });
  });

  it("stays the same once it is completed, regardless of later reports", () => {
    const bench = sent();
    bench.result("11");
    bench.result("00");
    bench.hello(2, { listed: [ID] });
    bench.cancel();
    expect(bench.row).toMatchObject({ state: "completed", revision: 1 });
  });

  it("is 0 for a reference that was cancelled before its request arrived", () => {
    const bench = new Bench();
    bench.cancel();
    expect(bench.row).toMatchObject({ transType: null, state: "completed", revision: 0 });
  });
});

describe("a reference that is recorded by its account and missing from the journal", () => {
  it.each([
    ["a sale", 40009, (bench: Bench) => bench.sale()],
    ["a cancel", 40009, (bench: Bench) => bench.cancel()],
    ["an inquiry", 40010, (bench: Bench) => bench.inquire()],
  ] as const)("is refused to %s with %i, and nothing is written", (_what, code, ask) => {
    const bench = new Bench();
    bench.hello(1);
    bench.recorded = true;
    const { reply, effects } = ask(bench);
    expect(reply).toMatchObject({ kind: "refused", code, problems: [{ path: "referenceId" }] });
    expect(effects).toEqual([]);
    expect(bench.rows.size).toBe(0);
  });

  it("is joined and replayed if the journal still has it", () => {
    const bench = sent();
    bench.recorded = true;
    expect(bench.sale().reply).toMatchObject({ kind: "waiting" });
    bench.result("00");
    expect(bench.sale().reply).toMatchObject({ kind: "answered", replayed: true });
  });
});

describe("a request that was admitted before its account was suspended or deleted", () => {
  it.each([true, false])("is completed as cancelled and never sent; the terminal bound: %s", (bound) => {
    const bench = new Bench();
    bench.hello(1);
    bench.stopped = true;
    bench.bound = bound;
    const { reply, effects } = bench.sale();
    expect(reply).toMatchObject({ kind: "answered", outcome: { statusCode: "11", responseCode: "CANCELLED" } });
    expect(kinds(effects)).not.toContain("send-request");
    expect(bench.row).toMatchObject({ state: "completed", revision: 1 });
  });
});
