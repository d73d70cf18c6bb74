/** Which transactions the account's object lists, how each is shown, and where the next page begins. */
import { describe, it } from "vitest";
import type { ListQuestion, TransactionFilters } from "../../src/account/list-calls.ts";
import { skip, useFakeClock } from "../support/clock.ts";
import { DAY, OPEN, openBooks, type Books } from "./books.ts";

useFakeClock();

const ANY: TransactionFilters = { day: null, deviceId: null, statusCode: null, transType: null, referenceId: null };

async function page(
  books: Books,
  filters: Partial<TransactionFilters> = {},
  question: Partial<Omit<ListQuestion, "filters">> = {},
): Promise<{ references: string[]; next: number | null }> {
  const answer = await books.object.transactions({
    before: null,
    limit: 10,
    ...question,
    filters: { ...ANY, ...filters },
  });
  if (answer.kind !== "page") throw new Error(`no page: ${answer.kind}`);
  return { references: answer.data.map(({ referenceId }) => referenceId), next: answer.next };
}

function sale(books: Books, referenceId: string, changes: Parameters<Books["entry"]>[0] = {}) {
  return books.entry({ ...changes, transaction: { ...changes.transaction, referenceId } });
}

describe("a list of transactions", () => {
  it("has a next page only if there is more", async ({ expect }) => {
    const books = await openBooks();
    expect(await page(books)).toEqual({ references: [], next: null });
    await books.object.record([sale(books, "a"), sale(books, "b"), sale(books, "c")]);
    expect(await page(books, {}, { limit: 3 })).toEqual({ references: ["c", "b", "a"], next: null });
    expect(await page(books, {}, { limit: 2 })).toEqual({ references: ["c", "b"], next: 2 });
    expect(await page(books, {}, { limit: 2, before: 2 })).toEqual({ references: ["a"], next: null });
  });

  it("of open ones has a next page only if there is more", async ({ expect }) => {
    const books = await openBooks();
    await books.object.record([
      sale(books, "a", OPEN),
      sale(books, "b"),
      sale(books, "c", OPEN),
      sale(books, "d", OPEN),
    ]);
    const open = { statusCode: "22" } as const;
    expect(await page(books, open, { limit: 3 })).toEqual({ references: ["d", "c", "a"], next: null });
    expect(await page(books, open, { limit: 2 })).toEqual({ references: ["d", "c"], next: 3 });
    expect(await page(books, open, { limit: 2, before: 3 })).toEqual({ references: ["a"], next: null });
  });

  it("of a terminal's open ones has a next page only if that terminal has more", async ({ expect }) => {
    const books = await openBooks();
    const other = { ...OPEN, deviceId: "T-2" };
    await books.object.record([sale(books, "a", other), sale(books, "b", OPEN), sale(books, "c", OPEN)]);
    const open = { statusCode: "22", deviceId: "T-1" } as const;
    expect(await page(books, open, { limit: 2 })).toEqual({ references: ["c", "b"], next: null });
  });

  it("of a reference that is admitted and not recorded names the terminal to ask", async ({ expect }) => {
    const books = await openBooks();
    await books.object.admit(books.question({ referenceId: "a" }));
    const filters = { ...ANY, referenceId: "a" };
    const answer = await books.object.transactions({ filters, before: null, limit: 10 });
    expect(answer).toEqual({ kind: "ask", deviceId: "T-1" });
  });

  it("of a reference has its newest state, unless the page begins before it", async ({ expect }) => {
    const books = await openBooks();
    await books.object.record([sale(books, "a"), sale(books, "b")]);
    const named = { referenceId: "a" };
    expect(await page(books, named)).toEqual({ references: ["a"], next: null });
    expect(await page(books, named, { before: 2 })).toEqual({ references: ["a"], next: null });
    expect(await page(books, named, { before: 1 })).toEqual({ references: [], next: null });
    expect(await page(books, { referenceId: "none" })).toEqual({ references: [], next: null });
  });

  it("of a period has what was recorded in it, its end left out", async ({ expect }) => {
    const books = await openBooks();
    const from = Date.now();
    await books.object.record([sale(books, "a")]);
    skip(1_000);
    await books.object.record([sale(books, "b")]);
    const period = async (start: number | null, to: number | null) =>
      (await page(books, {}, { period: { from: start, to } })).references;
    expect(await period(null, null)).toEqual(["b", "a"]);
    expect(await period(from, from + 1_000)).toEqual(["a"]);
    expect(await period(from + 1_000, null)).toEqual(["b"]);
    expect(await period(null, from)).toEqual([]);
    expect(await period(from + 1, from + 1_000)).toEqual([]);
  });

  it("shows a settled transaction once, with what has changed since", async ({ expect }) => {
    const books = await openBooks();
    const paid = sale(books, "a");
    await books.object.record([paid, sale(books, "b")]);
    const voids = { requestId: paid.requestId, referenceId: "a" };
    await books.object.record([sale(books, "v", { voids, transaction: { transType: "void" } })]);
    expect((await page(books)).references).toEqual(["v", "b", "a"]);
    const answer = await books.object.transactions({ filters: ANY, before: 2, limit: 10 });
    expect(answer).toMatchObject({ data: [{ referenceId: "a", voidedBy: { referenceId: "v" } }] });
  });

  it("shows an earlier transaction as it was, even if its reference was used again after 400 days", async ({
    expect,
  }) => {
    const books = await openBooks();
    const first = sale(books, "a", { transaction: { transAmt: "1.00" } });
    await books.object.record([first]);
    skip(402 * DAY);
    await books.object.record([sale(books, "a", { transaction: { transAmt: "2.00" } })]);
    const answer = await books.object.transactions({ filters: ANY, before: null, limit: 10 });
    if (answer.kind !== "page") throw new Error("no page");
    expect(answer.data.map(({ transAmt }) => transAmt)).toEqual(["2.00", "1.00"]);
  });
});
