/** What an account's object counts by the hour, and when it writes that to D1. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { accountStub, type RecordEntry } from "../../src/rpc/account.ts";
import { TALLY_EVENTS } from "../../src/account/limits.ts";
import { Hours } from "../../src/account/storage/days.ts";
import { figuresOf } from "../../src/http/operator/statistics/figures.ts";
import { emptyTally, type Tally } from "../../src/statistics/tally.ts";
import { BUSY_EVENTS } from "../../src/statistics/limits.ts";
import { unpacked } from "../../src/storage/fingerprints.ts";
import { ofAccounts, ofService } from "../../src/storage/statistics.ts";
import { useFakeClock } from "../support/clock.ts";
import { failStatistics } from "../support/database.ts";
import { alarmOf, type Books, justTold, openBooks, ring } from "./books.ts";
import { type EntryChanges, OPEN } from "./samples.ts";
import { eventually } from "../support/patience.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Years ahead of the real clock: no alarm fires by itself. */
function at(time: string): void {
  vi.setSystemTime(Date.parse(time));
}

function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

async function quietBooks(): Promise<Books> {
  at("2031-05-10T04:00:00Z");
  // What other tests have added to the same hours.
  for (const unit of ["hour", "day"]) await env.DATABASE.exec(`DELETE FROM statistics_${unit}s`);
  const books = await openBooks();
  await ring(books);
  return books;
}

async function complete(books: Books, changes: EntryChanges = {}, times = 1): Promise<RecordEntry[]> {
  const entries = Array.from({ length: times }, () => books.entry(changes));
  for (let from = 0; from < times; from += 50)
    await accountStub(env, books.posId).record(entries.slice(from, from + 50));
  return entries;
}

const ALL = { from: 0, to: 1e6 };

/** How many payments D1 can find, by hour. Each is there once. */
async function foundInD1(posId: string): Promise<Map<number, number>> {
  const { results } = await env.DATABASE.prepare(
    "SELECT day, hex(payments) AS payments FROM fingerprints WHERE pos_id = ?",
  )
    .bind(posId)
    .all<{ day: number; payments: string }>();
  const found = results.flatMap(({ day, payments }) => unpacked(day, payments));
  if (new Set(found.map(({ event }) => event)).size < found.length) throw new Error("D1 has a payment twice");
  return new Map([...Map.groupBy(found, (one) => Math.floor(one.at / HOUR))].map(([hour, all]) => [hour, all.length]));
}

/**
 * Sales by the hour that they completed in, as D1 has them of the account, finds them, and adds them up: `hour count`.
 */
async function hoursInD1({ posId }: Books): Promise<string[]> {
  const found = await foundInD1(posId);
  const { hours: own = [] } = (await ofAccounts(env.DATABASE, { posId }, ALL)) ?? {};
  const added = new Map((await ofService(env.DATABASE, "hour", ALL)).map(({ unit, tally }) => [unit, tally]));
  return own
    .toSorted((one, other) => (one.unit ?? 0) - (other.unit ?? 0))
    .map(({ unit, tally }) => {
      const [counted, sum] = [tally, added.get(unit) ?? emptyTally()].map(sumOf);
      const hour = new Date((unit ?? 0) * HOUR).toISOString().slice(5, 13);
      if (found.get(unit ?? 0) !== counted) return `${hour} ${counted}, and finds ${found.get(unit ?? 0)}`;
      return sum === counted ? `${hour} ${counted}` : `${hour} ${counted}, and ${sum} of the service`;
    });
}

function sumOf(tally: Tally): number {
  const { transactions } = figuresOf(tally);
  return transactions["00"] + transactions["11"];
}

/** D1 has them before long. */
async function seen(books: Books, wanted: string[]): Promise<void> {
  await eventually(async () => {
    const hours = await hoursInD1(books);
    if (hours.join() !== wanted.join()) throw new Error(`D1 has ${hours.join()}, not ${wanted.join()}`);
  });
}

/** D1 has failed. The write is retried within five minutes, and not at once. */
async function retried(books: Books): Promise<void> {
  const from = Date.now();
  await eventually(async () => {
    const alarm = (await alarmOf(books)) ?? Infinity;
    if (alarm - from > 5 * MINUTE) throw new Error("no alarm is set");
    if (alarm - from < 2.5 * MINUTE) throw new Error("the alarm is too early");
  });
}

