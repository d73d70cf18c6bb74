/** Which transactions an account's list has, how each is shown, and where the next page begins. */
import { describe, it, vi } from "vitest";
import { listQuestion, type ListQuestion, type RecordFilters } from "../../../../src/gateway/account/rpc.ts";
import type { AccountTransaction } from "../../../../src/protocol/events.ts";
import { AccountParts } from "./parts.ts";
import { OPEN } from "../../../support/gateway/account/samples.ts";
import { LIST_EVENTS } from "../../../../src/gateway/account/listing.ts";

const DAY = 86_400_000;
const DECLINED = { transaction: { statusCode: "11" } } as const;

type Filters = Partial<RecordFilters>;
type Question = Partial<Omit<ListQuestion, "filters">>;

interface Page {
  data: AccountTransaction[];
  next: number | null;
}

function pageOf(parts: AccountParts, filters: Filters = {}, question: Question = {}): Page {
  const answer = parts.list(listQuestion(filters, { limit: 10, ...question }));
  if (answer.kind !== "page") throw new Error(`no page: ${answer.kind}`);
  return answer;
}

function page(parts: AccountParts, filters?: Filters, question?: Question) {
  const { data, next } = pageOf(parts, filters, question);
  return { references: data.map(({ referenceId }) => referenceId), next };
}

/** Records sales under these references, in this order. */
function sell(parts: AccountParts, ...references: string[]): void {
  parts.recordAll(...references.map((reference) => parts.entry(reference)));
}

describe("a list of transactions", () => {
  it("has a next page only if there is more", ({ expect }) => {
    const parts = new AccountParts();
    expect(page(parts)).toEqual({ references: [], next: null });
    sell(parts, "a", "b", "c");
    expect(page(parts, {}, { limit: 3 })).toEqual({ references: ["c", "b", "a"], next: null });
    expect(page(parts, {}, { limit: 2 })).toEqual({ references: ["c", "b"], next: 2 });
    expect(page(parts, {}, { limit: 2, before: 2 })).toEqual({ references: ["a"], next: null });
    expect(page(parts, {}, { before: 9 })).toEqual({ references: ["c", "b", "a"], next: null });
  });

  it("has each page once, however its pages fall", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a"), parts.entry("no", DECLINED), parts.entry("b"), parts.entry("c"));
    const references: string[] = [];
    for (let before: number | null = null, pages = 0; pages < 4; pages++) {
      const { references: some, next } = page(parts, { statusCode: "00" }, { limit: 1, before });
      references.push(...some);
      if (next === null) break;
      before = next;
    }
    expect(references).toEqual(["c", "b", "a"]);
    expect(page(parts, { statusCode: "00" }, { limit: 3 })).toEqual({ references: ["c", "b", "a"], next: null });
  });

  it("has at most its limit, even after skipping what filters leave out", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a"), parts.entry("b"), parts.entry("no", DECLINED), parts.entry("c"));
    expect(page(parts, { statusCode: "00" }, { limit: 2 })).toEqual({ references: ["c", "b"], next: 2 });
  });

  it("reads a bounded number of events, so that pages may be short", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("oldest", DECLINED));
    sell(parts, ...Array.from({ length: LIST_EVENTS }, (_, n) => `R-${n}`));
    const read = vi.spyOn(parts.events, "before");
    expect(page(parts, { statusCode: "11" })).toEqual({ references: [], next: 2 });
    const rows = read.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0);
    expect(rows).toBe(LIST_EVENTS + 1);
    expect(page(parts, { statusCode: "11" }, { before: 2 })).toEqual({ references: ["oldest"], next: null });
    expect(page(parts, { statusCode: "11" }, { limit: 600 })).toEqual({ references: [], next: 2 });
  });

  it("has a day's completions only, and reads only the events between them", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, "a", "b");
    parts.now += DAY;
    parts.keepSums();
    sell(parts, "c");
    const read = vi.spyOn(parts.events, "before");
    expect(page(parts, { day: "2031-05-10" })).toEqual({ references: ["b", "a"], next: null });
    expect(read.mock.calls[0]).toEqual([3, 1, 10]);
    expect(page(parts, { day: "2031-05-11" })).toEqual({ references: ["c"], next: null });
    expect(page(parts, { day: "2031-05-09" })).toEqual({ references: [], next: null });
  });

  it("has only what a filter lets through", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(
      parts.entry("sale"),
      parts.entry("other", { deviceId: "T-2" }),
      parts.entry("declined", DECLINED),
      parts.entry("broke", { transaction: { statusCode: "11", responseCode: "51" } }),
      parts.entry("reversal", { transaction: { transType: "void" } }),
    );
    expect(page(parts, { deviceId: "T-2" }).references).toEqual(["other"]);
    expect(page(parts, { statusCode: "11" }).references).toEqual(["broke", "declined"]);
    expect(page(parts, { transType: "void" }).references).toEqual(["reversal"]);
    expect(page(parts, { responseCode: "51" }).references).toEqual(["broke"]);
    expect(page(parts, { deviceId: "T-1", statusCode: "00" }).references).toEqual(["reversal", "sale"]);
  });

  it("lists nothing at an event about a day", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, "a");
    parts.now += DAY;
    parts.keepSums();
    expect(parts.events.newest).toBe(2);
    expect(page(parts)).toEqual({ references: ["a"], next: null });
  });

  it("shows open transactions at their newest event, completed ones at their completion", ({ expect }) => {
    const parts = new AccountParts();
    const [a, b] = [parts.entry("a", OPEN), parts.entry("b", OPEN)];
    parts.recordAll(a, b, { ...a, revision: 2 });
    expect(page(parts)).toEqual({ references: ["a", "b"], next: null });
    parts.recordAll({ ...parts.entry("b"), requestId: b.requestId, revision: 2 });
    expect(page(parts)).toEqual({ references: ["b", "a"], next: null });
  });

  it("shows a completed transaction once, with what has changed since", ({ expect }) => {
    const parts = new AccountParts();
    const paid = parts.entry("a");
    const voids = { requestId: paid.requestId, referenceId: "a" };
    parts.recordAll(paid, parts.entry("b"), parts.entry("v", { voids, transaction: { transType: "void" } }));
    expect(page(parts).references).toEqual(["v", "b", "a"]);
    expect(pageOf(parts, {}, { before: 2 }).data).toMatchObject([{ referenceId: "a", voidedBy: { referenceId: "v" } }]);
  });

  it("shows an earlier transaction unchanged after its reference is used again", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a", { transaction: { transAmt: "1.00" } }));
    parts.now += 402 * DAY;
    parts.recordAll(parts.entry("a", { transaction: { transAmt: "2.00" } }));
    expect(pageOf(parts).data.map(({ transAmt }) => transAmt)).toEqual(["2.00", "1.00"]);
  });

  it("shows a completed transaction whose claim is deleted", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, "a");
    parts.claims.remove("a");
    expect(page(parts)).toEqual({ references: ["a"], next: null });
  });
});

