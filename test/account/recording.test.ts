/** I7: every outcome is recorded at its account once, in one order, and its newest status is never missing. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { accountStub } from "../../src/rpc/account.ts";
import { Claims } from "../../src/account/storage/claims.ts";
import { Events } from "../../src/account/storage/events.ts";
import { DAY } from "../../src/time/units.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { openBooks } from "./books.ts";
import { OPEN } from "./samples.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const told = ({ number, type, data }: { number: number; type: string; data: { statusCode: string } }) =>
  `${number} ${type} ${data.statusCode}`;

describe("an outcome", () => {
  it("becomes one event with the transaction as lists show it", async ({ expect }) => {
    const books = await openBooks();
    const entry = books.entry();
    await books.object.record([entry]);
    const [event] = await books.events();
    expect(event).toMatchObject({
      id: `evt_${books.posId}_1`,
      number: 1,
      type: "transaction.completed",
      data: {
        requestId: String(entry.requestId),
        deviceId: "T-1",
        statusCode: "00",
        transAmt: "12.50",
        paymentChannel: "VISA",
        voidedBy: null,
      },
    });
    expect(event?.data.completedAt).toMatch(/\+08:00$/u);
    expect(event?.data.day).toBe(event?.data.completedAt?.slice(0, 10));
  });

  it("is recorded once, however often it is reported and regardless of which object is reset in between", async ({
    expect,
  }) => {
    const books = await openBooks();
    const entries = [books.entry(), books.entry()];
    await books.object.record(entries);
    await abortAllDurableObjects();
    const again = accountStub(env, books.posId);
    const answer = await again.record(entries.toReversed());
    expect(answer.recorded.length).toBe(2);
    expect((await books.events()).map(told)).toEqual(["1 transaction.completed 00", "2 transaction.completed 00"]);
  });

  it("that was open gets a second event when it is completed, and never becomes open again", async ({ expect }) => {
    const books = await openBooks();
    const open = books.entry(OPEN);
    const completed = { ...books.entry({ requestId: open.requestId }), revision: 2 };
    completed.transaction.referenceId = open.transaction.referenceId;
    await books.object.record([open]);
    await books.object.record([completed]);
    await books.object.record([open]);
    expect((await books.events()).map(told)).toEqual(["1 transaction.pending 22", "2 transaction.completed 00"]);
  });

  it("that completes before it was recorded is recorded once, as completed", async ({ expect }) => {
    const books = await openBooks();
    const completed = books.entry({ revision: 3 });
    const late = { ...completed, revision: 2, completedAt: null };
    await books.object.record([completed, late]);
    expect((await books.events()).map(told)).toEqual(["1 transaction.completed 00"]);
  });

  it("under a reference that is used again after 400 days is a new transaction", async ({ expect }) => {
    const books = await openBooks();
    const transaction = { referenceId: "R-again" };
    await books.object.record([books.entry({ transaction })]);
    skip(401 * DAY);
    const second = books.entry({ transaction });
    await books.object.record([second]);
    const events = await books.events();
    expect(events.map(({ data }) => data.requestId).at(-1)).toBe(String(second.requestId));
    expect(events.at(-1)?.type).toBe("transaction.completed");
  });

  it("that cannot be written delays no other, and leaves no gap in the numbers", async ({ expect }) => {
    const books = await openBooks();
    const [first, second, third] = [books.entry(), books.entry(), books.entry()];
    const save = Reflect.get<Claims, "save">(Claims.prototype, "save");
    vi.spyOn(Claims.prototype, "save").mockImplementation(function sick(this: Claims, claim) {
      if (claim.requestId === second.requestId) throw new Error("the disk is full");
      save.call(this, claim);
    });
    const answer = await books.object.record([first, second, third]);
    expect(answer.recorded.map(({ requestId }) => requestId)).toEqual([first.requestId, third.requestId]);
    vi.restoreAllMocks();
    await books.object.record([second]);
    const events = await books.events();
    expect(events.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(events.map(({ data }) => data.requestId)).toEqual(
      [first, third, second].map(({ requestId }) => String(requestId)),
    );
  });

  it("of a deleted account is kept", async ({ expect }) => {
    const books = await openBooks();
    await books.object.remove("tester");
    await books.object.record([books.entry()]);
    expect(await books.events()).toHaveLength(1);
  });
});

describe("a void that is done", () => {
  it("marks the payment that it reversed in the same turn, and reports that once", async ({ expect }) => {
    const books = await openBooks();
    const sale = books.entry({ transaction: { referenceId: "SALE" } });
    const undone = books.entry({
      voids: { requestId: sale.requestId, referenceId: "SALE" },
      transaction: { transType: "void", referenceId: "VOID", transId: String(sale.requestId) },
    });
    await books.object.record([sale]);
    await books.object.record([undone]);
    await abortAllDurableObjects();
    await accountStub(env, books.posId).record([undone, sale]);
    const events = await books.events();
    expect(events.map(told)).toEqual([
      "1 transaction.completed 00",
      "2 transaction.completed 00",
      "3 transaction.updated 00",
    ]);
    expect(events[2]?.data).toMatchObject({
      requestId: String(sale.requestId),
      voidedBy: { requestId: String(undone.requestId), referenceId: "VOID" },
    });
  });

  it("marks a payment that is recorded only later", async ({ expect }) => {
    const books = await openBooks();
    const sale = books.entry({ transaction: { referenceId: "SALE" } });
    const undone = books.entry({
      voids: { requestId: sale.requestId, referenceId: "SALE" },
      transaction: { transType: "void", referenceId: "VOID" },
    });
    await books.object.record([undone]);
    await books.object.record([sale]);
    const events = await books.events();
    expect(events.map(({ data }) => data.voidedBy?.referenceId ?? null)).toEqual([null, "VOID"]);
  });

  it("marks no other payment that has used the same reference since", async ({ expect }) => {
    const books = await openBooks();
    const [first, second] = [1, 2].map(() => books.entry({ transaction: { referenceId: "SALE" } }));
    if (first === undefined || second === undefined) throw new Error("two entries were made");
    const undone = books.entry({
      voids: { requestId: first.requestId, referenceId: "SALE" },
      transaction: { transType: "void", referenceId: "VOID" },
    });
    await books.object.record([first, second, undone]);
    expect((await books.events()).filter(({ data }) => data.voidedBy !== null)).toEqual([]);
  });

  it("that was declined marks nothing", async ({ expect }) => {
    const books = await openBooks();
    const sale = books.entry({ transaction: { referenceId: "SALE" } });
    const declined = books.entry({
      voids: { requestId: sale.requestId, referenceId: "SALE" },
      transaction: { transType: "void", referenceId: "VOID", statusCode: "11" },
    });
    await books.object.record([sale, declined]);
    expect((await books.events()).map(({ type }) => type)).toEqual(["transaction.completed", "transaction.completed"]);
  });
});

/** Fires the object's alarm until it has nothing left to check this month. */
async function aMonthLater(posId: string): Promise<void> {
  for (let step = 0; step < 10; step++) {
    skip(step === 0 ? 31 * DAY : 1_000);
    await runDurableObjectAlarm(env.ACCOUNT.getByName(posId));
  }
}

