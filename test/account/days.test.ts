/** Business days of an account's object: what counts for which day, closing, and that a closed day never changes. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { eventually } from "../support/patience.ts";
import { accountStub, type RecordEntry } from "../../src/rpc/account.ts";
import { Days } from "../../src/account/storage/days.ts";
import { Events } from "../../src/account/storage/events.ts";
import type { AccountEvent, DayClosedEvent } from "../../src/protocol/events.ts";
import { DAY } from "../../src/time/units.ts";
import { useFakeClock } from "../support/clock.ts";
import { alarmOf, type Books, openBooks, ring } from "./books.ts";
import { type EntryChanges, OPEN } from "./samples.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

/** Years ahead of the real clock: no alarm fires by itself. */
function at(time: string): void {
  vi.setSystemTime(Date.parse(time));
}

/** An account whose copy in D1 is complete: its alarm is only for its days. */
async function quietBooks(timezone?: string): Promise<Books> {
  const books = await openBooks(timezone);
  await ring(books);
  return books;
}

/** Records a transaction, completed now unless `changes` differ. */
async function complete(books: Books, changes: EntryChanges = {}): Promise<RecordEntry> {
  const entry = books.entry(changes);
  await books.object.record([entry]);
  return entry;
}

const isClosing = (event: AccountEvent): event is DayClosedEvent => event.type === "day.closed";

async function closings(books: Books): Promise<string[]> {
  return (await books.feed()).filter(isClosing).map(({ number, data }) => `${number} ${data.day}`);
}

/** `day: count sum` of the whole account. */
async function sumOf({ object }: Books, day: string | null = null): Promise<string> {
  const totals = await object.totals(day, null);
  if (totals === null) throw new Error("no account");
  const lines = totals.data.map(({ approved }) => `${approved.count} ${approved.transAmt}`);
  return `${totals.day} ${totals.closed ? "closed" : "open"}: ${lines.join(", ")}`;
}

/** The values of a line, without the marks. */
function lineOf(line: object): string {
  return JSON.stringify(Object.values(line)).replaceAll('"', "");
}

