/** What an account's object does besides deciding: it wakes, it tells readers, it says what failed, and goes on. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, onTestFinished, vi } from "vitest";
import { accountStub, listQuestion, WAIT_SESSION } from "../../../../src/gateway/account/rpc.ts";
import { Followers } from "../../../../src/gateway/account/reading.ts";
import { Claims } from "../../../../src/gateway/account/storage/claims.ts";
import { Days, Hours } from "../../../../src/gateway/account/storage/days.ts";
import { Events } from "../../../../src/gateway/account/storage/events.ts";
import { AccountRecordStore } from "../../../../src/gateway/account/storage/record.ts";
import { OwnRow } from "../../../../src/gateway/durable/storage/rows.ts";
import { whileBreaking, type Write } from "../../../model/faults.ts";
import { DAY } from "../../../../src/protocol/time/units.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";
import {
  alarmOf,
  type Books,
  KID,
  openBooks,
  PASSWORD,
  ring,
  sealedKey,
} from "../../../support/gateway/account/books.ts";
import { ADDRESS, Shop } from "./webhooks/endpoints.ts";
import { TALLY_EVENTS } from "../../../../src/gateway/account/sums.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const SECOND = 1_000;
const NOON = Date.parse("2031-05-10T12:00:00+08:00");

function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}

/** At noon of a day, with a copy in D1 that is complete. */
async function quietBooks(): Promise<Books> {
  vi.setSystemTime(NOON);
  const books = await openBooks();
  await ring(books);
  return books;
}

function breaking(prototype: object, method: string) {
  return vi.spyOn(prototype as Record<string, () => unknown>, method).mockImplementation(() => {
    throw new Error("the disk is full");
  });
}

const EVERYTHING = listQuestion({}, { limit: 10 });

/** A day is over, with a sale, and nothing has closed it. */
async function overdue(): Promise<Books> {
  const books = await quietBooks();
  await books.object.record([books.entry()]);
  pass(12.5 * 60 * 60 * SECOND);
  // The session of the day before has ended with it.
  const opened = await books.object.openSession(PASSWORD, KID);
  if (opened.kind !== "opened") throw new Error(opened.kind);
  return { ...books, sessionId: opened.sessionId };
}

describe("an object that has not woken in time", () => {
  it("closes the day before it lists transactions or adds them up", async ({ expect }) => {
    const listed = await overdue();
    await listed.object.transactions(EVERYTHING);
    expect((await listed.feed()).map(({ type }) => type)).toEqual(["transaction.completed", "day.closed"]);
    const added = await overdue();
    expect((await added.object.totals(null, null)).day).toBe("2031-05-11");
    expect((await added.feed()).map(({ type }) => type)).toEqual(["transaction.completed", "day.closed"]);
  });
});

/** A reader that waits for the first event. */
async function waiting(): Promise<{ books: Books; socket: WebSocket; closed: Promise<CloseEvent> }> {
  const books = await openBooks();
  const { webSocket: socket } = await books.object.fetch("https://account.internal/wait?after=0", {
    headers: { Upgrade: "websocket", [WAIT_SESSION]: books.sessionId },
  });
  if (socket === null) throw new Error("no socket");
  const closed = new Promise<CloseEvent>((resolve) => {
    socket.addEventListener("close", (event) => resolve(event));
  });
  socket.accept();
  return { books, socket, closed };
}

describe("a reader's socket", () => {
  it("is closed when its connection fails", async ({ expect }) => {
    const { books, closed } = await waiting();
    await runInDurableObject(env.ACCOUNT.getByName(books.posId), (object, context) => {
      for (const socket of context.getWebSockets("follower")) object.webSocketError(socket);
    });
    expect(await closed).toMatchObject({ code: 1011, reason: "error" });
  });

  it("stops no payment and no delivery when it fails, and is logged", async ({ expect }) => {
    const shop = await Shop.open();
    await shop.add(ADDRESS);
    const { books } = shop;
    const sent = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(null, { status: 204 }));
    onTestFinished(() => sent.mockRestore());
    const from = lines.length;
    breaking(Followers.prototype, "answer");
    expect((await books.object.record([books.entry()])).recorded).toHaveLength(1);
    expect(logged("readers_not_answered", from)[0]).toMatchObject({ level: "error", account: books.posId });
    await shop.shows({ cursor: 1 });
  });
});

