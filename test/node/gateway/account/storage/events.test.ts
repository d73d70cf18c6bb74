/** The feed as it is kept (I7): numbers, texts and times of its events. */
import { describe, it } from "vitest";
import { assignBusinessDay } from "../../../../../src/gateway/account/feed.ts";
import { Events } from "../../../../../src/gateway/account/storage/events.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import type { AccountEvent, TransactionEvent } from "../../../../../src/protocol/events.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";
import { saleEntry } from "../../../../support/gateway/account/samples.ts";

const TIMESTAMP = "2031-05-10T12:00:00.000+08:00";

const COMPLETED = Date.parse(TIMESTAMP);

const SALE = assignBusinessDay(
  saleEntry(1_000_000_001, {
    receivedAt: COMPLETED - 20_000,
    completedAt: COMPLETED,
    transaction: { cashAmt: "2.00" },
  }),
  null,
  { timezone: "Asia/Kuala_Lumpur", closedDay: "" },
);

function sale(number: number): TransactionEvent {
  return { id: `evt_pos-1_${number}`, number, type: "transaction.completed", timestamp: TIMESTAMP, data: SALE };
}

/** Sales with these numbers, each recorded ten milliseconds after the one before, the first at 10. */
function withSales(...numbers: number[]): { sql: SqlStorage; events: Events } {
  const sql = memoryStorage(ACCOUNT_MIGRATIONS);
  const events = new Events(sql);
  for (const [index, number] of numbers.entries()) events.add(sale(number), 10 * (index + 1), null);
  return { sql, events };
}

describe("the feed", () => {
  it("keeps the times of a transaction that are known", ({ expect }) => {
    const { events } = withSales();
    const all = { gateway: 1, queue: 2, delivery: 3, customer: 4 };
    const times = [all, { queue: 0, customer: 4 }, { gateway: 1 }, {}, null];
    for (const [index, of] of times.entries()) events.add(sale(index + 1), 0, of);
    expect(events.after(0, 9).map((kept) => kept.times)).toEqual([
      all,
      { queue: 0, customer: 4 },
      { gateway: 1 },
      {},
      {},
    ]);
  });
});

describe("the first event since a time", () => {
  it("is found where events were deleted", ({ expect }) => {
    const { events } = withSales(1, 2, 3, 4, 5, 6, 7, 8, 9);
    for (const number of [1, 2, 4, 5, 6, 8]) events.remove(number);
    const found = [0, 30, 31, 70, 71, 90, 91].map((time) => events.firstSince(time));
    expect(found.map((number) => events.after(number - 1, 1)[0]?.number)).toEqual([3, 3, 7, 7, 9, 9, undefined]);
    expect(found.at(-1)).toBe(10);
  });
});

const EVENT =
  '{"id":"evt_POS-KL-0042_48213","number":48213,"type":"transaction.completed","timestamp":"2026-11-23T02:17:54.237+08:00","data":{"requestId":"1004821377","transType":"sale","deviceId":"T-KL-00421","merchantId":"M-9000123","referenceId":"20261123-00004213","statusCode":"00","responseCode":"00","responseText":"Approved.","completedBy":"terminal","receivedAt":"2026-11-23T02:17:38.164+08:00","completedAt":"2026-11-23T02:17:54.205+08:00","day":"2026-11-23","transAmt":"12.50","cashAmt":null,"currency":"MYR","paymentMethod":"bankCard","paymentChannel":"VISA","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","rrn":"632718451203","apprCode":"A8F231","transDateTime":"2026-11-23T02:17:54","transId":null,"voidedBy":null}}';

// If it fails, a reader or webhook would get other bytes for an event that was delivered before.
it("stores an event as the bytes that are delivered, and never others", ({ expect }) => {
  const { sql, events } = withSales();
  events.add(JSON.parse(EVENT) as AccountEvent, 10, null);
  expect(sql.exec("SELECT format, body FROM events").one()).toEqual({ format: 1, body: EVENT });
  expect(events.body(48_213)).toBe(EVENT);
});