describe("a list of open transactions", () => {
  const OPEN_ONES = { statusCode: "22" } as const;

  it("has a next page only if there is more", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a", OPEN), parts.entry("b"), parts.entry("c", OPEN), parts.entry("d", OPEN));
    expect(page(parts, OPEN_ONES, { limit: 3 })).toEqual({ references: ["d", "c", "a"], next: null });
    expect(page(parts, OPEN_ONES, { limit: 2 })).toEqual({ references: ["d", "c"], next: 3 });
    expect(page(parts, OPEN_ONES, { limit: 1 })).toEqual({ references: ["d"], next: 4 });
    expect(page(parts, OPEN_ONES, { limit: 2, before: 3 })).toEqual({ references: ["a"], next: null });
    expect(page(parts, OPEN_ONES, { before: 1 })).toEqual({ references: [], next: null });
  });

  it("has a next page only if the chosen terminal has more", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a", { ...OPEN, deviceId: "T-2" }), parts.entry("b", OPEN), parts.entry("c", OPEN));
    const ofOne = { ...OPEN_ONES, deviceId: "T-1" };
    expect(page(parts, ofOne, { limit: 2 })).toEqual({ references: ["c", "b"], next: null });
  });

  it("leaves out one whose event is deleted", ({ expect }) => {
    const parts = new AccountParts();
    parts.recordAll(parts.entry("a", OPEN), parts.entry("b", OPEN));
    parts.keepSums();
    parts.events.remove(1);
    expect(page(parts, OPEN_ONES)).toEqual({ references: ["b"], next: null });
  });

  it("is sorted by the newest event of each", ({ expect }) => {
    const parts = new AccountParts();
    const [a, b, c] = [parts.entry("a", OPEN), parts.entry("b", OPEN), parts.entry("c", OPEN)];
    parts.recordAll(a, b, c, { ...b, revision: 2 });
    parts.keepSums();
    parts.recordAll({ ...a, revision: 2 });
    expect(page(parts, OPEN_ONES)).toEqual({ references: ["a", "b", "c"], next: null });
  });

  it("has only what the other filters let through", ({ expect }) => {
    const parts = new AccountParts();
    const voids = { ...OPEN, transaction: { ...OPEN.transaction, transType: "void" } } as const;
    parts.recordAll(parts.entry("a", OPEN), parts.entry("b", voids));
    expect(page(parts, { ...OPEN_ONES, transType: "void" })).toEqual({ references: ["b"], next: null });
    expect(page(parts, { ...OPEN_ONES, day: "2031-05-10" })).toEqual({ references: [], next: null });
  });
});

