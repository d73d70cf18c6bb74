/** What an account's object writes to D1 of its transactions, and when. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { accountStub, type RecordEntry } from "../../src/rpc/account.ts";
import { TALLY_EVENTS } from "../../src/account/limits.ts";
import { Hours } from "../../src/account/storage/days.ts";
import { figuresOf } from "../../src/http/operator/statistics/figures.ts";
import type { Tally } from "../../src/statistics/tally.ts";
import { STATISTICS_DELAY } from "../../src/statistics/limits.ts";
import { unpacked } from "../../src/storage/fingerprints.ts";
import { ofAccounts, ofService } from "../../src/storage/statistics.ts";
import { useFakeClock } from "../support/clock.ts";
import { failStatistics } from "../support/database.ts";
import { alarmOf, type Books, openBooks, ring } from "./books.ts";
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
  await env.DATABASE.exec("DELETE FROM statistics_hours");
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

/** The delay passes, and the alarm fires. */
async function wake(books: Books): Promise<void> {
  pass(STATISTICS_DELAY);
  await ring(books);
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
  const own = (await ofAccounts(env.DATABASE, { posId }, ALL)) ?? [];
  const added = new Map((await ofService(env.DATABASE, "hour", ALL)).map(({ unit, tally }) => [unit, tally]));
  return own
    .toSorted((one, other) => (one.unit ?? 0) - (other.unit ?? 0))
    .map(({ unit, tally }) => {
      const [counted, sum] = [tally, added.get(unit) ?? new Map<string, number>()].map(completedIn);
      const hour = new Date((unit ?? 0) * HOUR).toISOString().slice(5, 13);
      if (found.get(unit ?? 0) !== counted) return `${hour} ${counted}, and finds ${found.get(unit ?? 0)}`;
      return sum === counted ? `${hour} ${counted}` : `${hour} ${counted}, and ${sum} of the service`;
    });
}