describe("a day of an account", () => {
  it("is closed by the alarm that its first record set, with its totals", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    await complete(books);
    // First in case the object is reset while D1 is written to.
    at("2031-05-10T04:06:00Z");
    await eventually(async () => {
      await ring(books);
      expect(await alarmOf(books)).toBe(Date.parse("2031-05-11T00:15:00+08:00"));
    });
    at("2031-05-10T10:00:00Z");
    await complete(books);
    at("2031-05-10T16:15:00Z");
    await ring(books);
    const closing = (await books.feed()).at(-1);
    expect(closing).toMatchObject({
      number: 3,
      type: "day.closed",
      data: {
        day: "2031-05-10",
        timezone: "Asia/Kuala_Lumpur",
        closed: true,
        closesAt: "2031-05-11T00:15:00.000+08:00",
        deviceId: null,
        unresolved: null,
        data: [
          { transType: "sale", approved: { count: 2, transAmt: "25.00", cashAmt: "0.00" }, notApproved: { count: 0 } },
        ],
      },
    });
    expect(await books.object.totals("2031-05-10", null)).toEqual(closing?.data);
  });

  it("costs one alarm row, however often its object restarts", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    await complete(books);
    await abortAllDurableObjects();
    const set = await runInDurableObject(env.ACCOUNT.getByName(books.posId), (_object, { storage }) =>
      vi.spyOn(Object.getPrototypeOf(storage) as DurableObjectStorage, "setAlarm"),
    );
    await complete({ ...books, object: accountStub(env, books.posId) });
    expect(set).not.toHaveBeenCalled();
  });

  it("without a transaction closes silently, and costs an idle account nothing", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    expect(await alarmOf(books)).toBeNull();
    await complete(books);
    at("2031-05-10T16:15:00Z");
    await ring(books);
    at("2031-05-10T16:20:00Z");
    await eventually(async () => {
      await ring(books);
      expect(await alarmOf(books)).toBeNull();
    });
    at("2031-05-20T04:00:00Z");
    await complete(books);
    at("2031-05-20T16:15:00Z");
    await ring(books);
    expect(await closings(books)).toEqual(["2 2031-05-10", "4 2031-05-20"]);
    expect(await sumOf(books, "2031-05-15")).toBe("2031-05-15 closed: ");
  });

  it("whose alarm never fires is closed before anything is recorded or shown", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    await complete(books);
    at("2031-05-11T04:00:00Z");
    await complete(books);
    at("2031-05-12T04:00:00Z");
    expect(await sumOf(books)).toBe("2031-05-12 open: ");
    expect(await closings(books)).toEqual(["2 2031-05-10", "4 2031-05-11"]);
  });

  it("accepts what was completed before its end until it is closed, and nothing afterwards", async ({ expect }) => {
    at("2031-05-10T15:59:00Z");
    const books = await quietBooks();
    await complete(books);
    const completedAt = Date.parse("2031-05-10T15:59:59Z");
    at("2031-05-10T16:05:00Z");
    const early = await complete(books, { completedAt });
    // Both days are open now.
    await complete(books);
    at("2031-05-10T16:20:00Z");
    const late = await complete(books, { completedAt });
    const days = new Map((await books.events()).map(({ data }) => [Number(data.requestId), data.day]));
    expect(days.get(early.requestId)).toBe("2031-05-10");
    expect(days.get(late.requestId)).toBe("2031-05-11");
    expect(await sumOf(books, "2031-05-10")).toBe("2031-05-10 closed: 2 25.00");
    expect(await sumOf(books)).toBe("2031-05-11 open: 2 25.00");
    // The day that is open now has its alarm, though its first record came before the other was closed.
    expect(await alarmOf(books)).toBeLessThanOrEqual(Date.parse("2031-05-12T00:15:00+08:00"));
  });

  it.for([
    ["23", "2031-03-29T23:30:00Z", "2031-03-30T21:59:59Z", "2031-03-30"],
    ["25", "2031-10-25T22:30:00Z", "2031-10-26T22:59:59Z", "2031-10-26"],
  ])("of %s hours counts its first and its last second", async ([, first = "", last = "", day = ""], { expect }) => {
    at(first);
    const books = await quietBooks("Europe/Berlin");
    await complete(books);
    at(last);
    await complete(books);
    at(new Date(Date.parse(last) + 1_000).toISOString());
    await complete(books);
    at(new Date(Date.parse(last) + 20 * 60_000).toISOString());
    expect(await sumOf(books, day)).toBe(`${day} closed: 2 25.00`);
    expect(await closings(books)).toHaveLength(1);
  });

  it("stays closed and keeps its bytes when the zone moves west, and every report is repeated", async ({ expect }) => {
    at("2031-05-10T15:00:00Z");
    const books = await quietBooks();
    const told = [await complete(books), await complete(books, { deviceId: "T-2" })];
    at("2031-05-10T16:15:00Z");
    await ring(books);
    const before = await Promise.all(
      [null, "T-1", "T-2"].map((deviceId) => books.object.totals("2031-05-10", deviceId)),
    );
    await books.object.change({ timezone: "America/Los_Angeles" }, "tester");
    // Its date comes a second time.
    const again = await complete(books);
    await abortAllDurableObjects();
    const object = accountStub(env, books.posId);
    await object.record([...told, again].toReversed());
    const after = await Promise.all([null, "T-1", "T-2"].map((deviceId) => object.totals("2031-05-10", deviceId)));
    expect(after).toEqual(before);
    expect((await books.events()).at(-1)?.data.day).toBe("2031-05-11");
    expect(await closings(books)).toEqual(["3 2031-05-10"]);
  });

  it("is closed in the old zone when the zone changes after the day's end", async ({ expect }) => {
    at("2031-05-10T15:00:00Z");
    const books = await quietBooks();
    await complete(books);
    at("2031-05-10T17:00:00Z");
    await books.object.change({ timezone: "America/Los_Angeles" }, "tester");
    expect(await sumOf({ ...books }, "2031-05-10")).toBe("2031-05-10 closed: 1 12.50");
  });

  it("closes at the end of its date in the new zone when the zone changes while the day is open", async ({
    expect,
  }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    await complete(books);
    await books.object.change({ timezone: "Pacific/Auckland" }, "tester");
    at("2031-05-10T04:06:00Z");
    await eventually(async () => {
      await ring(books);
      expect(await alarmOf(books)).toBe(Date.parse("2031-05-11T00:15:00+12:00"));
    });
    at("2031-05-10T12:15:00Z");
    await ring(books);
    expect(await closings(books)).toEqual(["2 2031-05-10"]);
  });

  it("that cannot be closed delays no payment, and is closed soon afterwards", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    await complete(books);
    at("2031-05-10T16:15:00Z");
    const save = vi.spyOn(Days.prototype, "save").mockImplementation(() => {
      throw new Error("the disk is full");
    });
    await ring(books);
    expect(await alarmOf(books)).toBe(Date.now() + 5_000);
    await complete(books);
    expect(await books.events()).toHaveLength(2);
    save.mockRestore();
    vi.setSystemTime(Date.now() + 5_000);
    await ring(books);
    expect(await closings(books)).toEqual(["3 2031-05-10"]);
  });
});

