/** An operator searches the payments of all accounts. */
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Account } from "../../../../src/gateway/account/account.ts";
import type { FoundPayments } from "../../../../src/protocol/schemas/operator-transactions.ts";
import { ASKED_ACCOUNTS, FOUND_PAYMENTS } from "../../../../src/gateway/http/operator/transactions/search.ts";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import { cleanUp } from "../../../../src/gateway/d1/clean-up.ts";
import { noteWaiting } from "../../../../src/gateway/d1/objects.ts";
import { type Books, openBooks } from "../../../support/gateway/account/books.ts";
import { type EntryChanges, OPEN } from "../../../support/gateway/account/samples.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { accountsWith, callWith } from "../../../support/environment.ts";
import { type ErrorBody, operator, OPERATOR_TOKEN } from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";
import { deliverStatistics } from "../../../support/statistics.ts";
import { approved, reportedOpen, Scene, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const iso = (time: number): string => new Date(time).toISOString().replace("Z", "+00:00");

async function search(query: Record<string, string>): Promise<FoundPayments> {
  const path = `/operator/transactions?${new URLSearchParams(query).toString()}`;
  const { status, body } = await operator<FoundPayments>("GET", path);
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** What the search finds before long. */
async function finds(query: Record<string, string>, requestIds: readonly unknown[]): Promise<void> {
  await eventually(async () => {
    await deliverStatistics();
    const { data, covered } = await search(query);
    const found = data.map(({ requestId }) => requestId).join();
    if (found !== requestIds.join()) throw new Error(`${JSON.stringify([query, covered])} finds ${found}`);
  });
}

async function refused(query: string): Promise<unknown[]> {
  const { status, body } = await operator<ErrorBody>("GET", `/operator/transactions${query}`);
  return [status, ...(body.details ?? []).map(({ path }) => path)];
}

async function record(books: Books, changes: EntryChanges = {}): Promise<string> {
  const made = books.entry(changes);
  await books.object.record([made]);
  return String(made.requestId);
}

/** Bytes that D1 has of an account's payments. */
function keptOf({ posId }: Books): Promise<number | null> {
  return env.DATABASE.prepare("SELECT SUM(length(payments)) AS bytes FROM fingerprints WHERE pos_id = ?")
    .bind(posId)
    .first<number>("bytes");
}

/** Books that D1 knows: an operator can name their account. */
async function listedBooks(): Promise<Books> {
  const books = await openBooks();
  await eventually(async () => {
    if ((await operator("GET", `/operator/accounts/${books.posId}`)).status !== 200) throw new Error("not listed");
  });
  return books;
}

describe("a search for a payment over all accounts", () => {
  it("finds it by reference, amount, card or terminal, with a time", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const since = new Date(Date.now() - HOUR).toISOString();
    const body = here.pos.saleBody({}, { transAmt: "86420.97" });
    const details = { transData: { cardNo: "4111111111118642", paymentChannel: "VISA" } };
    const { referenceId, request } = await approved(here, connection, body, details);
    await approved(here, connection);
    const { requestId } = request;
    await finds({ referenceId }, [requestId]);
    await finds({ amount: "86420.97", from: since }, [requestId]);
    await finds({ cardLastFour: "8642", amount: "86420.97", from: since }, [requestId]);
    const { terminalId } = here.terminal;
    await finds({ terminalId, cardLastFour: "8642", from: since }, [requestId]);
    expect((await search({ terminalId, from: since })).data).toHaveLength(2);
    expect((await search({ terminalId, to: since })).data).toEqual([]);
    expect((await search({ amount: "86420.97", cardLastFour: "0000" })).data).toEqual([]);
    const { data, covered } = await search({ referenceId });
    expect(data).toEqual([
      expect.objectContaining({
        requestId,
        posId: here.pos.account.posId,
        terminalId,
        referenceId,
        statusCode: "00",
        transAmt: "86420.97",
        cardLastFour: "8642",
      }),
    ]);
    expect(JSON.stringify(data)).not.toContain("18642");
    expect(covered).toMatchObject({ cut: false, notCovered: [] });
    expect(Date.parse(covered.to) - Date.parse(covered.from)).toBe(7 * DAY);
    expect(covered.completeUntil).toBe(covered.to);
  });

  it("finds a payment of the last minutes, which only its account has", async ({ expect }) => {
    const here = await Scene.alone({ merchantId: "M-SEARCH-3" });
    const { referenceId, request } = await approved(here, await here.connect());
    await eventually(async () => {
      const { data, covered } = await search({ referenceId, merchantId: "M-SEARCH-3" });
      expect(data.map(({ requestId }) => requestId)).toEqual([request.requestId]);
      expect(covered.completeUntil).toBe(covered.to);
    });
    expect((await search({ referenceId })).data).toHaveLength(1);
  });

  it("says when there are more accounts than it asks", async ({ expect, onTestFinished }) => {
    const merchantId = "M-SEARCH-4";
    onTestFinished(async () => {
      await env.DATABASE.prepare("DELETE FROM accounts WHERE merchant_id = ?").bind(merchantId).run();
    });
    await env.DATABASE.prepare(
      `INSERT INTO accounts (pos_id, merchant_id, currency, timezone, status, created_at, sealed_under, version)
       WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ${ASKED_ACCOUNTS})
       SELECT 'POS-MANY-' || i, ?, 'MYR', 'UTC', 'active', 0, 'k1', 1 FROM n`,
    )
      .bind(merchantId)
      .run();
    const asked: string[] = [];
    const names = Array.from({ length: ASKED_ACCOUNTS + 1 }, (_, at) => `POS-MANY-${at}`);
    const objects = names.map((name) => [
      name,
      { search: async () => (asked.push(name), { data: [], isComplete: true }) },
    ]);
    const ACCOUNT = accountsWith(Object.fromEntries(objects));
    const path = `/operator/transactions?amount=86425.00&merchantId=${merchantId}`;
    const { body } = await callWith<FoundPayments>({ ACCOUNT }, "GET", path, { token: OPERATOR_TOKEN });
    expect(new Set(asked).size).toBe(ASKED_ACCOUNTS);
    expect(Date.parse(body.covered.to) - Date.parse(body.covered.completeUntil)).toBe(3 * MINUTE);
    // What D1 has in any case costs no account a call.
    asked.length = 0;
    const to = new Date(Date.now() - HOUR).toISOString();
    await callWith<FoundPayments>({ ACCOUNT }, "GET", `${path}&to=${to}`, { token: OPERATOR_TOKEN });
    expect(asked).toEqual([]);
  });

  it("finds it while its outcome is unknown, by reference and amount", async () => {
    const here = await scene();
    const body = here.pos.saleBody({}, { transAmt: "86421.01" });
    const { referenceId, request } = await reportedOpen(here, await here.connect(), body);
    await finds({ referenceId }, [request.requestId]);
    await finds({ amount: "86421.01" }, [request.requestId]);
    await finds({ terminalId: here.terminal.terminalId }, [request.requestId]);
  });

  it("finds a pending one that its account reported long ago", async ({ expect }) => {
    const books = await openBooks();
    const requestId = await record(books, { ...OPEN, transaction: { ...OPEN.transaction, transAmt: "86421.02" } });
    await record(books);
    await deliverStatistics(books.posId);
    await eventually(async () => expect(await keptOf(books)).toBe(16));
    await finds({ amount: "86421.02" }, [requestId]);
  });

  it("finds both payments of two terminals with the same number", async ({ expect }) => {
    const books = await listedBooks();
    const transaction = { transAmt: "86421.03" };
    const requestId = Number(await record(books, { deviceId: "T-1", transaction }));
    await record(books, { requestId, deviceId: "T-2", transaction });
    const { data } = await search({ posId: books.posId, amount: "86421.03" });
    expect(data.map(({ terminalId }) => terminalId).toSorted()).toEqual(["T-1", "T-2"]);
  });

  it("covers the requested time as far as fingerprints are kept", async ({ expect }) => {
    const now = Date.now();
    const covers = async (times: { from?: string; to?: string }): Promise<number[]> => {
      const { covered } = await search({ amount: "1.23", ...times });
      return [covered.from, covered.to, covered.completeUntil].map((time) => (now - Date.parse(time)) / HOUR);
    };
    expect(await covers({ from: iso(now - 9 * HOUR), to: iso(now - 5 * HOUR) })).toEqual([9, 5, 5]);
    expect(await covers({ from: iso(now - 9 * DAY), to: iso(now + HOUR) })).toEqual([7 * 24, 0, 0]);
    // A terminal's news are none of an account's payments.
    for (const [object, hours] of Object.entries({ "account:nobody": 3, "terminal:nobody": 4 })) {
      await noteWaiting(env.DATABASE, object, { entries: 1, oldest: now - hours * HOUR }, now);
    }
    expect(await covers({})).toEqual([7 * 24, 0, 3]);
    await env.DATABASE.prepare("DELETE FROM outbox_waiting").run();
  });

  it("finds a payment that D1 lacks if its account is named", async ({ expect }) => {
    const books = await listedBooks();
    const first = await record(books, { transaction: { transAmt: "86422.01" } });
    await finds({ amount: "86422.01" }, [first]);
    const second = await record(books, {
      transaction: { transAmt: "86422.00", cashAmt: "0.01", transType: "cashOut" },
    });
    const third = await record(books, { ...OPEN, transaction: { ...OPEN.transaction, transAmt: "86422.01" } });
    const fourth = await record(books, { transaction: { transAmt: "86422.02" } });
    const { posId } = books;
    expect((await search({ amount: "86422.02", posId })).data.map(({ requestId }) => requestId)).toEqual([fourth]);
    const { data, covered } = await search({ amount: "86422.01", posId });
    expect(data.map(({ requestId }) => requestId).toSorted()).toEqual([first, second, third]);
    expect(covered.completeUntil).toBe(covered.to);
  });

  it("lists the newest payments without a filter", async ({ expect }) => {
    const here = await Scene.alone({ merchantId: "M-SEARCH-5" });
    const connection = await here.connect();
    const first = await approved(here, connection);
    skip(SECOND);
    const second = await approved(here, connection);
    const newest = [second, first].map(({ request }) => request.requestId);
    await finds({ merchantId: "M-SEARCH-5" }, newest);
    await finds({ posId: here.pos.account.posId }, newest);
    const { data } = await search({});
    expect(data.map(({ requestId }) => requestId)).toEqual(expect.arrayContaining(newest));
  });

  it("is limited to a merchant's accounts", async () => {
    const here = await Scene.alone({ merchantId: "M-SEARCH-1" });
    const { referenceId, request } = await approved(here, await here.connect());
    await finds({ referenceId, merchantId: "M-SEARCH-1" }, [request.requestId]);
    await finds({ referenceId, merchantId: "M-SEARCH-2" }, []);
  });

  it("finds payments for seven days, after which D1 has nothing of them", async ({ expect }) => {
    const books = await openBooks();
    const requestId = await record(books, { transaction: { referenceId: "R-SEVEN-DAYS" } });
    await finds({ referenceId: "R-SEVEN-DAYS" }, [requestId]);
    vi.setSystemTime(Date.now() + 7 * DAY - HOUR);
    await cleanUp(env.DATABASE, Date.now());
    expect(await keptOf(books)).toBe(16);
    await finds({ referenceId: "R-SEVEN-DAYS" }, [requestId]);
    vi.setSystemTime(Date.now() + 2 * DAY);
    await finds({ referenceId: "R-SEVEN-DAYS" }, []);
    await cleanUp(env.DATABASE, Date.now());
    expect(await keptOf(books)).toBeNull();
  });

  it("says how far it came when payments are many or accounts silent", async ({ expect }) => {
    const books = await listedBooks();
    const [early, late] = [Date.now() - 2 * HOUR, Date.now() - HOUR];
    const sold = { transaction: { transAmt: "86423.00" } };
    const entries = Array.from({ length: FOUND_PAYMENTS }, () => books.entry({ ...sold, completedAt: late }));
    entries.push(books.entry({ ...sold, completedAt: early }));
    for (let from = 0; from < entries.length; from += 50) await books.object.record(entries.slice(from, from + 50));
    await eventually(async () => {
      await deliverStatistics(books.posId);
      const { data, covered } = await search({ amount: "86423.00" });
      expect([data.length, covered.cut]).toEqual([FOUND_PAYMENTS, true]);
      expect(Date.parse(covered.from)).toBeGreaterThan(early);
    });
    vi.spyOn(Account.prototype, "search").mockImplementationOnce(() => {
      throw new Error("overloaded");
    });
    const { data, covered } = await search({ amount: "86423.00", posId: books.posId });
    expect([data, covered.notCovered]).toEqual([[], [books.posId]]);
    expect(Date.parse(covered.completeUntil)).toBeLessThan(Date.parse(covered.to));
    vi.restoreAllMocks();
    const ACCOUNT = accountsWith({
      [books.posId]: {
        search: (question) => accountStub(env, books.posId).search(question),
      },
    });
    const path = "/operator/transactions?amount=86423.00";
    const slow = await callWith<FoundPayments>({ ACCOUNT }, "GET", path, { token: OPERATOR_TOKEN });
    expect([slow.body.data.length, slow.body.covered.notCovered]).toEqual([FOUND_PAYMENTS, []]);
    // Candidates of open payments, of which the account confirms none.
    await env.DATABASE.prepare(
      `INSERT INTO pending (pos_id, request_id, terminal_id, version, open, noted_at, received_at, currency, trans_amt, body)
       WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${FOUND_PAYMENTS})
       SELECT ?, i, 'T-1', 1, 1, 0, 0, 'MYR', 8642400, '{"referenceId":"R-NONE"}' FROM n`,
    )
      .bind(books.posId)
      .run();
    expect(await search({ amount: "86424.00" })).toMatchObject({ data: [], covered: { cut: true } });
    await env.DATABASE.prepare("DELETE FROM pending WHERE pos_id = ? AND request_id = 1").bind(books.posId).run();
    expect(await search({ amount: "86424.00" })).toMatchObject({ data: [], covered: { cut: false } });
  });

  it("refuses an unclear question", async ({ expect }) => {
    expect(await refused("?transId=7")).toEqual([400, "transId"]);
    expect(await refused("?amount=12.5")).toEqual([400, "amount"]);
    expect(await refused("?cardLastFour=4111111111111111")).toEqual([400, "cardLastFour"]);
    expect(await refused("?terminalId=T-1&merchantId=M-1")).toEqual([400, "merchantId"]);
    const times = "from=2026-11-20T10:15:00Z&to=2026-11-20T10:15:00Z";
    expect(await refused(`?amount=12.50&${times}`)).toEqual([400, "to"]);
  });
});

const getByName = () => {
  throw new Error("an object was created");
};

it.for(["terminalId=nobody", "posId=nobody&amount=12.50"])(
  "creates no object for what does not exist: %s",
  async (query, { expect }) => {
    const path = `/operator/transactions?${query}`;
    const objects = { TERMINAL: { getByName }, ACCOUNT: { getByName } };
    const { status, body } = await callWith<FoundPayments>(objects, "GET", path, { token: OPERATOR_TOKEN });
    expect([status, body.data, body.covered]).toMatchObject([200, [], { cut: false, notCovered: [] }]);
  },
);