function completedIn(tally: Tally): number {
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

describe("D1 gets what an account's hours add up to", () => {
  it("a minute after the first transaction, by an alarm", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books);
    expect(await alarmOf(books)).toBe(Date.parse("2031-05-10T04:01:00Z"));
    await complete(books);
    expect(await hoursInD1(books)).toEqual([]);
    await wake(books);
    await seen(books, ["05-10T04 2"]);
    // The alarm in case of a reset, and then only the one that ends the day.
    await eventually(async () => expect(await alarmOf(books)).toBe(Date.parse("2031-05-10T04:06:00Z")));
    await ring(books);
    expect(await alarmOf(books)).toBe(Date.parse("2031-05-10T16:15:00Z"));
  });

  it("counts each once, in its hour, after early, late and repeated reports", async () => {
    const books = await quietBooks();
    const [late] = await complete(books, { completedAt: Date.parse("2031-05-10T02:59:59Z") });
    await wake(books);
    await seen(books, ["05-10T02 1"]);
    pass(2 * HOUR);
    await books.object.record([late as RecordEntry]);
    await complete(books);
    await complete(books, { completedAt: Date.parse("2031-05-10T02:10:00Z") });
    await wake(books);
    await seen(books, ["05-10T02 2", "05-10T06 1"]);
  });

  it("without transactions that are 22, and with the end of each when it comes", async ({ expect }) => {
    const books = await quietBooks();
    const [open] = await complete(books, OPEN);
    await wake(books);
    expect(await hoursInD1(books)).toEqual([]);
    const { requestId = 0, transaction } = open ?? {};
    await complete(books, {
      requestId,
      revision: 2,
      transaction: { ...transaction, statusCode: "00", completedBy: "terminal" },
    });
    await wake(books);
    await seen(books, ["05-10T04 1"]);
  });

  it("again after a failure and a reset", async ({ expect }) => {
    const books = await quietBooks();
    const database = failStatistics("fail");
    await complete(books);
    await wake(books);
    await eventually(() => expect(database.tries).toBe(1));
    database.recover();
    await abortAllDurableObjects();
    pass(10 * MINUTE);
    await ring(books);
    await seen(books, ["05-10T04 1"]);
  });

  it("the same again when its answer is lost: nothing counts twice", async ({ expect }) => {
    const books = await quietBooks();
    const database = failStatistics("lose");
    await complete(books);
    await wake(books);
    await eventually(() => expect(database.tries).toBe(1));
    database.recover();
    await complete(books);
    pass(10 * MINUTE);
    await ring(books);
    await seen(books, ["05-10T04 2"]);
  });

  it("nothing from an old batch that comes after a newer one", async ({ expect }) => {
    const books = await quietBooks();
    const database = failStatistics("hang");
    await complete(books);
    await wake(books);
    await eventually(() => expect(database.tries).toBe(1));
    await abortAllDurableObjects();
    await complete(books);
    pass(10 * MINUTE);
    await ring(books);
    await eventually(() => expect(database.tries).toBe(2));
    database.recover();
    await seen(books, ["05-10T04 2"]);
  });

  it("has how long each part took", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books, { times: { gateway: 7, delivery: 120, customer: 9_000 } });
    await wake(books);
    await seen(books, ["05-10T04 1"]);
    const [summed] = await ofService(env.DATABASE, "whole", ALL);
    const { gateway, delivery, customer } = figuresOf(summed?.tally ?? new Map());
    expect(gateway).toMatchObject({ count: 1, within: { "10": 1 } });
    expect(delivery).toMatchObject({ count: 1, within: { "100": 0, "250": 1 } });
    expect(customer).toMatchObject({ count: 1, within: { "5000": 0, "10000": 1 } });
  });

  it("up to date after a restore of D1", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books, {}, 2);
    await wake(books);
    await seen(books, ["05-10T04 2"]);
    for (const table of ["statistics_hours", "account_hours", "fingerprints"]) {
      await env.DATABASE.exec(`DELETE FROM ${table}`);
    }
    await complete(books);
    await wake(books);
    await eventually(async () => expect(await foundInD1(books.posId)).toEqual(new Map([[hourNow(), 1]])));
    await books.object.resync();
    await seen(books, ["05-10T04 3"]);
  });
});

function hourNow(): number {
  return Math.floor(Date.now() / HOUR);
}

describe("what an account's hours add up to", () => {
  it("is stored every 500 events and never counted twice, resets in between", async ({ expect }) => {
    const books = await quietBooks();
    const stored = vi.spyOn(Hours.prototype, "save");
    await complete(books, {}, TALLY_EVENTS - 1);
    expect(stored).not.toHaveBeenCalled();
    await abortAllDurableObjects();
    await complete(books, {}, 51);
    expect(stored).toHaveBeenCalledOnce();
    await wake(books);
    await seen(books, [`05-10T04 ${TALLY_EVENTS + 50}`]);
  });

  it("is there for 400 days, with what D1 lacks", async ({ expect }) => {
    const books = await quietBooks();
    await complete(books, {}, TALLY_EVENTS);
    const first = Math.floor(Date.now() / DAY);
    pass(300 * DAY);
    await complete(books);
    const asked = async (from: number, to: number) =>
      [...(await accountStub(env, books.posId).statistics(from, to))].map(([day, hours]) => [
        day - first,
        [...hours.values()].map((tally) => tally.get("00 terminal sale 00")),
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

  it("never delays a payment if it cannot be stored", async ({ expect }) => {
    const books = await quietBooks();
    vi.spyOn(Hours.prototype, "save").mockImplementation(() => {
      throw new Error("storage is full");
    });
    const { recorded } = await books.object.record((await complete(books, {}, TALLY_EVENTS)).slice(-1));
    expect(recorded).toHaveLength(1);
    vi.restoreAllMocks();
    pass(2 * HOUR);
    await ring(books);
    await seen(books, [`05-10T04 ${TALLY_EVENTS}`]);
    await complete(books);
    await wake(books);
    await seen(books, [`05-10T04 ${TALLY_EVENTS}`, "05-10T06 1"]);
  });
});
