/** I7: what the account's object writes when it records an entry: event, claim, open day, and the operators' copy. */
import { describe, it } from "vitest";
import { takeConflict } from "../../../../src/gateway/account/copies.ts";
import { formatCopyKey } from "../../../../src/gateway/account/copies.ts";
import { fold } from "../../../../src/gateway/account/fold.ts";
import { AccountParts } from "./parts.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";
import { pendingRows } from "../../../support/stored-rows.ts";

function completedAgain(parts: AccountParts, open: ReturnType<AccountParts["entry"]>) {
  const { requestId, revision } = open;
  return { ...parts.entry(open.transaction.referenceId), requestId, revision: revision + 1 };
}

describe("a recorded entry", () => {
  it("keeps how long its parts took, if it is completed", ({ expect }) => {
    const parts = new AccountParts();
    const times = { gateway: 12, customer: 15_000 };
    parts.recordAll(parts.entry("a", { times }), parts.entry("b", { ...OPEN, times: null }), parts.entry("c"));
    expect(parts.events.after(0, 10).map((kept) => kept.times)).toEqual([times, {}, {}]);
  });

  it("is counted as a completion if it is one, alone or batched", ({ expect }) => {
    const parts = new AccountParts();
    const { events } = parts;
    const completedAfter = (number: number): number => [...fold(events.after(number)).days.values()].flat().length;
    const newest = () => completedAfter(events.newest - 1);
    parts.recordAll(parts.entry("a"));
    expect(newest()).toBe(1);
    parts.recordAll(parts.entry("b", OPEN));
    expect(newest()).toBe(0);
    parts.recordAll(parts.entry("c"));
    expect([newest(), completedAfter(0)]).toEqual([1, 2]);
  });

  it("is the newest event, with the time at which it was recorded", ({ expect }) => {
    const parts = new AccountParts();
    const entry = parts.entry("a");
    parts.recordAll(entry, entry);
    const [kept, ...others] = parts.events.after(0, 10);
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ number: 1, at: parts.now });
    expect(kept?.event).toMatchObject({
      id: "evt_pos-1_1",
      type: "transaction.completed",
      timestamp: "2031-05-10T12:00:00.000+08:00",
    });
  });

  it("is linked from the claim of its reference from then on", ({ expect }) => {
    const parts = new AccountParts();
    parts.admit({ referenceId: "a" });
    const entry = parts.entry("a");
    parts.recordAll(parts.entry("b"), entry);
    const { requestId, completedAt } = entry;
    expect(parts.claims.find("a")).toMatchObject({ requestId, revision: 1, event: 2, completedAt, deviceId: "T-1" });
  });
});

describe("a result that contradicts a completed transaction", () => {
  it("comes once, after the completion, in the feed", ({ expect }) => {
    const parts = new AccountParts();
    const open = parts.entry("a", OPEN);
    const completed = completedAgain(parts, open);
    const nothing = { responseText: null, transAmt: null, cashAmt: null, currency: null };
    const reported = { statusCode: "11", responseCode: "51", ...nothing } as const;
    const update = { version: 1, entry: completed, reportedAt: parts.now, reported };
    const take = () => takeConflict(parts, parts.record, update, parts.now);
    parts.recordAll(open);
    expect(take()).toBe("busy");
    parts.recordAll(completed);
    expect([take(), take()]).toEqual(["delivered", "delivered"]);
    const types = parts.events.after(0, 10).map(({ event }) => event.type);
    expect(types).toEqual(["transaction.pending", "transaction.completed", "transaction.conflict"]);
  });
});

describe("the operators' copy of an open transaction", () => {
  it("has what they are shown, in hundredths", ({ expect }) => {
    const parts = new AccountParts();
    const entry = parts.entry("a", { ...OPEN, transaction: { ...OPEN.transaction, cashAmt: "2.00" } });
    parts.recordAll(entry);
    expect(pendingRows(parts.outbox)).toEqual([`${formatCopyKey(entry)} open`]);
    expect(JSON.parse(parts.outbox.due("d1", Infinity)[0]?.payload ?? "")).toEqual({
      receivedAt: entry.receivedAt,
      currency: "MYR",
      transAmt: 1_250,
      cashAmt: 200,
      terminalId: "T-1",
      referenceId: "a",
      transType: "sale",
      responseCode: "TERMINAL_TIMEOUT",
      responseText: "Approved.",
    });
  });

  it("is removed by the completion", ({ expect }) => {
    const parts = new AccountParts();
    const entry = parts.entry("a", OPEN);
    parts.recordAll(entry, completedAgain(parts, entry));
    expect(pendingRows(parts.outbox)).toEqual([`${formatCopyKey(entry)} completed`]);
  });

  it("is not made for a transaction that is completed already", ({ expect }) => {
    const parts = new AccountParts();
    parts.admit({ referenceId: "a" });
    parts.recordAll(parts.entry("a"), parts.entry("b"));
    expect(pendingRows(parts.outbox)).toEqual([]);
  });

  it("survives other changes: a late update, a later use of the reference", ({ expect }) => {
    const parts = new AccountParts();
    const first = parts.entry("a");
    parts.recordAll(first, { ...first, revision: 2 });
    const open = parts.entry("b", OPEN);
    parts.recordAll(open);
    parts.recordAll(parts.entry("b"));
    expect(pendingRows(parts.outbox)).toEqual([`${formatCopyKey(open)} open`]);
  });
});

function voidOf(parts: AccountParts, { requestId, transaction }: ReturnType<AccountParts["entry"]>) {
  const voids = { requestId, referenceId: transaction.referenceId };
  return parts.entry("v", { voids, transaction: { transType: "void" } });
}

describe("a recorded void", () => {
  it("adds an event with the mark to its payment, as the newest", ({ expect }) => {
    const parts = new AccountParts();
    const paid = parts.entry("a");
    const undone = voidOf(parts, paid);
    parts.recordAll(paid, undone);
    expect(parts.events.newest).toBe(3);
    const voidedBy = { requestId: String(undone.requestId), referenceId: "v" };
    expect(parts.events.find(3)).toMatchObject({
      type: "transaction.updated",
      data: { referenceId: "a", transAmt: "12.50", voidedBy },
    });
    expect(parts.claims.find("a")).toMatchObject({ event: 3, voided: { of: paid.requestId, ...voidedBy } });
    expect(parts.claims.find("v")).toMatchObject({ event: 2, requestId: undone.requestId });
  });

  it("marks the claim alone if its payment has no event", ({ expect }) => {
    const parts = new AccountParts();
    const paid = parts.entry("a");
    const undone = voidOf(parts, paid);
    parts.recordAll(undone);
    expect(parts.events.newest).toBe(1);
    expect(parts.claims.find("a")).toMatchObject({ requestId: null, event: null, voided: { of: paid.requestId } });

    const other = new AccountParts();
    other.recordAll(other.entry("x"));
    const gone = other.entry("a");
    other.recordAll(gone);
    const late = voidOf(other, gone);
    other.recordAll(other.entry("y"));
    other.events.remove(2);
    other.recordAll(late);
    expect(other.claims.find("a")).toMatchObject({ event: 2, voided: { of: gone.requestId } });
    expect(other.events.newest).toBe(4);
  });

  it("adds only its own event if it was declined", ({ expect }) => {
    const parts = new AccountParts();
    const paid = parts.entry("a");
    const undone = voidOf(parts, paid);
    undone.transaction.statusCode = "11";
    parts.recordAll(paid, undone);
    expect(parts.events.newest).toBe(2);
  });
});
