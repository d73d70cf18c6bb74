/** What an account is told of a transaction. */
import { describe, it } from "vitest";
import {
  INITIAL_PROGRESS,
  type ConnectionLink,
  type LaneTransaction,
} from "../../../../src/gateway/terminal/lane/index.ts";
import { hourlyStatistics, type JournalStores } from "../../../../src/gateway/terminal/journal-views.ts";
import { buildRecordEntry, type RealTransaction } from "../../../../src/gateway/terminal/record-entry.ts";

const ID = 1_000_000_001;
const VERSIONS = { softwareVersion: "1", terminalSn: "2" };
const LINK: ConnectionLink = { current: null, lostAt: null, ...VERSIONS };
const FROZEN = { merchantId: "M-1", currency: "MYR", timezone: "UTC", transAmt: "10.00" };

function transaction(members: Partial<RealTransaction>): RealTransaction {
  return {
    requestId: ID,
    posId: "POS-1",
    referenceId: "r-1",
    transType: "sale",
    terms: { transAmt: "10.00", paymentMethod: "bankCard" },
    details: {},
    frozen: FROZEN,
    receivedAt: 1_000,
    endsAt: 91_000,
    state: "sent",
    attempt: 1,
    reached: true,
    ...INITIAL_PROGRESS,
    revision: 1,
    stages: [],
    ...members,
  };
}

const RESULT = {
  paymentChannel: "VISA",
  cardNo: "xxxxxxxxxxxx1111",
  invNo: "000001",
  batchNo: "7",
  tid: "10000001",
  mid: "",
  rrn: "12",
  apprCode: "A1",
  transDateTime: "20261122101112",
  transAmt: "9.99",
  currency: "USD",
};

const COMPLETED = {
  state: "completed",
  completedBy: "terminal",
  completedAt: 20_000,
  outcome: { statusCode: "00", responseCode: "00", responseText: "APPROVED", ...VERSIONS, transData: RESULT },
} as const;

function entryOf(members: Partial<RealTransaction>, voided: LaneTransaction | null = null) {
  return buildRecordEntry(transaction(members), "T-1", LINK, voided);
}

describe("the entry of a transaction", () => {
  it("has the result's members, and the frozen amount and currency", ({ expect }) => {
    const stages = [{ stage: "received", at: 1_004 }];
    expect(entryOf({ ...COMPLETED, stages })).toEqual({
      requestId: ID,
      revision: 1,
      deviceId: "T-1",
      transaction: {
        transType: "sale",
        merchantId: "M-1",
        referenceId: "r-1",
        statusCode: "00",
        responseCode: "00",
        responseText: "APPROVED",
        completedBy: "terminal",
        transAmt: "10.00",
        cashAmt: null,
        currency: "MYR",
        paymentMethod: "bankCard",
        paymentChannel: "VISA",
        cardNo: "xxxxxxxxxxxx1111",
        invNo: "000001",
        batchNo: "7",
        tid: "10000001",
        mid: null,
        rrn: "12",
        apprCode: "A1",
        transDateTime: "20261122101112",
        transId: null,
      },
      receivedAt: 1_000,
      completedAt: 20_000,
      times: { gateway: 4 },
      voids: null,
    });
  });

  it("is the gateway's own 22 once its end has passed", ({ expect }) => {
    const terms = { transAmt: "10.00", paymentMethod: "qrCustScan", paymentChannel: "Wallet" };
    const entry = entryOf({ ended: true, terms });
    expect(entry).toMatchObject({ completedAt: null, times: null });
    expect(entry.transaction).toMatchObject({
      statusCode: "22",
      responseCode: "TERMINAL_LOST",
      completedBy: null,
      transAmt: "10.00",
      paymentMethod: "qrCustScan",
      paymentChannel: "Wallet",
      tid: null,
      transDateTime: null,
    });
  });

  it("has no member of a result if the operator resolved it", ({ expect }) => {
    const outcome = { statusCode: "00", responseCode: "RESOLVED", responseText: "Seen.", ...VERSIONS } as const;
    const frozen = { ...FROZEN, cashAmt: "5.00" };
    const { transaction: told } = entryOf({
      ...COMPLETED,
      transType: "cashOut",
      completedBy: "operator",
      frozen,
      outcome,
    });
    expect(told).toMatchObject({ completedBy: "operator", responseCode: "RESOLVED", responseText: "Seen." });
    expect(told).toMatchObject({ transAmt: "10.00", cashAmt: "5.00", paymentChannel: null, cardNo: null });
    expect(told).toMatchObject({ transDateTime: null });
  });

  it("contains nothing of an earlier report that the result contradicts", ({ expect }) => {
    const outcome = { ...COMPLETED.outcome, statusCode: "22" } as const;
    const reported = entryOf({ state: "pending", pendingReason: "reported", outcome });
    expect(reported.transaction).toMatchObject({ statusCode: "22", responseCode: "00", tid: "10000001" });
    const contradicted = entryOf({ state: "pending", pendingReason: "mismatch", outcome });
    expect(contradicted.transaction).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED", tid: null });
  });
});

