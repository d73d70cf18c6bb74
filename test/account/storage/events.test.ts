/** The feed as it is kept (I7): numbers, texts and times of its events. */
import { describe, it } from "vitest";
import { transactionOf } from "../../../src/account/feed.ts";
import { Events, STORED_EVENTS } from "../../../src/account/storage/events.ts";
import { MIGRATIONS } from "../../../src/account/storage/schema.ts";
import type { AccountEvent, TransactionEvent } from "../../../src/protocol/events.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { saleEntry } from "../samples.ts";

const TIMESTAMP = "2031-05-10T12:00:00.000+08:00";

const COMPLETED = Date.parse(TIMESTAMP);

const SALE = transactionOf(
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

const DISABLED: AccountEvent = {
  id: "evt_pos-1_9",
  number: 9,
  type: "webhook.disabled",
  timestamp: TIMESTAMP,
  data: { webhookId: "wh_1", host: "books.example.com", disabledBy: "gone", cursor: 0 },
};

/** Sales with these numbers, each recorded ten milliseconds after the one before, the first at 10. */
function withSales(...numbers: number[]): { sql: SqlStorage; events: Events } {
  const sql = memoryStorage(MIGRATIONS);
  const events = new Events(sql);
  for (const [index, number] of numbers.entries()) events.add(sale(number), 10 * (index + 1), null);
  return { sql, events };
}

describe("the feed", () => {
  it("knows its oldest and newest number, also after a restart", ({ expect }) => {
    const { sql, events } = withSales(1, 2, 3);
    events.remove(1);
    expect([events.oldest, events.newest]).toEqual([2, 3]);
    const restarted = new Events(sql);
    expect([restarted.oldest, restarted.newest]).toEqual([2, 3]);
    const empty = withSales().events;
    expect([empty.oldest, empty.newest]).toEqual([0, 0]);
  });

  it("has each event as a text, and as what it says", ({ expect }) => {
    const { events } = withSales(1, 2);
    expect(events.body(2)).toBe(JSON.stringify(sale(2)));
    expect(events.find(2)).toEqual(sale(2));
    expect([events.body(3), events.find(3)]).toEqual([null, null]);
  });

  it("is read in order from a number on, and backwards down to a number", ({ expect }) => {
    const { events } = withSales(1, 2, 3, 4);
    expect(events.bodiesAfter(1, 2)).toEqual([2, 3].map((number) => ({ number, body: events.body(number) })));
    expect(events.after(1, 2)).toEqual([
      { number: 2, at: 20, event: sale(2), times: {} },
      { number: 3, at: 30, event: sale(3), times: {} },
    ]);
    expect(events.before(4, 2, 9).map(({ number }) => number)).toEqual([3, 2]);
    expect(events.before(5, 1, 2).map(({ number }) => number)).toEqual([4, 3]);
  });

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
  it("is found by its number, or the number that the next event will have", ({ expect }) => {
    const { events } = withSales(1, 2, 3, 4, 5);
    const times = [0, 10, 11, 20, 30, 31, 50, 51];
    expect(times.map((time) => events.firstSince(time))).toEqual([1, 1, 2, 2, 3, 4, 5, 6]);
    expect(withSales().events.firstSince(0)).toBe(1);
  });

  it("is found where events were deleted", ({ expect }) => {
    const { events } = withSales(1, 2, 3, 4, 5, 6, 7, 8, 9);
    for (const number of [1, 2, 4, 5, 6, 8]) events.remove(number);
    const found = [0, 30, 31, 70, 71, 90, 91].map((time) => events.firstSince(time));
    expect(found.map((number) => events.after(number - 1, 1)[0]?.number)).toEqual([3, 3, 7, 7, 9, 9, undefined]);
    expect(found.at(-1)).toBe(10);
  });
});

describe("completions after an event", () => {
  it("are counted up to a limit, and nothing else is", ({ expect }) => {
    const { events } = withSales(1, 2, 3);
    events.add({ ...sale(4), type: "transaction.pending" }, 40, null);
    events.add(DISABLED, 50, null);
    expect([events.completedAfter(0, 9), events.completedAfter(1, 9), events.completedAfter(3, 9)]).toEqual([3, 2, 0]);
    expect(events.completedAfter(0, 2)).toBe(2);
  });

  it("are known without reading if only the newest event follows", ({ expect }) => {
    const { sql, events } = withSales(1);
    events.add({ ...sale(2), type: "transaction.pending" }, 20, null);
    expect([events.completedAfter(1, 9), events.completedAfter(0, 9)]).toEqual([0, 1]);
    events.add(sale(3), 30, null);
    sql.exec("UPDATE events SET type = 'transaction.updated'");
    expect([events.completedAfter(2, 9), events.completedAfter(1, 9), events.completedAfter(3, 9)]).toEqual([1, 0, 0]);
  });

  it("are counted by an object that has started again, or has undone a turn", ({ expect }) => {
    const { sql, events } = withSales(1);
    sql.exec("BEGIN");
    events.add({ ...sale(2), type: "transaction.pending" }, 20, null);
    sql.exec("ROLLBACK");
    events.rollBack();
    const restarted = new Events(sql);
    for (const each of [events, restarted]) expect([each.newest, each.completedAfter(0, 9)]).toEqual([1, 1]);
  });
});

describe("whether an event was appended", () => {
  it("is reported once, and not if the turn is undone", ({ expect }) => {
    const { sql, events } = withSales();
    expect(events.takeAppended()).toBe(false);
    events.add(sale(1), 10, null);
    expect([events.takeAppended(), events.takeAppended()]).toEqual([true, false]);
    sql.exec("BEGIN");
    events.add(sale(2), 20, null);
    expect(events.newest).toBe(2);
    sql.exec("ROLLBACK");
    events.rollBack();
    expect(events.takeAppended()).toBe(false);
    expect(events.newest).toBe(1);
  });
});

const EVENT =
  '{"id":"evt_POS-KL-0042_48213","timestamp":"2026-11-23T02:17:54.237+08:00","data":{"requestId":"1004821377","transType":"sale","deviceId":"T-KL-00421","merchantId":"M-9000123","referenceId":"20261123-00004213","statusCode":"00","responseCode":"00","responseText":"Approved.","completedBy":"terminal","receivedAt":"2026-11-23T02:17:38.164+08:00","completedAt":"2026-11-23T02:17:54.205+08:00","day":"2026-11-23","transAmt":"12.50","cashAmt":null,"currency":"MYR","paymentMethod":"bankCard","paymentChannel":"VISA","cardNo":"************4211","invNo":"000123","batchNo":"000017","tid":"10421001","mid":"000012345678901","rrn":"632718451203","apprCode":"A8F231","transDateTime":"2026-11-23T02:17:54","transId":null,"voidedBy":null}}';
const STORED_EVENT =
  '1[0,"evt_POS-KL-0042_48213","2026-11-23T02:17:54.237+08:00",[0,"1004821377","sale","T-KL-00421","M-9000123","20261123-00004213","00","00","Approved.","terminal","2026-11-23T02:17:38.164+08:00","2026-11-23T02:17:54.205+08:00","2026-11-23","12.50",null,"MYR","bankCard","VISA","************4211","000123","000017","10421001","000012345678901","632718451203","A8F231","2026-11-23T02:17:54"]]';

// If it fails, rows that exist would be read as something else. Add a layout at the end instead.
it("is read as it was stored by an earlier version, and delivered with the same bytes", ({ expect }) => {
  expect(JSON.stringify(STORED_EVENTS.unpack(STORED_EVENT))).toBe(EVENT);
  expect(STORED_EVENTS.pack(JSON.parse(EVENT) as object)).toBe(STORED_EVENT);
});