describe("an account's expired data", () => {
  it("is looked for by an alarm, once a month", async ({ expect }) => {
    const books = await quietBooks();
    await books.object.admit(books.question());
    for (let months = 1; months <= 13; months++) {
      expect(await alarmOf(books)).toBe(NOON + months * 30 * DAY);
      vi.setSystemTime(NOON + months * 30 * DAY);
      await ring(books);
    }
    const claims = () =>
      runInDurableObject(env.ACCOUNT.getByName(books.posId), (_object, { storage }) =>
        storage.sql.exec("SELECT * FROM claims").toArray(),
      );
    expect(await claims()).toHaveLength(1);
    vi.setSystemTime(NOON + 14 * 30 * DAY);
    await ring(books);
    expect(await claims()).toEqual([]);
  });
});

describe("a failure", () => {
  it("is logged, and stops no other transaction from being recorded", async ({ expect }) => {
    const books = await quietBooks();
    const [bad, good] = [books.entry(), books.entry()];
    const save = vi.spyOn(Claims.prototype, "save").mockImplementationOnce(() => {
      throw new Error("the disk is full");
    });
    const from = lines.length;
    const { requestId, revision } = good;
    expect(await books.object.record([bad, good])).toEqual({ recorded: [{ requestId, revision }] });
    expect(logged("outcome_not_recorded", from)).toMatchObject([{ level: "error", transaction: bad.requestId }]);
    save.mockRestore();
    expect((await books.events()).map(({ data }) => data.requestId)).toEqual([String(requestId)]);
  });

  it("is logged, and closing a day is retried after five seconds", async ({ expect }) => {
    const books = await quietBooks();
    await books.object.record([books.entry()]);
    pass(DAY);
    const save = breaking(Days.prototype, "save");
    const from = lines.length;
    for (const wait of [0, 4_999]) {
      pass(wait);
      await books.object.totals(null, null);
    }
    expect(save).toHaveBeenCalledOnce();
    expect(logged("days_not_stored", from)).toMatchObject([{ level: "error", account: books.posId }]);
    save.mockRestore();
    pass(1);
    await books.object.totals(null, null);
    expect((await books.feed()).map(({ type }) => type)).toEqual(["transaction.completed", "day.closed"]);
  });

  it("is logged, and storing sums is retried after five seconds", async ({ expect }) => {
    const books = await quietBooks();
    const save = breaking(Hours.prototype, "save");
    const from = lines.length;
    await books.object.record(Array.from({ length: TALLY_EVENTS }, () => books.entry()));
    for (const wait of [0, 4_999]) {
      pass(wait);
      await books.object.record([books.entry()]);
    }
    expect(save).toHaveBeenCalledOnce();
    expect(logged("days_not_stored", from)).toMatchObject([{ level: "error", account: books.posId }]);
    pass(1);
    await books.object.record([books.entry()]);
    expect(save).toHaveBeenCalledTimes(2);
  });
});

/** Every write of the turn that stores sums and closes a day. */
const WRITES: [string, Write][] = [
  ["the day", [Days.prototype, "save"]],
  ["the event of its closing", [Events.prototype, "add"]],
  ["the hours", [Hours.prototype, "save"]],
  ["the end of old hours", [Hours.prototype, "removeBefore"]],
  ["the mark", [AccountRecordStore.prototype, "update"]],
  ["the record", [OwnRow.prototype, "finish"]],
];

