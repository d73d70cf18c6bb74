/** What an operator must look at is in D1 at once: transactions that are 22, and webhooks that fail. */
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { type Books, openBooks } from "../../../support/gateway/account/books.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";
import { Shop } from "./webhooks/endpoints.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const SECOND = 1_000;

interface OpenRow {
  request_id: number;
  terminal_id: string;
  open: number;
  noted_at: number;
  received_at: number;
  currency: string;
  trans_amt: number | null;
  body: string;
}

async function openRows({ posId }: Books): Promise<OpenRow[]> {
  const { results } = await env.DATABASE.prepare("SELECT * FROM pending WHERE pos_id = ?").bind(posId).all<OpenRow>();
  return results;
}

interface AlertRow {
  version: number;
  endpoints: string;
}

async function alertsOf({ posId }: Books): Promise<unknown> {
  const row = await env.DATABASE.prepare("SELECT version, endpoints FROM webhook_alerts WHERE pos_id = ?")
    .bind(posId)
    .first<AlertRow>();
  return row === null ? null : JSON.parse(row.endpoints);
}

describe("two terminals' transactions with one number", () => {
  it("are both pending until each is completed", async ({ expect }) => {
    const books = await openBooks();
    const entryOf = (deviceId: string) => {
      const entry = books.entry({ ...OPEN, requestId: 1_000_000_001, deviceId });
      return { ...entry, transaction: { ...entry.transaction, referenceId: `R-${deviceId}` } };
    };
    const [one, other] = [entryOf("T-1"), entryOf("T-2")];
    await books.object.record([one, other]);
    const openNow = async (): Promise<string[]> =>
      (await openRows(books)).filter(({ open }) => open === 1).map(({ terminal_id }) => terminal_id);
    await eventually(async () => expect(await openNow()).toEqual(["T-1", "T-2"]));
    const total = async () => (await books.object.totals(null, null)).pending?.count;
    expect(await total()).toBe(2);
    const { transaction } = one;
    const completed = { ...one, revision: 2, completedAt: Date.now() };
    await books.object.record([{ ...completed, transaction: { ...transaction, statusCode: "00" } }]);
    await eventually(async () => expect(await openNow()).toEqual(["T-2"]));
    expect(await total()).toBe(1);
  });
});

describe("conflicting results of two terminals with one number", () => {
  it("are closed one by one, each by its terminal", async ({ expect }) => {
    const books = await openBooks();
    const reported = { statusCode: "00", responseCode: "00", responseText: null } as const;
    for (const deviceId of ["T-1", "T-2"]) {
      const entry = books.entry({ requestId: 1_000_000_007, deviceId });
      const named = { ...entry, transaction: { ...entry.transaction, referenceId: `C-${deviceId}` } };
      await books.object.record([named]);
      const money = { transAmt: null, cashAmt: null, currency: null };
      await books.object.contradicted({ version: 1, entry: named, reportedAt: 1, reported: { ...reported, ...money } });
    }
    const close = (terminalId: string | null) =>
      books.object.closeConflict({ requestId: 1_000_000_007, terminalId, reason: "Refunded.", actor: "olga" });
    expect(await close(null)).toEqual({ kind: "ambiguous", terminals: ["T-1", "T-2"] });
    expect(await close("T-2")).toEqual({ kind: "closed" });
    expect(await close("T-2")).toEqual({ kind: "not-open" });
    expect(await close("T-3")).toEqual({ kind: "unknown" });
    expect(await close(null)).toEqual({ kind: "closed" });
  });
});

describe("a pending transaction", () => {
  it("is in D1 with the operator's details until it is completed", async ({ expect }) => {
    const books = await openBooks();
    const open = books.entry(OPEN);
    await books.object.record([open, books.entry()]);
    await eventually(async () => expect(await openRows(books)).toHaveLength(1));
    const [row] = await openRows(books);
    const { requestId, receivedAt, transaction } = open;
    expect(row).toMatchObject({
      request_id: requestId,
      open: 1,
      noted_at: Date.now(),
      received_at: receivedAt,
      currency: "MYR",
      trans_amt: 1_250,
    });
    expect(await alertsOf(books)).toBeNull();
    expect(JSON.parse(row?.body ?? "")).toMatchObject({ terminalId: "T-1", referenceId: transaction.referenceId });
    skip(SECOND);
    const completed = books.entry({ requestId, revision: 2, transaction: { referenceId: transaction.referenceId } });
    await books.object.record([completed]);
    await eventually(async () =>
      expect(await openRows(books)).toMatchObject([{ request_id: requestId, open: 0, noted_at: Date.now() }]),
    );
  });
});

const HOST = { webhookId: "wh_1", host: "books.example.com" };

describe("an endpoint", () => {
  it("is in D1 beside the account's other endpoint", async ({ expect }) => {
    const { shop } = await Shop.withEndpoint();
    await shop.add("https://two.example.com/");
    for (const id of [1, 2]) await shop.object.switchWebhook({ id, enabled: false }, "tester");
    const since = Date.now();
    await eventually(async () =>
      expect(await alertsOf(shop.books)).toEqual([
        { ...HOST, disabledBy: "operator", since },
        { webhookId: "wh_2", host: "two.example.com", disabledBy: "operator", since },
      ]),
    );
  });
});
