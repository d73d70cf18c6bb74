/** What an entry from a terminal's object adds to the account's record (I7), decision by decision. */
import { describe, it } from "vitest";
import type { RecordEntry } from "../../../../src/gateway/account/rpc.ts";
import {
  newClaim,
  judgeEntry,
  markedClaim,
  recordedClaim,
  transactionOf,
  findVoid,
} from "../../../../src/gateway/account/feed.ts";
import type { Claim } from "../../../../src/gateway/account/storage/claims.ts";

const NOW = Date.UTC(2026, 10, 20, 10, 15);
const ACCOUNT = { timezone: "Asia/Kuala_Lumpur", closedDay: "2026-11-18" };

const SALE: RecordEntry["transaction"] = {
  transType: "sale",
  merchantId: "M-1",
  referenceId: "a",
  statusCode: "00",
  responseCode: "00",
  responseText: "APPROVED",
  completedBy: "terminal",
  transAmt: "10.00",
  cashAmt: null,
  currency: "MYR",
  paymentMethod: "bankCard",
  paymentChannel: "VISA",
  cardNo: "1234",
  invNo: "1",
  batchNo: null,
  tid: "2",
  mid: "3",
  rrn: null,
  apprCode: null,
  transDateTime: null,
  transId: "1000000005",
};

function entry(members: Partial<RecordEntry> = {}): RecordEntry {
  return {
    requestId: 5,
    revision: 2,
    deviceId: "T-1",
    transaction: SALE,
    receivedAt: NOW - 20_000,
    completedAt: NOW,
    times: null,
    voids: null,
    ...members,
  };
}

function claim(members: Partial<Claim> = {}): Claim {
  return { ...newClaim("a", "T-1", NOW - 30_000), ...members };
}

describe("an entry", () => {
  it.for([
    ["of an unknown reference", null, {}, "transaction.completed"],
    ["of a claimed reference", claim(), {}, "transaction.completed"],
    ["that is open", claim(), { completedAt: null }, "transaction.pending"],
    ["that is open in another way", claim({ requestId: 5, revision: 1 }), { completedAt: null }, "transaction.updated"],
    ["that is completed now", claim({ requestId: 5, revision: 1 }), {}, "transaction.completed"],
    ["of a reused reference", claim({ requestId: 4, revision: 7 }), { completedAt: null }, "transaction.pending"],
    ["of its first status", claim(), { revision: 1 }, "transaction.completed"],
  ] as const)("becomes an event: %s", ([_what, known, members, type], { expect }) => {
    expect(judgeEntry(known, entry(members))).toBe(type);
  });

  it.for([
    ["a status that is recorded", claim({ requestId: 5, revision: 2 })],
    ["an older status", claim({ requestId: 5, revision: 3 })],
    ["the transaction that had the reference before", claim({ requestId: 6, revision: 1 })],
  ] as const)("does not become an event: %s", ([_what, known], { expect }) => {
    expect(judgeEntry(known, entry())).toBeNull();
  });

  it("does not become an event without a status", ({ expect }) => {
    expect(judgeEntry(null, entry({ revision: 0 }))).toBeNull();
  });

  it("is kept in the claim of its reference, created if missing", ({ expect }) => {
    const recorded = { requestId: 5, revision: 2, event: 9, completedAt: NOW };
    expect(recordedClaim(claim(), entry(), 9, NOW)).toEqual({ ...claim(), ...recorded });
    expect(recordedClaim(null, entry(), 9, NOW)).toEqual({ ...newClaim("a", "T-1", NOW), ...recorded });
  });
});

describe("a recorded transaction", () => {
  it("has its entry's members, times in the account's zone, and its day", ({ expect }) => {
    expect(transactionOf(entry(), claim(), ACCOUNT)).toEqual({
      ...SALE,
      requestId: "5",
      deviceId: "T-1",
      receivedAt: "2026-11-20T18:14:40.000+08:00",
      completedAt: "2026-11-20T18:15:00.000+08:00",
      day: "2026-11-20",
      voidedBy: null,
    });
  });

  it("has no day while open, and the first open day afterwards", ({ expect }) => {
    expect(transactionOf(entry({ completedAt: null }), null, ACCOUNT)).toMatchObject({ completedAt: null, day: null });
    const late = { ...ACCOUNT, closedDay: "2026-11-20" };
    expect(transactionOf(entry(), null, late).day).toBe("2026-11-21");
  });

  it("names the void of its own, not that of an earlier transaction", ({ expect }) => {
    const mark = { of: 5, requestId: "6", referenceId: "v" };
    expect(transactionOf(entry(), claim({ voided: mark }), ACCOUNT).voidedBy).toEqual({
      requestId: "6",
      referenceId: "v",
    });
    expect(findVoid({ ...mark, of: 4 }, 5)).toBeNull();
    expect(findVoid(null, 5)).toBeNull();
  });
});

describe("a void", () => {
  const voids = { requestId: 5, referenceId: "a" };
  const ofSale = entry({ requestId: 6, voids, transaction: { ...SALE, transType: "void", referenceId: "v" } });
  const voided = { of: 5, requestId: "6", referenceId: "v" };

  it("marks the claim of its sale, recorded or not, if approved", ({ expect }) => {
    for (const known of [claim(), claim({ requestId: 5, voided: { ...voided, of: 4 } })]) {
      expect(markedClaim(known, ofSale, NOW)).toEqual({ ...known, voided });
    }
    expect(markedClaim(null, ofSale, NOW)).toEqual({ ...newClaim("a", "T-1", NOW), voided });
  });

  it("marks nothing if it is declined, or no void", ({ expect }) => {
    const declined = { ...ofSale, transaction: { ...ofSale.transaction, statusCode: "11" as const } };
    expect(markedClaim(claim(), declined, NOW)).toBeNull();
    expect(markedClaim(claim(), entry(), NOW)).toBeNull();
  });

  it("marks nothing twice, and no later transaction with the same reference", ({ expect }) => {
    expect(markedClaim(claim({ requestId: 5, voided }), ofSale, NOW)).toBeNull();
    expect(markedClaim(claim({ requestId: 7 }), ofSale, NOW)).toBeNull();
  });
});