describe("totals", () => {
  it("separate currencies, types and channels, offset nothing, and add up per terminal", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    const declined = { statusCode: "11", responseCode: "51" } as const;
    await complete(books);
    await complete(books, { deviceId: "T-2", transaction: { paymentChannel: "Boost" } });
    await complete(books, { transaction: { transType: "cashOut", cashAmt: "50.00" } });
    await complete(books, { transaction: { transType: "void" } });
    await complete(books, { transaction: declined });
    await complete(books, { transaction: { ...declined, paymentChannel: null } });
    await complete(books, { transaction: { currency: "SGD" } });
    const told = async (deviceId: string | null) => (await books.object.totals(null, deviceId))?.data.map(lineOf);
    expect(await told(null)).toEqual([
      "[MYR,cashOut,VISA,{count:1,transAmt:12.50,cashAmt:50.00},{count:0}]",
      "[MYR,sale,null,{count:0,transAmt:0.00,cashAmt:0.00},{count:1}]",
      "[MYR,sale,Boost,{count:1,transAmt:12.50,cashAmt:0.00},{count:0}]",
      "[MYR,sale,VISA,{count:1,transAmt:12.50,cashAmt:0.00},{count:1}]",
      "[MYR,void,VISA,{count:1,transAmt:12.50,cashAmt:0.00},{count:0}]",
      "[SGD,sale,VISA,{count:1,transAmt:12.50,cashAmt:0.00},{count:0}]",
    ]);
    expect(await told("T-2")).toEqual(["[MYR,sale,Boost,{count:1,transAmt:12.50,cashAmt:0.00},{count:0}]"]);
    expect(await told("T-9")).toEqual([]);
  });

  it("of the open day include everything that is 22 now, regardless of when it began", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    const old = await complete(books, OPEN);
    const late = await complete(books, { ...OPEN, deviceId: "T-2" });
    at("2031-05-12T04:00:00Z");
    await complete(books, OPEN);
    const unresolved = async (deviceId: string | null) => (await books.object.totals(null, deviceId))?.unresolved;
    expect(await unresolved(null)).toEqual({ count: 3, transAmt: "37.50" });
    expect(await unresolved("T-2")).toEqual({ count: 1, transAmt: "12.50" });
    await complete(books, { requestId: late.requestId, deviceId: "T-2", revision: 2, transaction: late.transaction });
    expect(await unresolved(null)).toEqual({ count: 2, transAmt: "25.00" });
    await complete(books, { ...OPEN, transaction: { ...OPEN.transaction, currency: "SGD" } });
    expect(await unresolved(null)).toEqual({ count: 3, transAmt: null });
    const { transaction, requestId } = old;
    const declined = { statusCode: "11", completedBy: "terminal" } as const;
    await complete(books, { requestId, revision: 2, transaction: { ...transaction, ...declined } });
    expect((await books.object.totals("2031-05-12", null))?.data[0]?.notApproved.count).toBe(1);
  });

  it("count a voided payment once, on the day on which it was completed", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    const sale = await complete(books);
    at("2031-05-11T04:00:00Z");
    const { requestId, transaction } = sale;
    const { referenceId } = transaction;
    await complete(books, {
      voids: { requestId, referenceId },
      transaction: { transType: "void", paymentChannel: null },
    });
    expect((await books.events()).at(-1)?.type).toBe("transaction.updated");
    expect(await sumOf(books, "2031-05-10")).toBe("2031-05-10 closed: 1 12.50");
    expect(await sumOf(books)).toBe("2031-05-11 open: 1 12.50");
  });

  it("read few events, however many payments the day has", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    const PAYMENTS = 1_600;
    for (let entry = 0; entry < PAYMENTS; entry += 50) {
      await books.object.record(Array.from({ length: 50 }, () => books.entry()));
    }
    const read = vi.spyOn(Events.prototype, "after");
    expect(await sumOf(books)).toBe(`2031-05-10 open: ${PAYMENTS} ${(PAYMENTS * 12.5).toFixed(2)}`);
    const rows = read.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0);
    expect(rows).toBeLessThan(550);
  });

  it("list fifty channels separately, and count further ones together", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    const entries = Array.from({ length: 60 }, (_, index) =>
      books.entry({ transaction: { paymentChannel: `Channel ${index}` } }),
    );
    await books.object.record(entries);
    const data = (await books.object.totals(null, null))?.data ?? [];
    expect(data).toHaveLength(51);
    expect(data.find(({ paymentChannel }) => paymentChannel === "(other)")?.approved.count).toBe(10);
  });

  it("of a thousand terminals are stored and read back", async ({ expect }) => {
    at("2031-05-10T04:00:00Z");
    const books = await quietBooks();
    const entries = Array.from({ length: 1_000 }, (_, index) => books.entry({ deviceId: `T-${index}` }));
    await books.object.record(entries);
    vi.setSystemTime(Date.now() + DAY);
    expect(await sumOf(books, "2031-05-10")).toBe("2031-05-10 closed: 1000 12500.00");
    expect((await books.object.totals("2031-05-10", "T-777"))?.data[0]?.approved.count).toBe(1);
  });
});
