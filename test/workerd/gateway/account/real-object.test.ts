/**
 * The account's object on the real runtime, one sequence for each of its parts. The decisions themselves are held where they are
 * pure (`admission-order`, `session-decisions`, `tally`, `statistics-update`, `webhooks`), what callers see in `../http`.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, it, vi } from "vitest";
import { START_EVERY } from "../../../../src/protocol/limits.ts";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import { signedForm } from "../../../../src/protocol/signing/canonical.ts";
import { sign } from "../../../../src/protocol/signing/signature.ts";
import { readAccountHours } from "../../../../src/gateway/d1/statistics.ts";
import { MINUTE, SECOND } from "../../../../src/protocol/time/units.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { failAccountNotes, failStatistics } from "../../../support/database.ts";
import { eventually } from "../../../support/patience.ts";
import { hanging, Receivers } from "../../../support/receiver.ts";
import { alarmOf, KID, openBooks, ring } from "../../../support/gateway/account/books.ts";
import { ADDRESS, Shop } from "./webhooks/endpoints.ts";
import { STATISTICS_DELAY } from "../../../../src/gateway/account/statistics.ts";

useFakeClock();

describe("an account's object that restarts", () => {
  it("keeps a session until that is ended", async ({ expect }) => {
    const books = await openBooks();
    await abortAllDurableObjects();
    const object = accountStub(env, books.posId);
    expect(await object.standing(books.sessionId)).toMatchObject({ kind: "good", account: { posId: books.posId } });
    expect((await object.endSession(books.sessionId)).kind).toBe("good");
    expect(await object.standing(books.sessionId)).toEqual({ kind: "session-ended" });
  });

  it("opens no second session for a signed login", async ({ expect }) => {
    const books = await openBooks();
    const message = { posId: books.posId, datetime: "2026-11-22T06:00:00", nonce: crypto.randomUUID() };
    const until = Date.now() + 15 * MINUTE;
    const login = { signedForm: signedForm(message), signature: sign(message, books.signingKey), until };
    expect((await books.object.openSignedSession(login, KID)).kind).toBe("opened");
    await abortAllDurableObjects();
    expect(await accountStub(env, books.posId).openSignedSession(login, KID)).toEqual({ kind: "used" });
  });

  it("admits a message again whose answer was lost", async ({ expect }) => {
    const books = await openBooks();
    const question = books.question();
    const first = await books.object.admit(question);
    expect(first).toMatchObject({ kind: "admitted", recorded: false });
    await abortAllDurableObjects();
    expect(await accountStub(env, books.posId).admit(question)).toEqual(first);
    const elsewhere = await accountStub(env, books.posId).admit(books.question({ deviceId: "T-2" }));
    expect(elsewhere).toEqual({ kind: "elsewhere", holder: "T-1", open: false });
  });
});

describe("a day of an account", () => {
  it("is closed by the alarm that its first record set", async ({ expect }) => {
    vi.setSystemTime(Date.parse("2031-05-10T04:00:00Z"));
    const books = await openBooks();
    await ring(books);
    await books.object.record([books.entry()]);
    // First in case the object is reset while D1 is written to.
    skip(6 * MINUTE);
    await eventually(async () => {
      await ring(books);
      expect(await alarmOf(books)).toBe(Date.parse("2031-05-11T00:15:00+08:00"));
    });
    vi.setSystemTime(Date.parse("2031-05-10T16:15:00Z"));
    await ring(books);
    const data = {
      day: "2031-05-10",
      closed: true,
      closesAt: "2031-05-11T00:15:00.000+08:00",
      data: [{ transType: "sale", approved: { count: 1, transAmt: "12.50" }, notApproved: { count: 0 } }],
    };
    const closing = (await books.feed()).at(-1);
    expect(closing).toMatchObject({ number: 2, type: "day.closed", data });
    // Its bytes stay, also if the account moves west and its date comes a second time.
    await books.object.change({ timezone: "America/Los_Angeles" }, "tester");
    await books.object.record([books.entry()]);
    expect(await books.object.totals("2031-05-10", null)).toEqual(closing?.data);
  });
});

describe("the statistics of an account", () => {
  it("reach D1 once after a failure and a reset", async ({ expect }) => {
    const books = await openBooks();
    const database = failStatistics("fail");
    await books.object.record([books.entry()]);
    skip(STATISTICS_DELAY);
    await ring(books);
    await eventually(() => expect(database.tries).toBe(1));
    database.recover();
    await abortAllDurableObjects();
    skip(10 * MINUTE);
    await ring(books);
    await eventually(async () => {
      const hours = await readAccountHours(env.DATABASE, { posId: books.posId }, { from: 0, to: 1e6 });
      if (hours === "too-many") throw new Error("too many hours");
      expect(hours.map(({ tally }) => tally.get("00 terminal sale 00"))).toEqual([1]);
    });
  });
});

describe("an event for a webhook", () => {
  it("is delivered while D1 is down, signed by the standard", async ({ expect }) => {
    const receivers = Receivers.start();
    const { shop, secret } = await Shop.withEndpoint();
    const database = failAccountNotes("hang");
    await shop.sell(1);
    const [received] = await receivers.until(1);
    database.recover();
    const [event] = await shop.books.events();
    expect(received).toMatchObject({ url: ADDRESS, redirect: "manual", body: JSON.stringify(event) });
    const headers = Object.fromEntries(received?.headers ?? []);
    expect(new Verifier(secret).verify(received?.body ?? "", headers)).toEqual(event);
    await shop.shows({ cursor: 1, behind: 0 });
  });

  it("is sent again by the alarm after a reset during the call", async ({ expect }) => {
    const { answer } = hanging();
    let hangs = true;
    const receivers = Receivers.start((received) => (hangs ? answer(received) : 204));
    const { shop } = await Shop.withEndpoint();
    await shop.sell(2);
    await receivers.until(1);
    await abortAllDurableObjects();
    hangs = false;
    await shop.wake();
    await shop.shows({ cursor: 2 });
    expect(receivers.numbers).toEqual([1, 1, 2]);
  });
});

describe("an account that changes its endpoints again and again", () => {
  it("starts deliveries at most every five seconds", async ({ expect }) => {
    const receivers = Receivers.start(() => 500);
    const shop = await Shop.open();
    for (const host of ["one", "two", "three"]) await shop.add(`https://${host}.example.com/`);
    await shop.sell(1);
    await receivers.until(3);
    const began = Date.now();
    for (const id of [1, 2, 3, 1, 2, 3]) await shop.must({ kind: "replay", id, after: 0 });
    await receivers.until(4);
    const next = await Promise.all([1, 2, 3].map(async (id) => (await shop.webhook(id)).nextAttempt ?? ""));
    expect(next.map((at) => Date.parse(at) - began).toSorted((a, b) => a - b)).toEqual(
      [5, 10, 15].map((at) => at * SECOND),
    );
    expect(receivers.received).toHaveLength(4);
    expect(START_EVERY).toBe(5 * SECOND);
  });
});
