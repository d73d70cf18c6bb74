/** An account's object with a feed of 400 days: what its calls read, and what it keeps. See `full-size.ts`. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import {
  accountStub,
  type ConflictUpdate,
  type RecordEntry,
  WAIT_SESSION,
  listQuestion,
  type WebhookChange,
  type SignedCall,
} from "../../../src/gateway/account/rpc.ts";
import { Account } from "../../../src/gateway/index.ts";
import { JOURNAL_LIFE } from "../../../src/protocol/limits.ts";
import { localDate } from "../../../src/protocol/time/zone.ts";
import { signedForm } from "../../../src/protocol/signing/canonical.ts";
import { sign } from "../../../src/protocol/signing/signature.ts";
import { DAY } from "../../../src/protocol/time/units.ts";
import { type Books, KID, newAccount, openBooks, PASSWORD, sealedKey } from "../../support/gateway/account/books.ts";
import { OPEN } from "../../support/gateway/account/samples.ts";
import { useFakeClock } from "../../support/clock.ts";
import { Receivers } from "../../support/receiver.ts";
import { deliverStatistics, holdStatistics } from "../../support/statistics.ts";
import { Meter } from "../../cost/counting.ts";
import { RECORDED_BYTES } from "../../cost/kept-bytes.ts";
import { bytesOfASale, type Calls, callsOf, FULL, growing, rowsRead, SALES, SMALL } from "../../cost/full-size.ts";

useFakeClock();

const SECOND = 1_000;
const HOUR = DAY / 24;

/** The first payments, which stay open. */
const OPEN_ROWS = 3;

const CHANNELS = ["VISA", "MASTERCARD", "Touch 'n Go", null];

interface Full {
  books: Books;
  /** Of now: the first one has ended. */
  sessionId: string;
}

/** A new stub: the one before may be broken. */
function object({ books }: Full) {
  return accountStub(env, books.posId);
}

function within<Result>(
  { posId }: Books,
  work: (object: Account, state: DurableObjectState) => Result,
): Promise<Result> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), work);
}

/** An account that has recorded so many outcomes until now, a day's at once. */
async function accountWith(events: number): Promise<Full> {
  const now = Date.now();
  const days = events / SALES;
  vi.setSystemTime(now - days * DAY);
  const books = await openBooks();
  await within(books, async (account) => {
    for (let day = 0; day < days; day++) {
      vi.setSystemTime(now - (days - day) * DAY + HOUR);
      await account.record(Array.from({ length: SALES }, (_, sale) => entryOf(books, day * SALES + sale)));
    }
  });
  vi.setSystemTime(now);
  await deliverStatistics(books.posId);
  const opened = await accountStub(env, books.posId).openSession(PASSWORD, KID);
  if (opened.kind !== "opened") throw new Error(opened.kind);
  return { books, sessionId: opened.sessionId };
}

function entryOf(books: Books, index: number): RecordEntry {
  if (index < OPEN_ROWS) return books.entry(OPEN);
  const isDeclined = index % 10 === 0;
  return books.entry({
    deviceId: index % 3 === 0 ? "T-2" : "T-1",
    transaction: {
      referenceId: `R-${index}`,
      transAmt: `${1 + (index % 400)}.${10 + (index % 90)}`,
      paymentChannel: CHANNELS[index % CHANNELS.length] ?? null,
      ...(isDeclined ? { statusCode: "11", responseCode: "51" } : {}),
    },
  });
}

/** Rows that one alarm may read while payments wait, and alarms until everything is forgotten. */
const ROWS_OF_AN_ALARM = 12_000;
const ALARMS = 25;

const SIGNED_LOGIN_LIFE = 60_000;

/** One of the oldest sales. */
const OLD_SALE = { requestId: 1_000_000_101, referenceId: "R-101" };

const ANY_PAYMENT = { referenceId: null, amount: null, cardLastFour: null, terminalId: null, from: null, to: null };