describe("what is older than 400 days", () => {
  it("is deleted by the monthly check, except for the newest event and open transactions", async ({ expect }) => {
    const books = await openBooks();
    await books.object.admit(books.question({ referenceId: "asked-once" }));
    const open = books.entry(OPEN);
    await books.object.record([books.entry(), open, books.entry(), books.entry()]);
    skip(401 * DAY);
    await aMonthLater(books.posId);
    // The newest says that the day is closed.
    expect((await books.feed()).map(({ number }) => number)).toEqual([2, 5]);
    const claims = await runInDurableObject(env.ACCOUNT.getByName(books.posId), (_object, { storage }) =>
      new Claims(storage.sql).after("", 10).map(({ referenceId }) => referenceId),
    );
    expect(claims).toEqual([open.transaction.referenceId]);
    await books.object.record([books.entry()]);
    expect((await books.feed()).map(({ number }) => number)).toEqual([2, 5, 6]);
  });

  it("is checked in small steps, however much there is", async ({ expect }) => {
    const books = await openBooks();
    await books.object.admit(books.question());
    await runInDurableObject(env.ACCOUNT.getByName(books.posId), (_object, { storage }) => {
      const { sql } = storage;
      const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)";
      sql.exec(`${numbers} INSERT INTO claims (reference_id, device_id, admitted_at) SELECT 'x' || i, 'T-1', 0 FROM n`);
      const body = JSON.stringify({ type: "transaction.completed", data: { referenceId: "gone" } });
      sql.exec(
        `${numbers} INSERT INTO events (number, at, type, format, body) SELECT i, 0, 'transaction.completed', 1, ? FROM n`,
        body,
      );
      sql.exec("UPDATE account SET counted_event = 5000");
    });
    await abortAllDurableObjects();
    const looked = vi.spyOn(Claims.prototype, "after");
    const read = vi.spyOn(Events.prototype, "after");
    await aMonthLater(books.posId);
    const sizes = [...looked.mock.results, ...read.mock.results].map(({ value }) => (value as unknown[]).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
    expect((await books.events()).length).toBe(1);
  });
});