describe("D1 gets what an account's hours add up to", () => {
  it("at once for the first three transactions, then hourly with the next one, and by an alarm if none follows", async ({
    expect,
  }) => {
    const books = await quietBooks();
    for (const wanted of ["1", "2", "3"]) {
      await complete(books);
      await seen(books, [`05-10T04 ${wanted}`]);
    }
    const closing = await alarmOf(books);
    pass(10 * MINUTE);
    await complete(books);
    expect(await hoursInD1(books)).toEqual(["05-10T04 3"]);
    expect(await alarmOf(books)).toBeLessThan(Date.parse("2031-05-10T06:01:00Z"));
    at("2031-05-10T05:01:00Z");
    await complete(books);
    await seen(books, ["05-10T04 4", "05-10T05 1"]);
    at("2031-05-10T05:11:00Z");
    await complete(books);
    expect(await hoursInD1(books)).toEqual(["05-10T04 4", "05-10T05 1"]);
    at("2031-05-10T07:02:00Z");
    await ring(books);
    await seen(books, ["05-10T04 4", "05-10T05 2"]);
    await eventually(async () => expect(await alarmOf(books)).toBe(closing));
  });

  it("by a separate alarm, after which only the one that ends the day is left", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books);
    const closing = await alarmOf(books);
    await justTold(books.posId);
    await complete(books);
    at("2031-05-10T06:00:00Z");
    await ring(books);
    await seen(books, ["05-10T04 2"]);
    await eventually(async () => expect(await alarmOf(books)).toBe(closing));
  });

  it("without an alarm, if it is due just when something is completed", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books);
    const closing = await alarmOf(books);
    await justTold(books.posId);
    pass(HOUR);
    await complete(books);
    await seen(books, ["05-10T04 1", "05-10T05 1"]);
    expect(await alarmOf(books)).toBe(closing);
  });

  it("every five minutes while it is busy", async ({ expect }) => {
    const books = await quietBooks();
    await justTold(books.posId);
    await complete(books, {}, BUSY_EVENTS);
    expect(await alarmOf(books)).toBe(Date.parse("2031-05-10T04:10:00Z"));
    pass(5 * MINUTE);
    await complete(books);
    await seen(books, [`05-10T04 ${BUSY_EVENTS + 1}`]);
  });

  it("once each, in the hour in which it completed, also after earlier, late and repeated reports", async () => {
    const books = await quietBooks();
    const [late] = await complete(books, { completedAt: Date.parse("2031-05-10T02:59:59Z") });
    await seen(books, ["05-10T02 1"]);
    pass(2 * HOUR);
    await books.object.record([late as RecordEntry]);
    await complete(books);
    await seen(books, ["05-10T02 1", "05-10T06 1"]);
    pass(2 * HOUR);
    await complete(books, { completedAt: Date.parse("2031-05-10T02:10:00Z") });
    await seen(books, ["05-10T02 2", "05-10T06 1"]);
  });

  it("a transaction that is recorded more than 30 days late in the hour in which it is recorded", async () => {
    const books = await quietBooks();
    at("2031-06-12T10:30:00Z");
    await complete(books, { completedAt: Date.parse("2031-05-10T05:00:00Z") });
    await seen(books, ["06-12T10 1"]);
  });

  it("without transactions that are 22, and with the end of each when it comes", async ({ expect }) => {
    const books = await quietBooks();
    const [open] = await complete(books, OPEN);
    expect(await alarmOf(books)).not.toBeNull();
    pass(2 * HOUR);
    expect(await hoursInD1(books)).toEqual([]);
    const { requestId = 0, transaction } = open ?? {};
    await complete(books, {
      requestId,
      revision: 2,
      transaction: { ...transaction, statusCode: "00", completedBy: "terminal" },
    });
    await seen(books, ["05-10T06 1"]);
  });

  it("again after a failure, and after a reset in the middle", async () => {
    const books = await quietBooks();
    const database = failStatistics("fail");
    await complete(books);
    await retried(books);
    database.recover();
    at("2031-05-10T04:06:00Z");
    await abortAllDurableObjects();
    await ring(books);
    await seen(books, ["05-10T04 1"]);
  });

  it("the same again when its answer is lost: nothing counts twice", async () => {
    const books = await quietBooks();
    const database = failStatistics("lose");
    await complete(books);
    await retried(books);
    database.recover();
    pass(6 * MINUTE);
    await complete(books);
    await seen(books, ["05-10T04 2"]);
  });

  it("of an old note that comes late nothing", async () => {
    const books = await quietBooks();
    const database = failStatistics("hang");
    await complete(books);
    pass(2 * HOUR);
    await abortAllDurableObjects();
    const before = database.tries;
    await complete(books, { completedAt: Date.parse("2031-05-10T04:00:01Z") });
    await eventually(() => {
      if (database.tries === before) throw new Error("D1 was not told");
    });
    database.recover();
    await seen(books, ["05-10T04 2"]);
  });
});