const CALLS: Calls<Full> = {
  create: [(full) => object(full).create(newAccount(full.books.posId, "key"), "olga")],
  change: [(full) => object(full).change({ name: "Bar", timezone: "UTC" }, "olga")],
  rotateKey: [(full) => object(full).rotateKey(sealedKey(full.books.posId, "new key"), false, "olga")],
  reseal: [(full) => object(full).reseal()],
  resync: [(full) => object(full).resync()],
  openSession: [(full) => object(full).openSession(PASSWORD, KID)],
  openSignedSession: [
    (full) => object(full).openSignedSession({ ...signed(full), until: Date.now() + SIGNED_LOGIN_LIFE }, KID),
  ],
  standing: [(full) => object(full).standing(full.sessionId)],
  refresh: [
    async (full) => {
      const opened = await object(full).openSession(PASSWORD, KID);
      if (opened.kind !== "opened") throw new Error(opened.kind);
      await object(full).refresh(opened.sessionId, opened.pair.refreshId, KID);
      await object(full).endSession(opened.sessionId);
    },
  ],
  endSession: [(full) => object(full).endSession("none")],
  takeCall: [(full) => object(full).takeCall(signedCall(full))],
  drawsBindKey: [(full) => object(full).drawsBindKey({ session: "s", address: "a" })],
  replacesPrebound: [(full) => object(full).replacesPrebound(["T-1"], { session: "s", address: "a" })],
  admit: ["R-NEW", "R-100", "R-2000"].map(
    (referenceId) => (full: Full) =>
      object(full).admit(full.books.question({ sessionId: full.sessionId, referenceId })),
  ),
  events: [null, 0, 100, 2_000].map(
    (after) => (full: Full) => object(full).events({ sessionId: full.sessionId, after }),
  ),
  event: [(full) => object(full).event(full.sessionId, 100)],
  fetch: [wait],
  webSocketClose: [async (full) => (await wait(full))?.close(1000)],
  webSocketError: [
    async (full) => {
      await wait(full);
      await within(full.books, (account, state) =>
        state.getWebSockets().forEach((socket) => account.webSocketError(socket)),
      );
    },
  ],
  changeWebhook: [
    { kind: "add", url: "https://books.example.com/" } as const,
    { kind: "replay", id: 1, after: 0 } as const,
    { kind: "secret", id: 1 } as const,
    { kind: "change", id: 1, enabled: true } as const,
    { kind: "remove", id: 2 } as const,
  ].map((change: WebhookChange) => (full: Full) => object(full).changeWebhook(signedCall(full), change)),
  webhooks: [(full) => object(full).webhooks()],
  pingWebhook: [(full) => object(full).pingWebhook(1)],
  webhookStates: [(full) => object(full).webhookStates()],
  switchWebhook: [(full) => object(full).switchWebhook({ id: 1, enabled: false }, "olga")],
  deviceChanged: [(full) => object(full).deviceChanged({ terminalId: "T-3", bindingVersion: 1, bound: true })],
  statistics: [(full) => object(full).statistics(Math.floor(Date.now() / DAY) - 10, Math.floor(Date.now() / DAY))],
  contradicted: [(full) => object(full).contradicted(conflictsWith(full))],
  closeConflict: [
    (full) =>
      object(full).closeConflict({
        requestId: OLD_SALE.requestId,
        terminalId: null,
        reason: "The customer got the money back.",
        actor: "olga",
      }),
  ],
  hasDevice: [(full) => object(full).hasDevice("T-4")],
  record: [
    (full) => object(full).record([full.books.entry(), full.books.entry(OPEN)]),
    (full) => object(full).record([full.books.entry({ voids: OLD_SALE, transaction: { transType: "void" } })]),
  ],
  transactions: (
    [
      {},
      { statusCode: "22" },
      { statusCode: "11" },
      { referenceId: OLD_SALE.referenceId },
      { transType: "cashOut" },
      { deviceId: "T-2", day: localDate(Date.now() - 10 * DAY, "UTC") },
    ] as const
  ).map((filters) => (full: Full) => object(full).transactions(listQuestion(filters, { limit: 100 }))),
  search: [
    (full) =>
      object(full).search({ searchTerms: ANY_PAYMENT, events: [100, 2_000], references: [OLD_SALE.referenceId] }),
  ],
  totals: [
    (full) => object(full).totals(null, null),
    (full) => object(full).totals(localDate(Date.now() - 10 * DAY, "UTC"), "T-1"),
    (full) => object(full).totals("2001-01-01", null),
  ],
  alarm: [(full) => within(full.books, (account) => account.alarm())],
  remove: [(full) => object(full).remove("olga")],
};

