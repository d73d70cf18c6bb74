/** The feed at the front door: reading, waiting, and what ends a wait. What the object does: test/workerd/gateway/account/followers. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import { signToken } from "../../../../src/gateway/secrets/tokens.ts";
import type { AccountEvent } from "../../../../src/protocol/events.ts";
import { type Books, masterKeys, openBooks } from "../../../support/gateway/account/books.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import { type Answer, call, type ErrorBody } from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();

type Page = { data: AccountEvent[]; next: number; skipped?: number } & ErrorBody;

const LONG = { Prefer: "wait=60" };

/** The reader of an account's feed. */
class Reader {
  readonly books: Books;
  readonly token: string;

  private constructor(books: Books, token: string) {
    this.books = books;
    this.token = token;
  }

  static async create(): Promise<Reader> {
    const books = await openBooks();
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { sub: books.posId, sid: books.sessionId, jti: crypto.randomUUID(), iat, exp: iat + 900 };
    return new Reader(books, await signToken(masterKeys(), { ...claims, use: "access" }));
  }

  read(query: string, headers: Record<string, string> = {}): Promise<Answer<Page>> {
    return call("GET", `/api/events${query}`, { token: this.token, headers });
  }

  one(id: string): Promise<Answer<AccountEvent & ErrorBody>> {
    return call("GET", `/api/events/${id}`, { token: this.token });
  }

  /** A terminal's object records this many outcomes. */
  async record(count = 1): Promise<void> {
    const entries = Array.from({ length: count }, () => this.books.entry());
    await accountStub(env, this.books.posId).record(entries);
  }

  /** Waits for an event after a number. Resolves when the account's object has the reader, with the future answer. */
  async waits(after: number, headers: Record<string, string> = LONG): Promise<{ answer: Promise<Answer<Page>> }> {
    const before = await this.waiting();
    const answer = this.read(`?after=${after}`, headers);
    await this.untilWaiting(before + 1);
    return { answer };
  }

  untilWaiting(count: number): Promise<void> {
    return eventually(async () => {
      const waiting = await this.waiting();
      if (waiting !== count) throw new Error(`${waiting} wait`);
    });
  }

  waiting(): Promise<number> {
    return runInDurableObject(
      env.ACCOUNT.getByName(this.books.posId),
      (_object, context) => context.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
    );
  }
}

const numbers = ({ body }: Answer<Page>) => body.data.map(({ number }) => number);

describe("events", () => {
  it("are read in pages after a number, in order", async ({ expect }) => {
    const reader = await Reader.create();
    await reader.record(50);
    await reader.record(50);
    await reader.record(3);
    const first = await reader.read("?after=0");
    expect([numbers(first), first.body.next]).toEqual([Array.from({ length: 100 }, (_, index) => index + 1), 100]);
    const second = await reader.read(`?after=${first.body.next}`);
    expect([numbers(second), second.body.next]).toEqual([[101, 102, 103], 103]);
    const last = await reader.read("?after=103");
    expect([last.status, last.body]).toEqual([200, { data: [], next: 103 }]);
  });

  it("are refused after an unknown number, and deleted ones are counted", async ({ expect }) => {
    const reader = await Reader.create();
    const none = await reader.read("?after=1");
    expect([none.status, none.body.details]).toEqual([
      400,
      [{ path: "after", message: "There are no events yet. Send 0." }],
    ]);
    await reader.record(5);
    await runInDurableObject(env.ACCOUNT.getByName(reader.books.posId), (_object, { storage }) => {
      storage.sql.exec("DELETE FROM events WHERE number < 4");
    });
    const message = "Events 4 to 5 are kept. Send a number from 0 to 5.";
    for (const after of [6, 999_999_999_999_999]) {
      for (const headers of [{}, LONG]) {
        const { status, body } = await reader.read(`?after=${after}`, headers);
        expect([after, status, body.code, body.details]).toEqual([after, 400, 40000, [{ path: "after", message }]]);
      }
    }
    for (const headers of [{}, LONG]) {
      const pages = await Promise.all([0, 2, 3].map((after) => reader.read(`?after=${after}`, headers)));
      expect(pages.map(numbers)).toEqual(pages.map(() => [4, 5]));
      expect(pages.map(({ body }) => body.skipped)).toEqual([3, 1, undefined]);
    }
  });

  it("are refused after an invalid or empty number", async ({ expect }) => {
    const reader = await Reader.create();
    for (const after of ["", "-1", "1.5", "0x1", "latest", "1e3", " 1", "1000000000000000"]) {
      const { status, body } = await reader.read(`?after=${encodeURIComponent(after)}`);
      expect([after, status, body.details]).toEqual([
        after,
        400,
        [
          {
            path: "after",
            message: "Send the number of the last event that you have read, or 0 to read all events that are kept.",
          },
        ],
      ]);
    }
  });
});

describe("one event", () => {
  it("looks missing to another account and under another spelling", async ({ expect }) => {
    const [reader, other] = [await Reader.create(), await Reader.create()];
    await reader.record();
    await other.record();
    const own = `evt_${reader.books.posId}_1`;
    expect((await reader.one(own)).body.id).toBe(own);
    const ids = [`evt_${other.books.posId}_1`, `evt_${reader.books.posId}_2`, `evt_${reader.books.posId}_01`];
    for (const id of [...ids, `evt_${reader.books.posId}_`, own.toUpperCase(), "1", "x".repeat(2_000)]) {
      const { status, body } = await reader.one(id);
      expect([id, status, body.message]).toEqual([id, 404, "The account has no such event."]);
    }
  });
});

describe("a wait", () => {
  it("ends with the event, or with none when its time runs out", async ({ expect }) => {
    const reader = await Reader.create();
    const { answer } = await reader.waits(0);
    await reader.record();
    const came = await answer;
    expect([came.status, numbers(came), came.headers.get("Preference-Applied")]).toEqual([200, [1], "wait=60"]);
    const nothing = await reader.read("?after=1", { Prefer: "wait=1" });
    expect([nothing.status, nothing.body]).toEqual([200, { data: [], next: 1 }]);
    expect(nothing.headers.get("Preference-Applied")).toBe("wait=1");
    await reader.untilWaiting(0);
  });

  it("is a minute at most", async ({ expect }) => {
    const reader = await Reader.create();
    await reader.record();
    const { headers, body } = await reader.read("?after=0", { Prefer: "wait=3600" });
    expect([headers.get("Preference-Applied"), body.next]).toEqual(["wait=60", 1]);
  });

  it("ends with 401 when its session ends, 403 after a suspension", async ({ expect }) => {
    const reader = await Reader.create();
    const loggedOut = await reader.waits(0);
    await call("POST", "/auth/logout", { token: reader.token });
    expect((await loggedOut.answer).body).toMatchObject({ code: 40100, error: "unauthorized" });
    const other = await Reader.create();
    const suspended = await other.waits(0);
    await other.books.object.change({ status: "suspended" }, "tester");
    expect((await suspended.answer).body).toMatchObject({ code: 40300, error: "forbidden" });
    expect((await other.read("?after=0")).status).toBe(403);
    expect((await other.one(`evt_${other.books.posId}_1`)).status).toBe(403);
  });

  it("ends with an event while D1 is down", async ({ expect }) => {
    const reader = await Reader.create();
    const gone = { prepare: () => Promise.reject(new Error("D1 was asked")) };
    const answer = callWith<Page>({ DATABASE: gone }, "GET", "/api/events?after=0", {
      token: reader.token,
      headers: LONG,
    });
    await reader.untilWaiting(1);
    await reader.record();
    expect(numbers(await answer)).toEqual([1]);
  });
});