describe("the entry of a void", () => {
  const SALE = transaction({ requestId: ID - 1, referenceId: "r-0" });
  const VOID: Partial<RealTransaction> = {
    transType: "void",
    terms: { transId: String(ID - 1) },
    frozen: { ...FROZEN, paymentMethod: "bankCard" },
  };

  it("names the reversed sale and its payment if completed 00", ({ expect }) => {
    const entry = entryOf({ ...COMPLETED, ...VOID }, SALE);
    expect(entry.voids).toEqual({ requestId: ID - 1, referenceId: "r-0" });
    expect(entry.transaction).toMatchObject({ transId: String(ID - 1), paymentMethod: "bankCard", transAmt: "10.00" });
  });

  it("reverses nothing while pending, if 11, or without the sale", ({ expect }) => {
    const declined = { ...COMPLETED.outcome, statusCode: "11" } as const;
    expect(entryOf({ ...VOID, ended: true }, SALE).voids).toBeNull();
    expect(entryOf({ ...COMPLETED, ...VOID, outcome: declined }, SALE).voids).toBeNull();
    expect(entryOf({ ...COMPLETED, ...VOID, frozen: FROZEN }, null)).toMatchObject({
      voids: null,
      transaction: { transId: String(ID - 1), paymentMethod: null },
    });
  });
});

/** Sums of each hour and account, of sales with these members, oldest first. */
function countsOf(sales: readonly Partial<RealTransaction>[], [from, to]: [from: number, to: number]) {
  const rows = sales.map((members, index) => transaction({ ...COMPLETED, requestId: ID + index, ...members }));
  const page = (before: number, limit: number): LaneTransaction[] =>
    rows
      .filter(({ requestId }) => requestId < before)
      .toReversed()
      .slice(0, limit);
  const stores = { journal: { page }, lane: { lane: { link: LINK } } } as unknown as JournalStores;
  return hourlyStatistics(stores, from, to).map(({ hour, posId, tally }) => [
    hour,
    posId,
    tally.filter(([key]) => !/^(?:gateway|delivery|customer) /u.test(key)),
  ]);
}

describe("the statistics of a terminal", () => {
  const HOUR = 3_600_000;

  it("count transactions completed in time, by hour and account", ({ expect }) => {
    const sales = [
      { receivedAt: HOUR - 1, completedAt: HOUR + 1 },
      { receivedAt: HOUR, completedAt: 2 * HOUR - 1 },
      { receivedAt: HOUR, completedAt: 2 * HOUR, posId: "POS-2" },
      { receivedAt: 2 * HOUR - 1, completedAt: 2 * HOUR, state: "pending", completedBy: null },
      { receivedAt: 2 * HOUR - 1, completedAt: 2 * HOUR },
      { receivedAt: 2 * HOUR, completedAt: 2 * HOUR },
    ] as const;
    const one = ["00 terminal sale 00", 1];
    const turnover = ["amount MYR", 1_000];
    expect(countsOf(sales, [HOUR, 2 * HOUR])).toEqual([
      [2, "POS-1", [one, turnover]],
      [2, "POS-2", [one, turnover]],
      [1, "POS-1", [one, turnover]],
    ]);
  });

  it("read the newest 2,000 rows, page by page", ({ expect }) => {
    const sales = Array.from({ length: 2_001 }, () => ({}));
    const counts = [
      ["00 terminal sale 00", 2_000],
      ["amount MYR", 2_000_000],
    ];
    expect(countsOf(sales, [0, HOUR])).toEqual([[0, "POS-1", counts]]);
  });
});