/** The terminal says about an old sale what contradicts it. */
function conflictsWith({ books }: Full): ConflictUpdate {
  const { requestId, referenceId } = OLD_SALE;
  const entry = { ...books.entry({ transaction: { referenceId } }), requestId };
  const money = { transAmt: null, cashAmt: null, currency: null };
  const reported = { statusCode: "11", responseCode: "51", responseText: null, ...money } as const;
  return { version: 1, entry, reportedAt: Date.now(), reported };
}

/** Waits for the next event. */
async function wait(full: Full): Promise<WebSocket | null> {
  const headers = { Upgrade: "websocket", [WAIT_SESSION]: full.sessionId };
  const { webSocket } = await object(full).fetch(`https://account.internal/wait?after=${await newest(full)}`, {
    headers,
  });
  webSocket?.accept();
  return webSocket;
}

async function newest(full: Full): Promise<number> {
  const answer = await object(full).events({ sessionId: full.sessionId, after: null });
  return answer.kind === "events" ? answer.next : 0;
}

function signed({ books }: Full) {
  const message = { posId: books.posId, nonce: crypto.randomUUID() };
  return { signedForm: signedForm(message), signature: sign(message, books.signingKey) };
}

function signedCall(full: Full): SignedCall {
  const { posId } = full.books;
  return { ...signed(full), sessionId: full.sessionId, posId, datetime: Date.now(), nonce: crypto.randomUUID() };
}

async function bytesWith(events: number): Promise<number> {
  const { books } = await accountWith(events);
  return within(books, (_account, { storage }) => storage.sql.databaseSize);
}

describe("an account's object after 400 days", () => {
  it("reads no more rows at any call than after fifty", async ({ expect }) => {
    expect(Object.keys(CALLS).toSorted()).toEqual(callsOf(Account).toSorted());
    Receivers.start();
    const [small, full] = [await accountWith(SMALL), await accountWith(FULL)];
    // Their delivery is no call's work.
    for (const { books } of [small, full]) await holdStatistics(books.posId);
    const meter = await Meter.start("any terminal");
    expect(growing(await rowsRead(meter, CALLS, small), await rowsRead(meter, CALLS, full))).toEqual([]);
  });

  it("keeps no more bytes of a sale than the bill counts", async ({ expect }) => {
    expect(await bytesOfASale(bytesWith)).toBeLessThanOrEqual(RECORDED_BYTES);
  });

  it("forgets everything in a few alarms, each of bounded work", async ({ expect }) => {
    const full = await accountWith(FULL);
    await object(full).admit(full.books.question({ sessionId: full.sessionId }));
    const meter = await Meter.start("any terminal");
    vi.setSystemTime(Date.now() + JOURNAL_LIFE + 30 * DAY);
    const steps: number[] = [];
    const left = () =>
      within(full.books, (_account, { storage }) =>
        Number(
          storage.sql.exec("SELECT (SELECT COUNT(*) FROM events) + (SELECT COUNT(*) FROM claims) AS rows").one()[
            "rows"
          ],
        ),
      );
    // What is open, and the newest event, stay.
    while ((await left()) > 2 * OPEN_ROWS + 1) {
      meter.restart();
      await within(full.books, (account) => account.alarm());
      steps.push(meter.read().objectRowsRead);
      vi.setSystemTime(Date.now() + SECOND);
    }
    expect(Math.max(...steps)).toBeLessThanOrEqual(ROWS_OF_AN_ALARM);
    expect(steps.length).toBeLessThanOrEqual(ALARMS);
  });
});