/** What two days and their hours add up to, and how many transactions are 22. */
async function sumsOf(books: Books) {
  const object = accountStub(env, books.posId);
  const [first, second, now] = [
    await object.totals("2031-05-10", null),
    await object.totals("2031-05-11", null),
    await object.totals(null, null),
  ];
  const today = Math.floor(NOON / DAY);
  return {
    days: [first, second].map(({ data }) => data.map(({ approved }) => `${approved.count} ${approved.transAmt}`)),
    hours: (await object.statistics(today, today + 9)).map(([day, hours]) => [
      day - today,
      ...[...hours].map(([hour, tally]) => [hour, tally.get("00 terminal sale 00")]),
    ]),
    pending: now.pending?.count,
    closed: (await books.feed()).filter(({ type }) => type === "day.closed").length,
  };
}

describe("the sums of an account", () => {
  it.for(WRITES)("count everything once if storing them fails after %s is written", async ([, write], { expect }) => {
    const books = await quietBooks();
    const open = books.entry(OPEN);
    const { requestId, transaction } = open;
    await books.object.record([open, books.entry(OPEN), books.entry()]);
    pass(DAY);
    const completed = books.entry({ requestId, revision: 2, transaction: { referenceId: transaction.referenceId } });
    await books.object.record([books.entry(), completed, books.entry(OPEN)]);
    pass(DAY);
    const from = lines.length;
    await whileBreaking(write, () => books.object.totals(null, null));
    expect(logged("days_not_stored", from)).toHaveLength(1);
    const wanted = {
      days: [["1 12.50"], ["2 25.00"]],
      hours: [
        [0, [4, 1]],
        [1, [4, 2]],
      ],
      pending: 2,
    };
    expect(await sumsOf(books)).toEqual({ ...wanted, closed: 1 });
    await abortAllDurableObjects();
    expect(await sumsOf(books)).toEqual({ ...wanted, closed: 2 });
  });

  it("are stored after enough events, even if a repeated transaction follows", async ({ expect }) => {
    const books = await quietBooks();
    const [days, hours] = [vi.spyOn(Days.prototype, "save"), vi.spyOn(Hours.prototype, "save")];
    const saved = () => [days.mock.calls.length, hours.mock.calls.length];
    const entries = Array.from({ length: TALLY_EVENTS }, () => books.entry());
    await books.object.record(entries.slice(0, -1));
    await books.object.record(entries.slice(-1));
    expect(saved()).toEqual([0, 0]);
    await books.object.record(entries.slice(0, 1));
    expect(saved()).toEqual([1, 1]);
    await books.object.totals(null, null);
    expect(saved()).toEqual([1, 1]);
  });
});

describe("an account without a usable master key", () => {
  it("fails calls that need the key, and says why", async ({ expect }) => {
    const books = await openBooks();
    const newKey = sealedKey(books.posId, "new key");
    await runInDurableObject(env.ACCOUNT.getByName(books.posId), async (object) => {
      const objectEnv = (object as unknown as { env: Env }).env;
      const { MASTER_KEYS } = objectEnv;
      Object.assign(objectEnv, { MASTER_KEYS: "" });
      onTestFinished(() => void Object.assign(objectEnv, { MASTER_KEYS }));
      const why = "MASTER_KEYS: It is not set";
      await expect(object.admit(books.question())).rejects.toThrow(why);
      await expect(object.reseal()).rejects.toThrow(why);
      await expect(object.rotateKey(newKey, false, "tester")).rejects.toThrow(why);
      expect((await object.standing(books.sessionId)).kind).toBe("good");
    });
  });
});

describe("an update from a terminal", () => {
  it("is stored once, and changes nothing when it is repeated", async ({ expect }) => {
    const books = await openBooks();
    const rows = () =>
      runInDurableObject(env.ACCOUNT.getByName(books.posId), (_object, { storage }) =>
        storage.sql.exec("SELECT * FROM devices WHERE terminal_id = 'T-1'").toArray(),
      );
    const before = await rows();
    await books.object.deviceChanged({ terminalId: "T-1", bindingVersion: 1, bound: false });
    expect(await rows()).toEqual(before);
    expect(await books.object.hasDevice("T-1")).toBe(true);
    expect(await books.object.hasDevice("T-3")).toBe(false);
    await books.object.deviceChanged({ terminalId: "T-1", bindingVersion: 2, bound: false });
    expect(await rows()).toMatchObject([{ bound: 0, binding_version: 2 }]);
  });
});