describe("a list of one reference", () => {
  it("names the terminal to ask if the reference is not recorded yet", ({ expect }) => {
    const parts = new AccountParts();
    parts.admit({ referenceId: "a" });
    const answer = parts.list(listQuestion({ referenceId: "a" }, { limit: 10 }));
    expect(answer).toEqual({ kind: "ask", deviceId: "T-1" });
  });

  it("has the transaction's newest state, unless the page begins before it", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, "a", "b");
    const named = { referenceId: "a" };
    expect(page(parts, named)).toEqual({ references: ["a"], next: null });
    expect(page(parts, named, { before: 2 })).toEqual({ references: ["a"], next: null });
    expect(page(parts, named, { before: 1 })).toEqual({ references: [], next: null });
    expect(page(parts, { referenceId: "none" })).toEqual({ references: [], next: null });
  });

  it("has the transaction only if the other filters let it through", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, "a");
    expect(page(parts, { referenceId: "a", statusCode: "11" })).toEqual({ references: [], next: null });
    expect(page(parts, { referenceId: "a", statusCode: "22" })).toEqual({ references: [], next: null });
    expect(page(parts, { referenceId: "a", statusCode: "00" })).toEqual({ references: ["a"], next: null });
  });

  it("is empty if the transaction's event is deleted", ({ expect }) => {
    const parts = new AccountParts();
    sell(parts, "a", "b");
    parts.events.remove(1);
    expect(page(parts, { referenceId: "a" })).toEqual({ references: [], next: null });
  });
});

describe("a list of a period", () => {
  it("has what was recorded in it, its end left out", ({ expect }) => {
    const parts = new AccountParts();
    const from = parts.now;
    sell(parts, "a");
    parts.now += 1_000;
    sell(parts, "b");
    parts.now += 1_000;
    sell(parts, "c");
    const period = (start: number | null, to: number | null, filters?: Filters) =>
      page(parts, filters, { period: { from: start, to } });
    expect(period(null, null).references).toEqual(["c", "b", "a"]);
    expect(period(from, from + 1_000).references).toEqual(["a"]);
    expect(period(from + 1_000, from + 2_000)).toEqual({ references: ["b"], next: null });
    expect(period(from + 1_000, null)).toEqual({ references: ["c", "b"], next: null });
    expect(period(null, from)).toEqual({ references: [], next: null });
    expect(period(from + 1, from + 1_000)).toEqual({ references: [], next: null });
    expect(period(from + 9_000, null)).toEqual({ references: [], next: null });
  });

  it("has what a period and a day have in common", ({ expect }) => {
    const parts = new AccountParts();
    const start = parts.now;
    sell(parts, "a", "b");
    parts.now += DAY;
    parts.keepSums();
    sell(parts, "c");
    const period = (day: string, from: number | null, to: number | null) =>
      page(parts, { day }, { period: { from, to } });
    expect(period("2031-05-10", null, null)).toEqual({ references: ["b", "a"], next: null });
    expect(period("2031-05-10", start - DAY, parts.now + DAY)).toEqual({ references: ["b", "a"], next: null });
    expect(period("2031-05-10", parts.now, null)).toEqual({ references: [], next: null });
    expect(period("2031-05-11", start, null)).toEqual({ references: ["c"], next: null });
    expect(period("2031-05-11", null, parts.now)).toEqual({ references: [], next: null });
  });
});