describe("what an account's hours add up to", () => {
  it("is kept every 500 events and never counted twice, resets in between", async ({ expect }) => {
    const books = await quietBooks();
    const kept = vi.spyOn(Hours.prototype, "save");
    await complete(books, {}, TALLY_EVENTS - 1);
    expect(kept).not.toHaveBeenCalled();
    await abortAllDurableObjects();
    await complete(books, {}, 51);
    expect(kept).toHaveBeenCalledOnce();
    pass(2 * HOUR);
    await complete(books);
    await seen(books, [`05-10T04 ${TALLY_EVENTS + 50}`, "05-10T06 1"]);
  });

  it("is kept for 400 days, and told when it is asked for, with what D1 lacks", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books, {}, TALLY_EVENTS);
    const first = Math.floor(Date.now() / DAY);
    pass(300 * DAY);
    await complete(books);
    const asked = async (from: number, to: number) =>
      [...(await accountStub(env, books.posId).statistics(from, to))].map(([day, hours]) => [
        day - first,
        [...(hours.get("00 terminal sale 00")?.values() ?? [])],
      ]);
    expect(await asked(first, first + 300)).toEqual([
      [0, [TALLY_EVENTS]],
      [300, [1]],
    ]);
    expect(await asked(first + 1, first + 300)).toEqual([[300, [1]]]);
    pass(101 * DAY);
    await complete(books, {}, TALLY_EVENTS);
    expect(await asked(first, first + 400)).toEqual([[300, [1]]]);
  });

  it("is not added twice after a restore of D1, which lacks the newest", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books, {}, 2);
    await seen(books, ["05-10T04 2"]);
    const tables = ["statistics_hours", "statistics_days", "statistics_told", "account_hours", "fingerprints"];
    const kept = await env.DATABASE.batch(tables.map((table) => env.DATABASE.prepare(`SELECT * FROM ${table}`)));
    await complete(books, {}, 3);
    pass(2 * HOUR);
    await complete(books);
    await seen(books, ["05-10T04 5", "05-10T06 1"]);
    for (const [index, table] of tables.entries()) {
      await env.DATABASE.exec(`DELETE FROM ${table}`);
      const rows = (kept[index]?.results ?? []) as Record<string, unknown>[];
      for (const row of rows) {
        // D1 shows a blob as a list of numbers.
        const values = Object.values(row).map((value) => (Array.isArray(value) ? new Uint8Array(value) : value));
        const insert = `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${values.map(() => "?").join()})`;
        await env.DATABASE.prepare(insert)
          .bind(...values)
          .run();
      }
    }
    expect(await hoursInD1(books)).toEqual(["05-10T04 2"]);
    await books.object.retell("restored");
    await seen(books, ["05-10T04 5", "05-10T06 1"]);
    await complete(books);
    pass(2 * HOUR);
    await complete(books);
    await seen(books, ["05-10T04 5", "05-10T06 2", "05-10T08 1"]);
  });

  it("never delays a payment if it cannot be stored", async ({ expect }) => {
    const books = await quietBooks();
    vi.spyOn(Hours.prototype, "save").mockImplementation(() => {
      throw new Error("storage is full");
    });
    const { recorded } = await books.object.record((await complete(books, {}, TALLY_EVENTS)).slice(-1));
    expect(recorded).toHaveLength(1);
    vi.restoreAllMocks();
    pass(2 * HOUR);
    await complete(books);
    await seen(books, [`05-10T04 ${TALLY_EVENTS}`, "05-10T06 1"]);
  });

  it("includes how long each part took, and how long recording took", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books, {
      completedAt: Date.now() - 3_000,
      times: { gateway: 7, queue: 0, delivery: 120, customer: 9_000 },
    });
    const hour = Math.floor(Date.now() / HOUR) - 1;
    await eventually(async () => {
      const [summed] = await ofService(env.DATABASE, "hour", { from: hour, to: hour + 1 });
      if (summed === undefined) throw new Error("nothing is there");
      const { gateway, queue, delivery, customer, recording } = figuresOf(summed.tally);
      expect([gateway, queue].map((time) => time?.p50)).toEqual([7, 1]);
      for (const [time, exact] of [
        [delivery, 120],
        [customer, 9_000],
        [recording, 3_000],
      ] as const) {
        expect(time?.p99).toBeGreaterThanOrEqual(exact);
        expect(time?.p99).toBeLessThanOrEqual(exact * 1.1);
      }
    });
  });
});
