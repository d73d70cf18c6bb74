/** What an entry from a terminal's object adds to the account's record (I7), decision by decision. */
import { describe, it } from "vitest";
import type { RecordEntry } from "../../../../src/gateway/account/rpc.ts";
import { judgeEntry, newClaim } from "../../../../src/gateway/account/feed.ts";
import type { Claim } from "../../../../src/gateway/account/storage/claims.ts";

const NOW = Date.UTC(2026, 10, 20, 10, 15);

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
});
